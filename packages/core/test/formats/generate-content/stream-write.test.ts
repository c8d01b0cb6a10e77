import { describe, expect, it } from 'vitest'
import { assemble, partsOf } from '../../../src/canonical/assemble.ts'
import type { Block } from '../../../src/canonical/block.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { Part } from '../../../src/canonical/part.ts'
import type { ChatResponse } from '../../../src/canonical/response.ts'
import { HeadgateError } from '../../../src/errors.ts'
import { generateContent } from '../../../src/formats/generate-content/index.ts'
import { readFrames } from '../../../src/formats/sse.ts'
import { request } from './values.ts'

const START: Part = { type: 'start', id: 'msg_1', model: 'claude' }
const END: Part[] = [
  { type: 'usage', usage: { input: 3, output: 4 } },
  { type: 'finish', finish: { reason: 'stop' } },
]

function writeAll(parts: readonly Part[], framing?: 'sse' | 'json-array', losses: Loss[] = []): string[] {
  const writer = generateContent.writeStream(
    { id: 'req_1', model: 'm', request: request(), ...(framing && { framing }) },
    losses,
  )
  return [...parts.map((part) => writer.push(part)), writer.end()].filter((text) => text !== '')
}

const chunksOf = (texts: readonly string[]): Json[] =>
  readFrames(texts.join('')).map((frame) => JSON.parse(frame.data) as Json)

const block = (index: number, content: Block, ...deltas: Extract<Part, { type: 'block-delta' }>['delta'][]): Part[] => [
  { type: 'block-start', index, block: content },
  ...deltas.map((delta): Part => ({ type: 'block-delta', index, delta })),
  { type: 'block-end', index },
]

describe('writing a stream', () => {
  it('case 253, 300: frames are bare data with blank lines, and there is no [DONE]', () => {
    const texts = writeAll([START, ...block(0, { type: 'text', text: '' }, { text: 'He' }, { text: 'llo' }), ...END])
    for (const text of texts) expect(text).toMatch(/^data: \{.*\}\r\n\r\n$/)
    expect(texts.join('')).not.toContain('DONE')
    expect(chunksOf(texts)).toEqual([
      {
        candidates: [{ content: { parts: [{ text: 'He' }], role: 'model' }, index: 0 }],
        modelVersion: 'claude',
        responseId: 'msg_1',
      },
      {
        candidates: [{ content: { parts: [{ text: 'llo' }], role: 'model' }, index: 0 }],
        modelVersion: 'claude',
        responseId: 'msg_1',
      },
      {
        candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
        modelVersion: 'claude',
        responseId: 'msg_1',
      },
    ])
  })

  it('case 253: the arguments of a call are held until they are whole', () => {
    const texts = writeAll([
      START,
      ...block(
        0,
        { type: 'tool-call', id: 't', name: 'f', arguments: '' },
        { arguments: '{"a"' },
        { arguments: ':1}' },
      ),
      ...END,
    ])
    const [first] = chunksOf(texts)
    expect(texts).toHaveLength(2)
    expect(first).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { id: 't', name: 'f', args: { a: 1 } } }] } }],
    })
  })

  it('parallel calls whose fragments interleave are one part each', () => {
    const call = (index: number): Part => ({
      type: 'block-start',
      index,
      block: { type: 'tool-call', id: `t${index}`, name: 'f', arguments: '' },
    })
    const args = (index: number, text: string): Part => ({ type: 'block-delta', index, delta: { arguments: text } })
    const texts = writeAll([
      START,
      call(0),
      call(1),
      args(1, '{"b"'),
      args(0, '{}'),
      args(1, ':2}'),
      { type: 'block-end', index: 0 },
      { type: 'block-end', index: 1 },
      ...END,
    ])
    expect(chunksOf(texts).slice(0, 2)).toMatchObject([
      { candidates: [{ content: { parts: [{ functionCall: { id: 't0', args: {} } }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: { id: 't1', args: { b: 2 } } }] } }] },
    ])
  })

  it.each([0, 1])('case 254: what was opened first comes first, whichever call ends first, in choice %i', (choice) => {
    const open = (index: number, begun: Block): Part => ({ type: 'block-start', index, block: begun, choice })
    const end = (index: number): Part => ({ type: 'block-end', index, choice })
    const call = (index: number): Part =>
      open(index, { type: 'tool-call', id: `t${index}`, name: 'f', arguments: '{}' })
    const said = { type: 'text', text: 'Next.' } as const
    const texts = writeAll([START, call(0), call(1), end(1), open(2, said), end(2), call(3), end(3), end(0), ...END])
    const parts = chunksOf(texts).flatMap(({ candidates = [] }) =>
      (candidates as { index: number; content: { parts: Json[] } }[])
        .filter(({ index }) => index === choice)
        .flatMap(({ content }) => content.parts),
    )
    const order = parts
      .map(({ functionCall, text }) => (functionCall as Json | undefined)?.['id'] ?? text)
      .filter((id) => id !== '')
    expect(order).toEqual(['t0', 't1', 'Next.', 't3'])
  })

  it('usage that follows the reason to end is in the last chunk', () => {
    const texts = writeAll([
      START,
      { type: 'finish', finish: { reason: 'length' } },
      { type: 'usage', usage: { input: 1, output: 2 } },
    ])
    expect(chunksOf(texts)).toMatchObject([
      { candidates: [{ finishReason: 'MAX_TOKENS' }], usageMetadata: { promptTokenCount: 1 } },
    ])
  })

  it('reasoning is thoughts, and its signature follows it', () => {
    const texts = writeAll([
      START,
      ...block(0, { type: 'reasoning', text: '' }, { text: 'hm' }, { signature: { signer: 'gemini', value: 'c2ln' } }),
      ...END,
    ])
    expect(chunksOf(texts).slice(0, 2)).toMatchObject([
      { candidates: [{ content: { parts: [{ text: 'hm', thought: true }] } }] },
      { candidates: [{ content: { parts: [{ text: '', thought: true, thoughtSignature: 'c2ln' }] } }] },
    ])
  })

  it('a refusal is text that was filtered', () => {
    const texts = writeAll([START, ...block(0, { type: 'refusal', text: '' }, { text: 'no' }), ...END])
    expect(chunksOf(texts)).toMatchObject([
      { candidates: [{ content: { parts: [{ text: 'no' }] } }] },
      { candidates: [{ finishReason: 'SAFETY' }] },
    ])
  })

  it('sources are named at the end, by their place in the whole text', () => {
    const texts = writeAll([
      START,
      ...block(0, { type: 'text', text: '' }, { text: 'é, ' }),
      ...block(
        1,
        { type: 'text', text: '' },
        { text: 'Rome.' },
        { citations: [{ url: 'https://a.com', start: 0, end: 4 }] },
      ),
      ...END,
    ])
    expect(chunksOf(texts).at(-1)).toMatchObject({
      candidates: [
        { groundingMetadata: { groundingSupports: [{ segment: { startIndex: 4, endIndex: 8, text: 'Rome' } }] } },
      ],
    })
  })

  it('several choices have several candidates in the last chunk', () => {
    const texts = writeAll([START, ...END, { type: 'finish', finish: { reason: 'length' }, choice: 1 }])
    expect(chunksOf(texts)).toMatchObject([{ candidates: [{ index: 0 }, { index: 1, finishReason: 'MAX_TOKENS' }] }])
  })

  it('what has no place is declared', () => {
    const losses: Loss[] = []
    const extensions = { format: 'messages', fields: { container: {} } }
    writeAll(
      [
        START,
        ...block(0, { type: 'hosted-call', id: 's', name: 'web-search', arguments: '{}' }),
        { type: 'finish', finish: { reason: 'pause' }, extensions },
      ],
      'sse',
      losses,
    )
    expect(losses.map((loss) => loss.path)).toEqual(['hosted-call', 'stop_reason', 'container'])
  })
})

describe('a stream as a JSON array', () => {
  it('is one list, opened with the start', () => {
    const texts = writeAll([START, ...block(0, { type: 'text', text: '' }, { text: 'a' }), ...END], 'json-array')
    expect(texts[0]).toBe('[{"modelVersion":"claude","responseId":"msg_1"}')
    expect(JSON.parse(texts.join(''))).toMatchObject([
      { modelVersion: 'claude' },
      { candidates: [{ content: { parts: [{ text: 'a' }] } }] },
      { candidates: [{ finishReason: 'STOP' }] },
    ])
  })

  it('is whole when it ends with an error, told by the writer or by the gateway', () => {
    const failed = writeAll(
      [START, { type: 'error', error: { kind: 'overloaded', message: 'busy' } }],
      'json-array',
    ).join('')
    expect(JSON.parse(failed)).toMatchObject([{}, { error: { code: 500, status: 'UNAVAILABLE', message: 'busy' } }])
    const writer = generateContent.writeStream({ id: 'r', model: 'm', request: request(), framing: 'json-array' }, [])
    const told =
      writer.push(START) + generateContent.writeStreamError(new HeadgateError('cut', 'gone'), 'r', 'json-array')
    expect(JSON.parse(told)).toMatchObject([{}, { error: { message: 'gone' } }])
  })

  it('is an empty list when there was nothing', () => {
    expect(writeAll([], 'json-array')).toEqual(['[]'])
  })
})

describe('errors in a stream', () => {
  it('case 246: are a frame of their own', () => {
    const error = new HeadgateError('cut', 'The upstream ended.')
    expect(generateContent.writeStreamError(error, 'req_1')).toMatch(
      /^data: \{"error":\{"code":500,"message":"The upstream ended\.","status":"INTERNAL".*\}\}\r\n\r\n$/,
    )
  })
})

describe('the keep-alive frame', () => {
  it('is an event of its own that holds a comment', () => {
    expect(generateContent.ping).toMatch(/^:[^\n]*\r\n\r\n$/)
    expect(readFrames(generateContent.ping)).toEqual([])
  })
})

describe('laws', () => {
  const signature = { signer: 'gemini', value: 'c2ln' }
  const response: ChatResponse = {
    id: 'resp-1',
    model: 'gemini-3.5-flash',
    created: 1_793_491_210,
    usage: { input: 120, output: 12, cacheRead: 40, reasoning: 7, audioInput: 3 },
    choices: [
      {
        blocks: [
          { type: 'reasoning', text: 'hm', signature },
          {
            type: 'text',
            text: 'Grüße aus Rom.',
            citations: [{ url: 'https://a.com', title: 'A', start: 6, end: 13 }],
          },
          { type: 'media', kind: 'image', mime: 'image/png', source: { type: 'base64', data: 'aGk=' }, signature },
          { type: 'tool-call', id: 't1', name: 'f', arguments: '{"a":[1,"x"]}', signature },
          { type: 'tool-call', id: 't2', name: 'g', arguments: '{}' },
        ],
        finish: { reason: 'tool-calls', raw: 'STOP' },
        logprobs: [{ token: 'a', logprob: -1, bytes: [97], top: [{ token: 'b', logprob: -2, bytes: [98] }] }],
      },
      { blocks: [{ type: 'text', text: 'Zwei' }], finish: { reason: 'content-filter', raw: 'SAFETY', detail: 'why' } },
    ],
  }
  /** Without paths and side-channels, which only the reader adds. */
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, inner: unknown) => (key === 'at' || key === 'extensions' ? undefined : inner)),
    )

  it('an answer that is written and read is the same', () => {
    const losses: Loss[] = []
    const body = generateContent.writeResponse(response, { id: 'r', model: 'm', request: request() }, losses)
    expect(plain(generateContent.readResponse(body))).toEqual(plain(response))
    expect(losses).toEqual([])
  })

  it.each(['sse', 'json-array'] as const)(
    'a stream (%s) that is written and read is the same as the whole answer',
    (framing) => {
      const text = writeAll(partsOf(response), framing).join('')
      const frames =
        framing === 'sse'
          ? readFrames(text)
          : (JSON.parse(text) as Json[]).map((data) => ({ data: JSON.stringify(data) }))
      const reader = generateContent.readStream()
      const parts = [...frames.flatMap((frame) => reader.push(frame)), ...reader.end()]
      const placed = plain(response) as ChatResponse
      const [first] = placed.choices
      expect(plain(assemble(parts))).toEqual({
        ...placed,
        choices: [{ ...first, blocks: withoutCitations(first?.blocks ?? []) }, placed.choices[1]],
      })
    },
  )

  /** A stream names sources once its text is closed, so they are in the side-channel of its end. */
  function withoutCitations(blocks: Block[]): unknown[] {
    return blocks.map((item) => (item.type === 'text' ? { type: 'text', text: item.text } : item))
  }
})
