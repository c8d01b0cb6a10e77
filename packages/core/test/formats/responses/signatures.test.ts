import { describe, expect, it } from 'vitest'
import { isObject, type Json, objects } from '../../../src/canonical/json.ts'
import { type TranslatedFormat, translateRequest, translateResponse, translateStream } from '../../../src/translate.ts'
import { answer, message, text } from './support.ts'

/**
 * Signed and encrypted thoughts through callers and providers of other formats, without any state between the turns.
 * The answers are written from the vendors' documentation.
 */
const THOUGHTS: Json[] = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'ENC1' },
  { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'ENC2' },
]
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}', status: 'completed' }

/** The turn of the assistant that a caller of each format gets, and its next request with what its tool gave back. */
const NEXT: Readonly<Record<Exclude<TranslatedFormat, 'responses'>, (body: Json) => Json>> = {
  'chat-completions': ({ choices }) => {
    const turn = objects(choices)[0]?.['message']
    return {
      model: 'm',
      messages: [{ role: 'user', content: 'Go' }, turn, { role: 'tool', tool_call_id: 'call_1', content: 'x' }],
    }
  },
  messages: ({ content }) => {
    const results = [{ type: 'tool_result', tool_use_id: 'call_1', content: 'x' }]
    const messages = [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content },
      { role: 'user', content: results },
    ]
    return { model: 'm', max_tokens: 1024, messages }
  },
  'generate-content': ({ candidates }) => {
    const response = { id: 'call_1', name: 'f', response: { output: 'x' } }
    const turn = objects(candidates)[0]?.['content']
    return {
      contents: [
        { role: 'user', parts: [{ text: 'Go' }] },
        turn,
        { role: 'user', parts: [{ functionResponse: response }] },
      ],
    }
  },
}
const CALLERS = Object.keys(NEXT) as (keyof typeof NEXT)[]

describe.each(CALLERS)('Encrypted reasoning of a responses provider through a caller of %s', (caller) => {
  it('comes back under its id, before the call that it led to', () => {
    const { body } = translateResponse(answer([...THOUGHTS, CALL]), { from: 'responses', to: caller })
    const next = translateRequest(NEXT[caller](body), { from: caller, to: 'responses', model: 'gpt-5.4' }).body
    expect(objects(next?.['input']).slice(1, 4)).toMatchObject([
      { type: 'reasoning', id: 'rs_1', summary: [{ text: 'Hm.' }], encrypted_content: 'ENC1' },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'ENC2' },
      { type: 'function_call', call_id: 'call_1' },
    ])
  })

  it('goes to nobody else', () => {
    const { body } = translateResponse(answer([...THOUGHTS, CALL]), { from: 'responses', to: caller })
    const next = translateRequest(NEXT[caller](body), {
      from: caller,
      to: 'responses',
      model: 'grok-5',
      signer: 'grok',
    })
    expect(JSON.stringify(next.body)).not.toContain('ENC')
    expect(next.lost.length).toBeGreaterThan(0)
  })
})

const CLAUDE: Json = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-5',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
    { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' },
    { type: 'text', text: 'On it.' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
}

/** Events of such an answer. */
async function* streamOf({ content, ...head }: Json): AsyncGenerator<Uint8Array, void, void> {
  const events: Json[] = [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null } },
    ...objects(content).flatMap((block, index): Json[] => {
      const delta = (fields: Json): Json => ({ type: 'content_block_delta', index, delta: fields })
      const deltas: Json[] =
        block['type'] === 'thinking'
          ? [
              delta({ type: 'thinking_delta', thinking: block['thinking'] }),
              delta({ type: 'signature_delta', signature: block['signature'] }),
            ]
          : []
      const begun = block['type'] === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : block
      return [
        { type: 'content_block_start', index, content_block: begun },
        ...deltas,
        { type: 'content_block_stop', index },
      ]
    }),
    { type: 'message_delta', delta: { stop_reason: head['stop_reason'] }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
  for (const event of events)
    yield new TextEncoder().encode(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** The output of the answer that a caller of responses puts together. */
async function streamed(body: Json): Promise<Json[]> {
  let said = ''
  for await (const bytes of translateStream(streamOf(body), { from: 'messages', to: 'responses' }))
    said += new TextDecoder().decode(bytes)
  const last: unknown = JSON.parse(said.trimEnd().split('\n').at(-1)?.slice('data: '.length) ?? '')
  return isObject(last) && isObject(last['response']) ? objects(last['response']['output']) : []
}

describe('Thoughts that Claude signed through a caller of responses', () => {
  const whole = async (body: Json): Promise<Json[]> =>
    objects(translateResponse(body, { from: 'messages', to: 'responses' }).body['output'])

  it.each([
    ['whole', whole],
    ['as a stream', streamed],
  ])('come back as they were, %s', async (_, output) => {
    const items = await output(CLAUDE)
    const input = [
      { role: 'user', content: 'Go' },
      ...items,
      { type: 'function_call_output', call_id: 'toolu_1', output: 'x' },
    ]
    const { body, lost } = translateRequest(
      { model: 'm', input },
      { from: 'responses', to: 'messages', model: 'claude-opus-4-5' },
    )
    expect(objects(body?.['messages'])[1]).toEqual({ role: 'assistant', content: CLAUDE['content'] })
    expect(lost).toEqual([])
  })

  it('go to no provider of responses', async () => {
    const input = [
      { role: 'user', content: 'Go' },
      ...(await whole(CLAUDE)),
      { type: 'function_call_output', call_id: 'toolu_1', output: 'x' },
    ]
    const { body } = translateRequest({ model: 'm', input }, { from: 'responses', to: 'responses', model: 'gpt-5.4' })
    expect(objects(body?.['input']).map(({ type, role }) => type ?? role)).toEqual([
      'user',
      'message',
      'function_call',
      'function_call_output',
    ])
  })
})

describe('The signature of a call that Gemini made', () => {
  it('comes back to it through a caller of responses', () => {
    const parts = [{ functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature: 'U0lH' }]
    const given = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
    const items = objects(translateResponse(given, { from: 'generate-content', to: 'responses' }).body['output'])
    const input = [
      { role: 'user', content: 'Go' },
      ...items,
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
    ]
    const { body } = translateRequest(
      { model: 'm', input },
      { from: 'responses', to: 'generate-content', model: 'gemini-3.5-flash' },
    )
    expect(objects(body?.['contents'])[1]).toMatchObject({
      parts: [{ functionCall: { name: 'f' }, thoughtSignature: 'U0lH' }],
    })
  })
})

describe('A namespace of tools', () => {
  const tools = [
    {
      type: 'namespace',
      name: 'mail',
      description: 'Letters',
      tools: [{ type: 'function', name: 'send', parameters: {} }],
    },
  ]
  const request = { model: 'm', input: 'Go', tools }

  it.each(CALLERS)('is one name to a provider of %s', (to) => {
    const { body, lost } = translateRequest(request, { from: 'responses', to, model: 'm' })
    expect(JSON.stringify(body)).toContain('"mail__send"')
    expect(lost.map(({ path }) => path)).toEqual(['tools[0].description'])
  })

  it('is a namespace again in the answer, and in the next request', () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'mail__send', arguments: '{}' } }]
    const given = {
      id: 'a',
      choices: [{ message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' }],
    }
    const items = objects(
      translateResponse(given, { from: 'chat-completions', to: 'responses', request }).body['output'],
    )
    expect(items).toMatchObject([{ type: 'function_call', name: 'send', namespace: 'mail' }])
    const input = [
      { role: 'user', content: 'Go' },
      ...items,
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
    ]
    const { body } = translateRequest({ ...request, input }, { from: 'responses', to: 'chat-completions', model: 'm' })
    expect(body).toMatchObject({ messages: [{}, { tool_calls: [{ function: { name: 'mail__send' } }] }, {}] })
  })
})

describe('An answer with citations', () => {
  it('has them in every format', () => {
    const annotations = [{ type: 'url_citation', url: 'https://x.test', title: 'X', start_index: 0, end_index: 2 }]
    for (const to of CALLERS) {
      const { body } = translateResponse(answer([message('msg_1', text('Hi', { annotations }))]), {
        from: 'responses',
        to,
      })
      expect(JSON.stringify(body)).toContain('https://x.test')
    }
  })
})
