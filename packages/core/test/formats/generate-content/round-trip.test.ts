import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../src/canonical/json.ts'
import type { ChatRequest } from '../../../src/canonical/request.ts'
import { generateContent } from '../../../src/formats/generate-content/index.ts'
import { assistant, call, contents, errorOf, GEMINI, read, request, result, system, user } from './values.ts'

/** A request with something of everything, as the vendor documents it. */
const RICH: Json = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'Look:' },
        {
          inlineData: { mimeType: 'image/png', data: 'aGk=', displayName: 'a.png' },
          mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' },
        },
        { fileData: { fileUri: 'https://www.youtube.com/watch?v=1' }, videoMetadata: { fps: 2 } },
        { fileData: { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' }, partMetadata: { page: 1 } },
      ],
    },
    {
      role: 'model',
      parts: [
        { text: 'hm', thought: true, thoughtSignature: 'czE=' },
        { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: 'czI=' },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        { text: 'So:', thoughtSignature: 'czM=' },
        { functionCall: { id: 'a', name: 'f', args: { x: [1, 'y'] } }, thoughtSignature: 'czQ=' },
        { functionCall: { id: 'b', name: 'g', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'a', name: 'f', response: { output: 'done' }, scheduling: 'SILENT' } },
        {
          functionResponse: {
            id: 'b',
            name: 'g',
            response: { error: 'boom' },
            parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }],
          },
        },
        { text: 'Go on.' },
      ],
    },
  ],
  tools: [
    {
      functionDeclarations: [
        {
          name: 'f',
          description: 'F',
          parametersJsonSchema: { type: 'object', properties: { x: { type: 'array', items: {} } } },
          behavior: 'BLOCKING',
        },
        { name: 'g' },
      ],
    },
    { googleSearch: { excludeDomains: ['a.com'], searchTypes: { webSearch: {} } } },
    { googleMaps: { enableWidget: true } },
  ],
  toolConfig: {
    functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] },
    includeServerSideToolInvocations: true,
    retrievalConfig: { languageCode: 'de' },
  },
  generationConfig: {
    temperature: 0.5,
    topP: 0.9,
    topK: 3,
    candidateCount: 2,
    maxOutputTokens: 100,
    stopSequences: ['x'],
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    responseLogprobs: true,
    logprobs: 2,
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'object', properties: { a: { type: 'string' } } },
    thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
    speechConfig: { languageCode: 'de' },
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
  cachedContent: 'cachedContents/1',
  labels: { team: 'a' },
  serviceTier: 'flex',
  futureField: { snake_case: 1 },
}

const written = (body: Json): Json => {
  const losses: never[] = []
  const out = generateContent.writeRequest(read(body), GEMINI, losses).body
  expect(losses).toEqual([])
  return out
}

describe('a request that is read and written', () => {
  it('is the same', () => {
    expect(written(RICH)).toEqual(RICH)
  })

  it('is not changed on the way', () => {
    const before = JSON.stringify(RICH)
    written(RICH)
    expect(JSON.stringify(RICH)).toBe(before)
  })

  it('can not reach the prototype of anything', () => {
    const body = JSON.parse(
      '{"contents":[{"parts":[{"text":"a","__proto__":{"x":1}}]}],"__proto__.polluted":1,"constructor.prototype.polluted":1}',
    ) as Json
    generateContent.writeRequest(read(body), GEMINI, [])
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('a request that is written and read', () => {
  it('is the same', () => {
    const signature = { signer: 'gemini', value: 'c2ln' }
    const given: Partial<ChatRequest> = {
      messages: [
        system('Be brief.'),
        user('hi', {
          type: 'media',
          kind: 'image',
          mime: 'image/png',
          detail: 'high',
          source: { type: 'base64', data: 'aGk=' },
        }),
        assistant({ type: 'reasoning', text: 'hm' }, 'a', call('a', 'f', '{"x":1}', { signature }), call('b', 'f')),
        user(result('a', '{"t":1}', { name: 'f' }), result('b', 'boom', { name: 'f', error: true }), 'and?'),
      ],
      tools: [
        {
          type: 'function',
          name: 'f',
          description: 'F',
          schema: { type: 'object', properties: { x: { type: 'integer' } } },
        },
      ],
      toolChoice: { type: 'required' },
      maxTokens: 5,
      temperature: 1.5,
      topP: 0.5,
      topK: 2,
      stop: ['x'],
      seed: 3,
      n: 2,
      logprobs: { top: 2 },
      output: { type: 'schema', schema: { type: 'object', properties: { a: { type: 'string' } } } },
      reasoning: { effort: 'low', show: true },
      serviceTier: 'priority',
    }
    const losses: never[] = []
    const { body } = generateContent.writeRequest(request(given), GEMINI, losses)
    expect(losses).toEqual([])
    const back = JSON.parse(
      JSON.stringify(read(body), (key, value: unknown) => (key === 'at' ? undefined : value)),
    ) as Json
    expect(back).toMatchObject(given)
  })
})

describe('hostile input', () => {
  it('arguments and results that are nested too deep are text or declared, and do not break the body', () => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const out = contents([assistant(call('a', 'f', deep)), user(result('a', deep))])
    expect(out).toMatchObject([
      { parts: [{ functionCall: { args: {} } }] },
      { parts: [{ functionResponse: { response: { output: deep } } }] },
    ])
    const args: Json = {}
    let inner = args
    for (let level = 0; level < 50_000; level++) {
      const next: Json = {}
      inner['a'] = next
      inner = next
    }
    expect(
      errorOf(() => read({ contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args } }] }] })).kind,
    ).toBe('invalid-request')
  })
})

describe('the schema of the request', () => {
  it('is one that a document can be made of, and takes a rich request', () => {
    expect(generateContent.requestSchema.safeParse(RICH).success).toBe(true)
    expect(generateContent.requestSchema.safeParse({ contents: 'hi' }).success).toBe(false)
    expect(z.toJSONSchema(generateContent.requestSchema)).toMatchObject({
      type: 'object',
      properties: { contents: { type: 'array' } },
    })
  })
})
