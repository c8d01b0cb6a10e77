import { describe, expect, it } from 'vitest'
import { assemble } from '../../../src/canonical/assemble.ts'
import type { Json } from '../../../src/canonical/json.ts'
import type { Part } from '../../../src/canonical/part.ts'
import { generateContent } from '../../../src/formats/generate-content/index.ts'

const HEAD: Json = { modelVersion: 'gemini-3.5-flash', responseId: 'resp-1' }

/** A chunk as the vendor documents it. */
function chunk(parts: Json[] | undefined, candidate: Json = {}, more: Json = {}): Json {
  return {
    candidates: [{ ...(parts && { content: { role: 'model', parts } }), index: 0, ...candidate }],
    ...HEAD,
    ...more,
  }
}

const STOP = chunk(
  [{ text: '' }],
  { finishReason: 'STOP' },
  { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 } },
)

function readAll(...chunks: unknown[]): Part[] {
  const reader = generateContent.readStream()
  return [...chunks.flatMap((data) => reader.push({ data: JSON.stringify(data) })), ...reader.end()]
}

const typesOf = (parts: readonly Part[]): string[] => parts.map((part) => part.type)
const finishOf = (parts: readonly Part[]): unknown =>
  parts.filter((part) => part.type === 'finish').map((part) => part.finish.reason)
const blocksOf = (parts: readonly Part[]): unknown => assemble(parts).choices[0]?.blocks
const errorIn = (parts: readonly Part[]): unknown =>
  parts.filter((part) => part.type === 'error').map((part) => part.error)

describe('reading a stream', () => {
  it('opens, adds to and closes blocks', () => {
    const parts = readAll(
      chunk([{ text: 'hm', thought: true }]),
      chunk([{ text: 'He' }]),
      chunk([{ text: 'llo' }]),
      STOP,
    )
    expect(parts).toEqual([
      { type: 'start', id: 'resp-1', model: 'gemini-3.5-flash' },
      { type: 'block-start', index: 0, block: { type: 'reasoning', text: '' } },
      { type: 'block-delta', index: 0, delta: { text: 'hm' } },
      { type: 'block-end', index: 0 },
      { type: 'block-start', index: 1, block: { type: 'text', text: '' } },
      { type: 'block-delta', index: 1, delta: { text: 'He' } },
      { type: 'block-delta', index: 1, delta: { text: 'llo' } },
      { type: 'usage', usage: { input: 3, output: 4 } },
      { type: 'block-end', index: 1 },
      { type: 'finish', finish: { reason: 'stop', raw: 'STOP' } },
    ])
  })

  it('case 278: a call, and STOP with empty text in a later chunk', () => {
    const parts = readAll(chunk([{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' }]), STOP)
    expect(finishOf(parts)).toEqual(['tool-calls'])
    expect(blocksOf(parts)).toEqual([
      {
        type: 'tool-call',
        id: 'call_resp-1_0',
        name: 'f',
        arguments: '{"a":1}',
        signature: { signer: 'gemini', value: 'c2ln' },
      },
    ])
    expect(parts.find((part) => part.type === 'block-start')).toMatchObject({
      block: { arguments: '', signature: { value: 'c2ln' } },
    })
  })

  it('case 279: two chunks with a call each are two blocks with ids of their own', () => {
    const parts = readAll(chunk([{ functionCall: { name: 'f' } }]), chunk([{ functionCall: { name: 'f' } }]), STOP)
    expect(blocksOf(parts)).toMatchObject([{ id: 'call_resp-1_0', arguments: '{}' }, { id: 'call_resp-1_1' }])
    expect(parts.filter((part) => part.type === 'block-start').map((part) => part.index)).toEqual([0, 1])
  })

  it('case 280: text and a call in one chunk', () => {
    expect(blocksOf(readAll(chunk([{ text: 'a' }, { functionCall: { id: 'x', name: 'f' } }]), STOP))).toMatchObject([
      { text: 'a' },
      { id: 'x' },
    ])
  })

  it('case 266: a reason in every chunk ends nothing before the end', () => {
    const parts = readAll(
      chunk([{ text: 'a' }], { finishReason: 'STOP' }),
      chunk([{ text: 'b' }], { finishReason: 'STOP' }),
    )
    expect(blocksOf(parts)).toMatchObject([{ text: 'ab' }])
    expect(typesOf(parts).filter((type) => type === 'finish')).toHaveLength(1)
    expect(typesOf(parts).at(-1)).toBe('finish')
  })

  it('case 263: of several counts the last is right', () => {
    const usage = (n: number): Json => ({
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: n, totalTokenCount: 3 + n },
    })
    expect(
      assemble(
        readAll(chunk([{ text: 'a' }], {}, usage(1)), chunk([{ text: 'b' }], { finishReason: 'STOP' }, usage(2))),
      ).usage,
    ).toEqual({ input: 3, output: 2 })
    expect(typesOf(readAll(chunk([{ text: 'a' }], {}, { usageMetadata: { trafficType: 'ON_DEMAND' } })))).not.toContain(
      'usage',
    )
  })

  it('case 283: a chunk with usage alone', () => {
    const parts = readAll(chunk([{ text: 'a' }], { finishReason: 'STOP' }), {
      ...HEAD,
      usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 },
    })
    expect(assemble(parts)).toMatchObject({ choices: [{ finish: { reason: 'stop' } }], usage: { input: 1 } })
  })

  it('case 284: feedback on the prompt alone', () => {
    const parts = readAll({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
      ...HEAD,
    })
    expect(typesOf(parts)).toEqual(['start', 'usage', 'finish'])
    expect(assemble(parts)).toMatchObject({
      choices: [{ blocks: [], finish: { reason: 'content-filter', raw: 'PROHIBITED_CONTENT' } }],
      usage: { input: 9 },
    })
  })

  it.each([
    ['an object', { error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } }],
    ['a list', [{ error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } }]],
  ])('case 288: an error as %s ends the stream', (_, error) => {
    expect(readAll(error)).toEqual([{ type: 'error', error: { kind: 'rate-limited', message: 'slow down' } }])
    const parts = readAll(chunk([{ text: 'a' }]), error, chunk([{ text: 'b' }]))
    expect(typesOf(parts).at(-1)).toBe('error')
    expect(JSON.stringify(parts)).not.toContain('"b"')
  })

  it.each([
    ['in the middle of text', [chunk([{ text: 'a' }])]],
    ['before it began', []],
    [
      'with one of two answers open',
      [chunk([{ text: 'a' }], { finishReason: 'STOP' }), chunk([{ text: 'b' }], { index: 1 })],
    ],
  ])('case 290: a stream that ends %s was cut', (_, chunks) => {
    expect(errorIn(readAll(...chunks))).toMatchObject([{ kind: 'cut' }])
    expect(typesOf(readAll(...chunks))).not.toContain('finish')
  })

  it('case 210: a failed call without content is an error', () => {
    expect(
      errorIn(readAll(chunk(undefined, { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'bad' }))),
    ).toEqual([{ kind: 'upstream', message: 'bad' }])
    expect(finishOf(readAll(chunk([{ text: 'a' }], { finishReason: 'MALFORMED_FUNCTION_CALL' })))).toEqual(['stop'])
  })

  it('a frame that is not JSON is an error', () => {
    const reader = generateContent.readStream()
    expect(errorIn(reader.push({ data: '{"candidates":' }))).toMatchObject([{ kind: 'upstream' }])
    expect(reader.end()).toEqual([])
  })

  it('a chunk after the reason to end does not take it back', () => {
    expect(finishOf(readAll(chunk([{ text: 'a' }], { finishReason: 'MAX_TOKENS' }), chunk([])))).toEqual(['length'])
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, ...HEAD }
    expect(finishOf(readAll(blocked, { promptFeedback: { safetyRatings: [] }, ...HEAD }))).toEqual(['content-filter'])
  })

  it('several answers are several choices', () => {
    const parts = readAll(
      chunk([{ text: 'a' }]),
      chunk([{ text: 'b' }], { index: 1 }),
      chunk([], { finishReason: 'STOP' }),
      chunk([], { index: 1, finishReason: 'MAX_TOKENS' }),
    )
    expect(assemble(parts).choices).toMatchObject([
      { blocks: [{ text: 'a' }], finish: { reason: 'stop' } },
      { blocks: [{ text: 'b' }], finish: { reason: 'length' } },
    ])
  })

  it('images are media', () => {
    expect(blocksOf(readAll(chunk([{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }]), STOP))).toMatchObject([
      { type: 'media', kind: 'image' },
    ])
  })

  it('a signature that comes late belongs to the block before it', () => {
    const late = chunk([{ text: '', thoughtSignature: 'c2ln' }], { finishReason: 'STOP' })
    expect(blocksOf(readAll(chunk([{ text: 'a' }]), late))).toEqual([
      { type: 'text', text: 'a', signature: { signer: 'gemini', value: 'c2ln' } },
    ])
    expect(blocksOf(readAll(chunk([{ text: 'hm', thought: true }]), late))).toMatchObject([
      { type: 'reasoning', text: 'hm', signature: { value: 'c2ln' } },
    ])
    expect(blocksOf(readAll(chunk([{ functionCall: { name: 'f' } }]), late))).toMatchObject([
      { type: 'tool-call' },
      { type: 'text', text: '', signature: {} },
    ])
  })

  it('text after signed text is another block', () => {
    expect(
      blocksOf(readAll(chunk([{ text: 'a', thoughtSignature: 'c2ln' }]), chunk([{ text: 'b' }]), STOP)),
    ).toMatchObject([{ text: 'a' }, { text: 'b' }])
  })

  it('case 222: citations point into the text of the open block', () => {
    const groundingMetadata = {
      webSearchQueries: ['q'],
      groundingChunks: [{ web: { uri: 'https://a.com' } }],
      groundingSupports: [{ segment: { startIndex: 3, endIndex: 10, text: 'is Rome' }, groundingChunkIndices: [0] }],
    }
    const parts = readAll(
      chunk([{ text: 'é ' }]),
      chunk(
        [{ text: 'is Rome.' }],
        { finishReason: 'STOP', groundingMetadata },
        { usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 } },
      ),
    )
    expect(blocksOf(parts)).toEqual([
      { type: 'text', text: 'é is Rome.', citations: [{ url: 'https://a.com', start: 2, end: 9 }] },
    ])
    expect(assemble(parts)).toMatchObject({
      usage: { units: { searches: 1 } },
      choices: [{ extensions: { fields: { groundingMetadata } } }],
    })
  })

  it('log probabilities come with their tokens', () => {
    const logprobsResult = { chosenCandidates: [{ token: 'a', logProbability: -1 }] }
    expect(assemble(readAll(chunk([{ text: 'a' }], { logprobsResult }), STOP)).choices[0]?.logprobs).toEqual([
      { token: 'a', logprob: -1, bytes: [97] },
    ])
  })
})

describe('arguments in pieces', () => {
  const piece = (functionCall: Json): Json => chunk([{ functionCall }])
  const open = chunk([{ functionCall: { name: 'f', willContinue: true }, thoughtSignature: 'c2ln' }])
  const pieces = (...list: Json[]): Json => piece({ partialArgs: list, willContinue: true })

  it('are put together to one call', () => {
    const parts = readAll(
      open,
      pieces({ jsonPath: '$.list[0].name', stringValue: 'No', willContinue: true }),
      pieces({ jsonPath: '$.list[0].name', stringValue: 'odles' }),
      pieces({ jsonPath: '$.list[1].price', numberValue: 0.5 }, { jsonPath: "$['a b']", boolValue: false }),
      pieces({ jsonPath: '$.none', nullValue: 'NULL_VALUE' }),
      piece({ willContinue: true }),
      piece({}),
      STOP,
    )
    expect(blocksOf(parts)).toEqual([
      {
        type: 'tool-call',
        id: 'call_resp-1_0',
        name: 'f',
        arguments: '{"list":[{"name":"Noodles"},{"price":0.5}],"a b":false,"none":null}',
        signature: { signer: 'gemini', value: 'c2ln' },
      },
    ])
    expect(finishOf(parts)).toEqual(['tool-calls'])
  })

  it('end with the last piece, the next call or the stream', () => {
    const last = piece({ partialArgs: [{ jsonPath: '$.a', numberValue: 1 }] })
    expect(blocksOf(readAll(open, last, STOP))).toMatchObject([{ arguments: '{"a":1}' }])
    expect(blocksOf(readAll(open, open, piece({}), STOP))).toMatchObject([{ arguments: '{}' }, { arguments: '{}' }])
    expect(blocksOf(readAll(open, STOP))).toMatchObject([{ arguments: '{}' }])
  })

  it('can not reach beyond the arguments, nor fill the memory', () => {
    const parts = readAll(open, pieces({ jsonPath: '$.__proto__.polluted', stringValue: 'x' }), piece({}), STOP)
    expect(blocksOf(parts)).toMatchObject([{ arguments: '{"__proto__":{"polluted":"x"}}' }])
    expect({}).not.toHaveProperty('polluted')
    expect(() => readAll(open, pieces({ jsonPath: '$.a[999999999]', stringValue: 'x' }))).toThrow(/too large/)
  })

  it('a piece of no call is left out', () => {
    expect(blocksOf(readAll(piece({}), piece({ partialArgs: [{ jsonPath: '$.a', numberValue: 1 }] }), STOP))).toEqual(
      [],
    )
  })
})
