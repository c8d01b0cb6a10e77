import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import type { ChatResponse, Choice } from '../../../src/canonical/response.ts'
import { generateContent } from '../../../src/formats/generate-content/index.ts'
import { errorOf, request } from './values.ts'

const REPLY = { id: 'req_1', model: 'gemini-3.5-flash', request: request() }
const FUNCTION: Json = { functionCall: { name: 'f', args: { a: 1 } } }
/** An answer as the vendor documents it. */
function answer(parts: Json[] | undefined, candidate: Json = {}, more: Json = {}): Json {
  return {
    candidates: [{ content: { role: 'model', ...(parts && { parts }) }, finishReason: 'STOP', index: 0, ...candidate }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'gemini-3.5-flash',
    responseId: 'resp-1',
    ...more,
  }
}
const readAnswer = (body: Json): ChatResponse => generateContent.readResponse(body)
const first = (body: Json): Choice => readAnswer(body).choices[0] ?? { blocks: [], finish: { reason: 'stop' } }
function writeAnswer(response: ChatResponse): { body: Json; lost: string[] } {
  const losses: Loss[] = []
  const body = generateContent.writeResponse(response, REPLY, losses)
  return { body, lost: losses.map((loss) => loss.path) }
}

describe('reading an answer', () => {
  it('reads who answered, and when', () => {
    const response = readAnswer(answer([{ text: 'hi' }], {}, { createTime: '2026-11-01T00:00:10.5Z' }))
    expect(response).toMatchObject({ id: 'resp-1', model: 'gemini-3.5-flash', created: 1_793_491_210 })
    expect(response.choices[0]).toMatchObject({
      at: 'candidates[0]',
      blocks: [{ type: 'text', text: 'hi', at: 'candidates[0].content.parts[0]' }],
    })
  })

  it('case 205: STOP after a function call means that tools are called', () => {
    expect(first(answer([{ text: 'a' }, FUNCTION])).finish).toEqual({ reason: 'tool-calls', raw: 'STOP' })
  })

  it('case 206: MAX_TOKENS after a function call means that the limit was met', () => {
    expect(first(answer([FUNCTION], { finishReason: 'MAX_TOKENS' })).finish.reason).toBe('length')
  })

  it('case 207: a blocked prompt is an answer without content', () => {
    const body = {
      promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'no' },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    }
    const response = readAnswer(body)
    expect(response).toMatchObject({
      choices: [{ blocks: [], finish: { reason: 'content-filter', raw: 'SAFETY', detail: 'no' } }],
      usage: { input: 4, output: 0 },
    })
    expect(writeAnswer(response).body).toMatchObject(body)
    expect(writeAnswer(response).body).not.toHaveProperty('candidates')
  })

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MISSING_THOUGHT_SIGNATURE'])(
    'case 210: %s without content is a failure',
    (finishReason) => {
      expect(errorOf(() => readAnswer(answer(undefined, { finishReason, finishMessage: 'bad call' })))).toMatchObject({
        kind: 'upstream',
        message: 'bad call',
      })
      expect(first(answer([{ text: 'a' }], { finishReason })).finish).toMatchObject({
        reason: 'stop',
        raw: finishReason,
      })
    },
  )

  it('case 214: calls without ids get ids of their own, which two answers do not share', () => {
    const ids = (id: string): unknown[] =>
      first(answer([FUNCTION, FUNCTION], {}, { responseId: id })).blocks.map((block) => 'id' in block && block.id)
    expect(new Set([...ids('r1'), ...ids('r2')]).size).toBe(4)
    expect(ids('r1')).toEqual(ids('r1'))
    expect(new Set([...ids(''), ...ids('')]).size).toBe(4)
    for (const id of ids('a/very+long=id'.repeat(9))) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/)
  })

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['RECITATION', 'content-filter'],
    ['IMAGE_SAFETY', 'content-filter'],
    ['LANGUAGE', 'content-filter'],
    ['OTHER', 'stop'],
    ['SOMETHING_NEW', 'stop'],
    [1, 'stop'],
    [2, 'length'],
    [undefined, 'stop'],
  ])('case 204: the reason %s is %s', (finishReason, reason) => {
    expect(first(answer([{ text: 'a' }], { finishReason })).finish.reason).toBe(reason)
  })

  it('case 222: citations count in UTF-16, though the vendor counts bytes', () => {
    const text = 'é𝄞 Rome is old. So is Ur.'
    const bytes = (index: number): number => new TextEncoder().encode(text.slice(0, index)).length
    const [start, end] = [text.indexOf('Rome'), text.indexOf(' So')]
    const groundingMetadata = {
      webSearchQueries: ['rome', 'ur'],
      groundingChunks: [{ web: { uri: 'https://a.com', title: 'A' } }, { web: { uri: 'https://b.com' } }],
      groundingSupports: [
        {
          segment: { startIndex: bytes(start), endIndex: bytes(end), text: text.slice(start, end) },
          groundingChunkIndices: [0, 1],
        },
      ],
    }
    const response = readAnswer(answer([{ text: 'hm', thought: true }, { text }], { groundingMetadata }))
    const [, block] = response.choices[0]?.blocks ?? []
    expect(block).toMatchObject({
      citations: [
        { url: 'https://a.com', title: 'A', start, end },
        { url: 'https://b.com', start, end },
      ],
    })
    expect(response.usage?.units?.['searches']).toBe(2)
    expect(writeAnswer(response).body).toMatchObject({ candidates: [{ groundingMetadata }] })
  })

  it('finds the part that a citation points into', () => {
    const support = (segment: Json): Json => ({ segment, groundingChunkIndices: [0] })
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.com' } }],
      groundingSupports: [
        support({ partIndex: 1, startIndex: 0, endIndex: 3, text: 'two' }),
        support({ startIndex: 5, endIndex: 9, text: 'here' }),
        support({ text: 'nowhere' }),
      ],
    }
    const blocks = first(answer([{ text: 'one, ' }, { text: 'two here' }], { groundingMetadata })).blocks
    expect(blocks).toMatchObject([
      { text: 'one, ' },
      { citations: [{ start: 0, end: 3 }, { start: 4, end: 8 }, { url: 'https://a.com' }] },
    ])
  })

  it('case 228, 229: counts that are missing are 0, and missing usage is none', () => {
    expect(readAnswer(answer([], {}, { usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 } })).usage).toEqual({
      input: 7,
      output: 0,
    })
    for (const usageMetadata of [{}, { trafficType: 'ON_DEMAND' }, undefined])
      expect(readAnswer(answer([], {}, { usageMetadata }))).not.toHaveProperty('usage')
  })

  it('adds up usage: tool prompts count as input, thoughts as output', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      toolUsePromptTokenCount: 20,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
      totalTokenCount: 132,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 60 },
        { modality: 'AUDIO', tokenCount: 40 },
      ],
    }
    expect(readAnswer(answer([], {}, { usageMetadata })).usage).toEqual({
      input: 120,
      output: 12,
      cacheRead: 40,
      reasoning: 7,
      audioInput: 40,
    })
  })

  it('does not count thoughts twice where the candidates include them', () => {
    const usageMetadata = {
      promptTokenCount: 10,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 20,
      totalTokenCount: 40,
    }
    expect(readAnswer(answer([], {}, { usageMetadata })).usage).toEqual({ input: 10, output: 30, reasoning: 20 })
  })

  it('case 174: images are media, with their signature', () => {
    const part = { inlineData: { mimeType: 'image/png', data: 'aGk=' }, thoughtSignature: 'c2ln' }
    expect(first(answer([part])).blocks).toMatchObject([
      { type: 'media', kind: 'image', source: { data: 'aGk=' }, signature: { signer: 'gemini', value: 'c2ln' } },
    ])
  })

  it('puts a signature that came late where it belongs', () => {
    const late = { text: '', thoughtSignature: 'c2ln' }
    expect(first(answer([{ text: 'a' }, late])).blocks).toMatchObject([{ text: 'a', signature: { value: 'c2ln' } }])
    expect(first(answer([{ text: 'hm', thought: true }, late, { text: 'a' }])).blocks).toMatchObject([
      { type: 'reasoning', signature: { value: 'c2ln' } },
      { text: 'a' },
    ])
    expect(first(answer([FUNCTION, late])).blocks).toMatchObject([
      { type: 'tool-call' },
      { type: 'text', text: '', signature: { value: 'c2ln' } },
    ])
  })

  it('names the signer that its origin says', () => {
    const response = generateContent.readResponse(answer([{ text: 'a', thoughtSignature: 'c2ln' }]), {
      signer: 'other',
    })
    expect(response.choices[0]?.blocks[0]).toMatchObject({ signature: { signer: 'other' } })
  })

  it('case 191: log probabilities, with bytes', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'é', logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: 'e', logProbability: -1 }] }],
    }
    expect(first(answer([{ text: 'é' }], { logprobsResult })).logprobs).toEqual([
      { token: 'é', logprob: -0.5, bytes: [195, 169], top: [{ token: 'e', logprob: -1, bytes: [101] }] },
    ])
  })

  it('puts candidates into the order of their numbers', () => {
    const body = {
      candidates: [{ index: 1, content: { parts: [{ text: 'b' }] } }, { content: { parts: [{ text: 'a' }] } }],
    }
    expect(
      readAnswer({ candidates: [body.candidates[1], body.candidates[0]] as Json[] }).choices.map(
        (choice) => choice.blocks,
      ),
    ).toMatchObject([[{ text: 'a' }], [{ text: 'b' }]])
  })

  it('tolerates empty parts, missing content and text in place of arguments', () => {
    expect(first(answer([{}, { text: '' }, { future: 1 }])).blocks).toEqual([])
    expect(first({ candidates: [{ finishReason: 'MAX_TOKENS' }] })).toMatchObject({
      blocks: [],
      finish: { reason: 'length' },
    })
    expect(first(answer([{ functionCall: { name: 'f', args: '{"a":1}' } }])).blocks).toMatchObject([
      { arguments: '{"a":1}' },
    ])
  })

  it('throws what an error in place of an answer says', () => {
    expect(errorOf(() => readAnswer({ error: { code: 503, status: 'UNAVAILABLE', message: 'busy' } }))).toMatchObject({
      kind: 'overloaded',
      message: 'busy',
    })
    expect(errorOf(() => readAnswer({})).kind).toBe('upstream')
  })

  it('keeps what other formats do not know', () => {
    const body = answer(
      [{ text: 'a', future: 1 }],
      { safetyRatings: [], avgLogprobs: -1, finishMessage: 'm' },
      { modelStatus: {} },
    )
    expect(writeAnswer(readAnswer(body)).body).toEqual(body)
  })
})
