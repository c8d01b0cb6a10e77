import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import { countedRequest, writeCount } from '../../../src/formats/generate-content/count.ts'
import { generateContent } from '../../../src/formats/generate-content/index.ts'
import { errorOf, GEMINI } from './values.ts'

const { normalize, relevantFrames, summarize, usageReader } = generateContent
const frame = (value: unknown): { data: string } => ({ data: JSON.stringify(value) })
const chunk = (part: Json, more: Json = {}, usage = 1): Json => ({
  candidates: [{ content: { parts: [part] }, ...more }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: usage, totalTokenCount: 1 + usage },
  modelVersion: 'gemini-3.5-flash',
  responseId: 'resp-1',
})

describe('amending a body for the vendor', () => {
  it('makes a list of one safety setting, in either spelling', () => {
    const setting = { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }
    expect(normalize({ safetySettings: setting }, GEMINI).edits).toEqual([
      { path: ['safetySettings'], value: [setting] },
    ])
    expect(normalize({ safety_settings: setting }, GEMINI).edits).toEqual([
      { path: ['safety_settings'], value: [setting] },
    ])
  })

  it('makes a list of one content', () => {
    const content = { role: 'user', parts: { text: 'Hello' } }
    expect(normalize({ contents: content }, GEMINI).edits).toEqual([{ path: ['contents'], value: [content] }])
  })

  it('changes nothing else', () => {
    expect(normalize({ contents: [], safetySettings: [{}], futureField: 1 }, GEMINI).edits).toEqual([])
  })
})

describe('a whole answer that passes as it is', () => {
  it('is tallied', () => {
    expect(summarize(chunk({ text: 'a' }, { finishReason: 'MAX_TOKENS' }))).toEqual({
      usage: { input: 1, output: 1 },
      finish: { reason: 'length', raw: 'MAX_TOKENS' },
      model: 'gemini-3.5-flash',
      id: 'resp-1',
    })
    expect(summarize(chunk({ functionCall: { name: 'f' } }, { finishReason: 'STOP' })).finish?.reason).toBe(
      'tool-calls',
    )
    expect(summarize({ promptFeedback: { blockReason: 'SAFETY' } }).finish?.reason).toBe('content-filter')
    expect(summarize({})).toEqual({})
  })
})

describe('a stream that passes as it is', () => {
  it('is watched for usage and its end', () => {
    const stream = usageReader()
    expect(stream.push(frame(chunk({ functionCall: { name: 'f' } })))).toBe('content')
    expect(stream.complete).toBe(false)
    expect(stream.push(frame(chunk({ text: '' }, { finishReason: 'STOP' }, 7)))).toBe('content')
    expect(stream.complete).toBe(true)
    expect(stream.summary).toEqual({
      usage: { input: 1, output: 7 },
      finish: { reason: 'tool-calls', raw: 'STOP' },
      model: 'gemini-3.5-flash',
      id: 'resp-1',
    })
    expect(stream.error).toBeUndefined()
  })

  it('that is cut has the usage of its last chunk', () => {
    const stream = usageReader()
    for (const usage of [1, 2, 3]) stream.push(frame(chunk({ text: 'a' }, {}, usage)))
    expect(stream.complete).toBe(false)
    expect(stream.summary).toMatchObject({ usage: { output: 3 }, model: 'gemini-3.5-flash' })
  })

  it('does not commit by nothing, and fails by an error', () => {
    const stream = usageReader()
    expect(stream.push({ data: '' })).toBe('idle')
    expect(stream.push(frame([{ error: { code: 503, status: 'UNAVAILABLE', message: 'busy' } }]))).toBe('error')
    expect(stream.error).toEqual({ kind: 'overloaded', message: 'busy' })
    expect(stream.complete).toBe(false)
  })

  it('is complete when the prompt was blocked', () => {
    const stream = usageReader()
    expect(stream.push(frame({ promptFeedback: { blockReason: 'SAFETY' } }))).toBe('content')
    expect(stream.complete).toBe(true)
  })

  it('is read where its bytes say something, and not where a text says the same words', () => {
    expect(relevantFrames.test(JSON.stringify(chunk({ text: 'a' })))).toBe(true)
    expect(relevantFrames.test('{"candidates": [{"finishReason": "STOP"}]}')).toBe(true)
    expect(relevantFrames.test('[{"error": {"code": 500}}]')).toBe(true)
    expect(
      relevantFrames.test(
        JSON.stringify({ candidates: [{ content: { parts: [{ text: 'the "error" and "usageMetadata"' }] } }] }),
      ),
    ).toBe(false)
  })
})

describe('counting tokens', () => {
  const inner = { contents: [{ parts: [{ text: 'a' }] }], systemInstruction: { parts: [{ text: 'b' }] } }

  it('asks about the request inside the body, or the body itself', () => {
    expect(countedRequest({ generateContentRequest: inner })).toBe(inner)
    expect(countedRequest({ generate_content_request: inner })).toBe(inner)
    expect(countedRequest(inner)).toBe(inner)
    expect(writeCount(8)).toEqual({ totalTokens: 8 })
  })

  it('refuses both, and what is no request', () => {
    expect(errorOf(() => countedRequest({ ...inner, generateContentRequest: inner })).param).toBe(
      'generateContentRequest',
    )
    expect(errorOf(() => countedRequest({ generateContentRequest: 'x' })).param).toBe('generateContentRequest')
  })
})
