import { describe, expect, it } from 'vitest'
import { isObject, type Json, objects } from '../../src/canonical/json.ts'
import { type TranslatedFormat, translateResponse, translateStream } from '../../src/translate.ts'
import { A, CLAUDE, G, O, send } from './way.ts'

/**
 * Encrypted thoughts of Claude through callers of other formats, which have no such thing. The answer is written from
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking.
 */
const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' }
const redacted = { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' }
const use = { type: 'tool_use', id: 't1', name: 'f', input: {} }
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-5' }
const usage = { input_tokens: 1, output_tokens: 1 }

const whole = (content: Json[]): Json => ({ ...head, content, stop_reason: 'tool_use', stop_sequence: null, usage })

async function* streamed(content: Json[]): AsyncGenerator<Uint8Array, void, void> {
  const events: Json[] = [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } },
    ...content.flatMap((block, index): Json[] => {
      const { type } = block
      if (type !== 'thinking')
        return [
          { type: 'content_block_start', index, content_block: block },
          { type: 'content_block_stop', index },
        ]
      const delta = (fields: Json): Json => ({ type: 'content_block_delta', index, delta: fields })
      return [
        { type: 'content_block_start', index, content_block: { type, thinking: '', signature: '' } },
        delta({ type: 'thinking_delta', thinking: block['thinking'] }),
        delta({ type: 'signature_delta', signature: block['signature'] }),
        { type: 'content_block_stop', index },
      ]
    }),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  for (const event of events)
    yield new TextEncoder().encode(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** The parts of a turn of the model as a client of the stream puts them together. */
async function partsOfStream(content: Json[]): Promise<Json[]> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of translateStream(streamed(content), { from: A, to: G, model: 'm' }))
    text += decoder.decode(bytes)
  const chunks = text
    .split(/\r?\n\r?\n/)
    .flatMap((frame) => (frame.startsWith('data: ') ? [JSON.parse(frame.slice(6)) as Json] : []))
  return chunks
    .flatMap((chunk) => objects(chunk['candidates']).flatMap(partsOf))
    .filter((part) => part['text'] !== '' || part['thought'])
}

function partsOf(candidate: Json): Json[] {
  return isObject(candidate['content']) ? objects(candidate['content']['parts']) : []
}

const partsOfWhole = (content: Json[]): Json[] =>
  objects(translateResponse(whole(content), { from: A, to: G, model: 'm' }).body['candidates']).flatMap(partsOf)

/** What Claude is sent of the turn that a client sends back. */
function sentBack(from: TranslatedFormat, body: Json): unknown {
  const messages = objects(send(from, A, body, CLAUDE).body['messages'])
  return messages.find(({ role }) => role === 'assistant')?.['content']
}

const fromGenerate = (parts: Json[]): unknown => {
  const response = { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'x' } } }] }
  return sentBack(G, { contents: [{ role: 'user', parts: [{ text: 'Go.' }] }, { role: 'model', parts }, response] })
}

const fromChat = (message: Json): unknown =>
  sentBack(O, {
    model: 'm',
    messages: [{ role: 'user', content: 'Go.' }, message, { role: 'tool', tool_call_id: 't1', content: 'x' }],
  })

const content = [thinking, redacted, use]

describe('Encrypted thoughts through a caller of generateContent', () => {
  it.each<[string, (part: Json) => boolean]>([
    ['all that it was given', () => true],
    ['no thoughts', (part) => !part['thought']],
    ['no thoughts without text', (part) => !part['thought'] || part['text'] !== ''],
    ['no signature of the call', (part) => part['functionCall'] === undefined || delete part['thoughtSignature']],
  ])('are encrypted thoughts again where it sends back %s', async (_, keeps) => {
    for (const parts of [partsOfWhole(content), await partsOfStream(content)])
      expect(fromGenerate(parts.filter(keeps))).toEqual(content)
  })

  it('are that without a call as well', async () => {
    const said = [redacted, { type: 'text', text: 'Hi.' }]
    for (const parts of [partsOfWhole(said), await partsOfStream(said)]) {
      const body = {
        contents: [
          { role: 'user', parts: [{ text: 'Go.' }] },
          { role: 'model', parts },
          { role: 'user', parts: [{ text: 'So?' }] },
        ],
      }
      expect(sentBack(G, body)).toEqual(said)
    }
  })

  it('stay apart from the thoughts before them on the way through a second gateway', () => {
    const candidates = [
      {
        content: { role: 'model', parts: partsOfWhole([{ ...thinking, signature: '' }, redacted, use]) },
        finishReason: 'STOP',
      },
    ]
    const { body } = translateResponse({ candidates }, { from: G, to: A, model: 'm' })
    expect(body['content']).toMatchObject([{ type: 'thinking', thinking: 'Hm.' }, redacted, { type: 'tool_use' }])
  })
})

describe('Encrypted thoughts through a caller of chat completions', () => {
  const message = objects(translateResponse(whole(content), { from: A, to: O, model: 'm' }).body['choices'])[0]?.[
    'message'
  ] as Json

  it.each<[string, string[]]>([
    ['all that it was given', []],
    ['no blocks', ['thinking_blocks']],
    ['no thoughts', ['thinking_blocks', 'reasoning_content']],
  ])('are encrypted thoughts again where it sends back %s', (_, gone) => {
    expect(fromChat(Object.fromEntries(Object.entries(message).filter(([key]) => !gone.includes(key))))).toEqual(
      content,
    )
  })

  it('are encrypted thoughts again where it sends back only those that can be read', () => {
    const readable = objects(message['thinking_blocks']).filter(({ type }) => type === 'thinking')
    expect(fromChat({ ...message, thinking_blocks: readable })).toEqual(content)
  })
})
