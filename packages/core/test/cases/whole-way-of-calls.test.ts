import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import { translateRequest, translateResponse, translateStream } from '../../src/translate.ts'
import { A, CLAUDE, G, GEMINI, GPT, O, send } from './way.ts'

const hello = { role: 'user', content: 'Hello' }
const chatCalls = (...calls: [id: string, name: string][]): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map(([id, name]) => ({ id, type: 'function', function: { name, arguments: '{}' } })),
})
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] }
const result = (content: unknown): Json => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 't1', content }],
})
const claude = (...messages: Json[]): Json => ({ model: 'm', max_tokens: 9, messages: [hello, ...messages] })
const declared = (name: string): Json => ({ name, input_schema: { type: 'object', properties: {} } })

interface ChatMessage extends Json {
  role: string
  tool_call_id?: string
  tool_calls?: { id: string; function: { name: string } }[]
}

function messagesOf(body: Json): ChatMessage[] {
  return body['messages'] as ChatMessage[]
}

async function* once(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield new TextEncoder().encode(text)
}

describe('Results of calls all the way', () => {
  it('case 16: a result that reads like a schema is text under a key', () => {
    const content = '{"$ref":"#/$defs/a","$defs":{"a":{}}}'
    const { body } = send(
      O,
      G,
      { model: 'm', messages: [hello, chatCalls(['c1', 'f']), { role: 'tool', tool_call_id: 'c1', content }] },
      GEMINI,
    )
    expect(body['contents']).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { name: 'f', response: { output: content } } }] },
    ])
  })

  it.each([
    ['case 20: an empty list', []],
    ['no content', undefined],
  ])('%s is an empty text', (_, content) => {
    expect(messagesOf(send(A, O, claude(use, result(content)), GPT).body).at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 't1',
      content: '',
    })
  })

  it('case 23: a document stands in a message behind the result, which says so', () => {
    const document = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: btoa('%PDF-1.7') },
    }
    const { body } = send(A, O, claude(use, result([{ type: 'text', text: 'Here.' }, document])), GPT)
    const [tool, user] = messagesOf(body).slice(-2)
    expect(tool).toMatchObject({ role: 'tool', content: expect.stringContaining('Here.') })
    expect(JSON.stringify(user)).toContain(`data:application/pdf;base64,${btoa('%PDF-1.7')}`)
  })

  it('case 29: calls of one name without ids get ids of their own, and the results theirs, always alike', () => {
    const call = (x: number): Json => ({ functionCall: { name: 'f', args: { x } } })
    const response = (y: string): Json => ({ functionResponse: { name: 'f', response: { output: y } } })
    const body = {
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [call(1), call(2)] },
        { role: 'user', parts: [response('first'), response('second')] },
      ],
    }
    const written = () => messagesOf(send(G, O, body, GPT).body)
    const [, turn, first, second] = written()
    const ids = turn?.tool_calls?.map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    expect([first, second]).toMatchObject([
      { tool_call_id: ids?.[0], content: 'first' },
      { tool_call_id: ids?.[1], content: 'second' },
    ])
    expect(written()).toEqual(written())
  })

  it('case 30: ids stay on both sides', () => {
    const body = {
      contents: [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts: [{ functionCall: { id: 'mine', name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'mine', name: 'f', response: { output: '1' } } }] },
      ],
    }
    expect(messagesOf(send(G, O, body, GPT).body)).toMatchObject([
      {},
      { tool_calls: [{ id: 'mine' }] },
      { tool_call_id: 'mine' },
    ])
  })
})

describe('Names of tools all the way and back', () => {
  const LONG = `tool_${'x'.repeat(75)}`

  it('case 35: a long name is shortened alike wherever it stands, and is whole again in the answer', () => {
    const turn = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: LONG, input: {} }] }
    const request = { ...claude(turn, result('1')), tools: [declared(LONG)], tool_choice: { type: 'tool', name: LONG } }
    const { body } = translateRequest(request, { from: A, to: O, ...GPT })
    const tools = (body?.['tools'] ?? []) as { function: { name: string } }[]
    const sent = tools[0]?.function.name ?? ''
    expect(sent).toMatch(new RegExp(`^${LONG.slice(0, 55)}_[0-9a-f]{8}$`))
    expect(body).toMatchObject({ tool_choice: { function: { name: sent } } })
    expect(messagesOf(body ?? {})[1]?.tool_calls?.[0]?.function.name).toBe(sent)
    const message = chatCalls(['c9', sent])
    const answer = { id: 'x', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    expect(translateResponse(answer, { from: O, to: A, request, ...GPT }).body['content']).toMatchObject([
      { type: 'tool_use', name: LONG },
    ])
  })

  it.each([
    ['case 36', O, 'caldav-mcp.create'],
    ['case 37', G, 'ns:tool.v1'],
  ] as const)(
    '%s: a name with other signs is changed, and is itself again in an answer and in a stream',
    async (_, from, name) => {
      const target = from === O ? { to: A, ...CLAUDE } : { to: O, ...GPT }
      const declaration = { name, parameters: { type: 'object', properties: {} } }
      const request: Json =
        from === O
          ? { model: 'm', messages: [hello], tools: [{ type: 'function', function: declaration }], stream: true }
          : {
              contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
              tools: [{ functionDeclarations: [declaration] }],
            }
      const { body } = translateRequest(request, { from, ...target })
      const sent = /"name":"([^"]+)"/.exec(JSON.stringify(body?.['tools']))?.[1] ?? ''
      expect(sent).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      const call = { type: 'tool_use', id: 't1', name: sent, input: {} }
      const message = chatCalls(['c1', sent])
      const answer: Json =
        from === O
          ? { id: 'x', type: 'message', role: 'assistant', content: [call], stop_reason: 'tool_use' }
          : { id: 'x', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
      const back = { from: target.to, to: from, request, model: target.model }
      expect(JSON.stringify(translateResponse(answer, back).body)).toContain(`"name":"${name}"`)

      const frames =
        from === O
          ? [
              { type: 'message_start', message: { id: 'x', role: 'assistant', content: [] } },
              { type: 'content_block_start', index: 0, content_block: call },
              { type: 'content_block_stop', index: 0 },
              { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
              { type: 'message_stop' },
            ]
          : [{ id: 'x', choices: [{ index: 0, delta: message, finish_reason: 'tool_calls' }] }]
      let out = ''
      for await (const chunk of translateStream(
        once(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')),
        back,
      ))
        out += new TextDecoder().decode(chunk)
      expect(out).toContain(`"name":"${name}"`)
      expect(out).not.toContain('"error"')
    },
  )

  it('case 47: the legacy form is answered in the legacy form', () => {
    const request = {
      model: 'm',
      messages: [hello],
      functions: [{ name: 'f', parameters: { type: 'object' } }],
      function_call: { name: 'f' },
    }
    expect(send(O, A, request, CLAUDE).body).toMatchObject({
      tools: [{ name: 'f' }],
      tool_choice: { type: 'tool', name: 'f' },
    })
    const content = [{ type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } }]
    const answer = { id: 'x', type: 'message', role: 'assistant', content, stop_reason: 'tool_use' }
    expect(translateResponse(answer, { from: A, to: O, request }).body['choices']).toMatchObject([
      { message: { function_call: { name: 'f', arguments: '{"a":1}' } }, finish_reason: 'function_call' },
    ])
  })

  it('case 61: one call at a time says nothing where there are no tools', () => {
    const { body } = send(O, A, { model: 'm', messages: [hello], parallel_tool_calls: false }, CLAUDE)
    expect(body).not.toHaveProperty('tool_choice')
  })
})
