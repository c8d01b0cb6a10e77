import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import type { Loss } from '../../../src/canonical/loss.ts'
import { writeExtensions } from '../../../src/canonical/vendor-extensions.ts'
import { errorOf, read } from './values.ts'

const HELLO: Json = { role: 'user', parts: [{ text: 'hi' }] }

describe('reading the configuration', () => {
  it('reads numbers that are written as strings, and enums that are written as numbers', () => {
    const request = read({
      contents: [HELLO],
      generationConfig: { maxOutputTokens: '100', topK: '4', temperature: 0.5 },
      tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 6 } }] }],
    })
    expect(request).toMatchObject({
      maxTokens: 100,
      topK: 4,
      temperature: 0.5,
      tools: [{ schema: { type: 'object' } }],
    })
  })

  it('reads every field that other formats share', () => {
    const request = read({
      contents: [HELLO],
      generationConfig: {
        temperature: 1,
        topP: 0.9,
        topK: 3,
        candidateCount: 2,
        maxOutputTokens: 9,
        stopSequences: ['a'],
        seed: 1,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        responseLogprobs: true,
        logprobs: 5,
      },
      labels: { team: 'a' },
      serviceTier: 'flex',
    })
    expect(request).toMatchObject({
      temperature: 1,
      topP: 0.9,
      topK: 3,
      n: 2,
      maxTokens: 9,
      stop: ['a'],
      seed: 1,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      logprobs: { top: 5 },
      metadata: { team: 'a' },
      serviceTier: 'flex',
    })
    expect(request.paths).toMatchObject({
      maxTokens: 'generationConfig.maxOutputTokens',
      n: 'generationConfig.candidateCount',
      metadata: 'labels',
    })
  })

  it.each([
    [{ thinkingBudget: 0 }, { effort: 'none' }],
    [{ thinkingBudget: -1 }, { budget: -1 }],
    [
      { thinkingBudget: 512, includeThoughts: true },
      { budget: 512, show: true },
    ],
    [{ thinkingLevel: 'low' }, { effort: 'low' }],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }, {}],
  ])('reads the thinking config %j', (thinkingConfig, reasoning) => {
    expect(read({ contents: [HELLO], generationConfig: { thinkingConfig } }).reasoning).toEqual(reasoning)
  })

  it.each([
    [{ responseMimeType: 'application/json' }, { type: 'json' }],
    [
      { responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } },
      { type: 'schema', schema: { type: 'object' } },
    ],
    [
      { responseMimeType: 'application/json', responseSchema: { type: 'STRING', nullable: true } },
      { type: 'schema', schema: { type: ['string', 'null'] } },
    ],
    [
      { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a'] } },
      { type: 'schema', schema: { type: 'string', enum: ['a'] } },
    ],
  ])('reads the output format %j', (generationConfig, output) => {
    expect(read({ contents: [HELLO], generationConfig }).output).toEqual(output)
  })

  it.each([
    [{ mode: 'AUTO' }, { type: 'auto' }],
    [{ mode: 'none' }, { type: 'none' }],
    [{ mode: 'ANY' }, { type: 'required' }],
    [
      { mode: 'ANY', allowedFunctionNames: ['a'] },
      { type: 'tool', name: 'a' },
    ],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['a'] },
      { type: 'allowed', names: ['a'], required: false },
    ],
  ])('reads the function calling config %j', (functionCallingConfig, choice) => {
    expect(read({ contents: [HELLO], toolConfig: { functionCallingConfig } }).toolChoice).toEqual(choice)
  })

  it.each([
    [
      'a function',
      { contents: [HELLO], tools: [{ functionDeclarations: [{ name: ' ' }] }] },
      'tools[0].functionDeclarations[0].name',
    ],
    [
      'a call',
      { contents: [{ role: 'model', parts: [{ functionCall: { name: ' ' } }] }] },
      'contents[0].parts[0].functionCall.name',
    ],
  ])('refuses a blank name of %s', (_, body, param) => {
    expect(errorOf(() => read(body))).toMatchObject({ kind: 'invalid-request', param })
  })

  it('reads functions as strict where they are to be validated', () => {
    const tools = [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }, { googleSearch: {} }]
    const toolConfig = { functionCallingConfig: { mode: 'validated' } }
    const strict = { type: 'function', strict: true, strictAt: 'toolConfig.functionCallingConfig.mode' }
    const request = read({ contents: [HELLO], tools, toolConfig })
    expect(request.tools).toMatchObject([{ ...strict, name: 'a' }, { ...strict, name: 'b' }, { type: 'hosted' }])
    expect(request.extensions?.fields).toEqual({})
  })

  it('case 64: several allowed functions, one of which must be called', () => {
    const functionCallingConfig = { mode: 'ANY', allowedFunctionNames: ['a', 'b'] }
    expect(read({ contents: [HELLO], toolConfig: { functionCallingConfig } }).toolChoice).toEqual({
      type: 'allowed',
      names: ['a', 'b'],
      required: true,
    })
  })

  it('reads tools that Google runs under the words that formats share', () => {
    const tools = [
      { googleSearch: { excludeDomains: ['a.com'], searchTypes: {} } },
      { codeExecution: {} },
      { url_context: {} },
      { googleMaps: { enableWidget: true } },
    ]
    expect(read({ contents: [HELLO], tools }).tools).toMatchObject([
      {
        type: 'hosted',
        at: 'tools[0]',
        name: 'web-search',
        blockedDomains: ['a.com'],
        extensions: { fields: { 'googleSearch.searchTypes': {} } },
      },
      { type: 'hosted', name: 'code-execution' },
      { type: 'hosted', name: 'url-context' },
      { type: 'hosted', name: 'googleMaps', extensions: { fields: { googleMaps: { enableWidget: true } } } },
    ])
  })

  it('case 140: fields that Headgate does not know are kept', () => {
    const request = read({
      contents: [HELLO],
      safetySettings: { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' },
      futureField: 1,
      generationConfig: { speechConfig: { languageCode: 'de' } },
      toolConfig: { retrievalConfig: { languageCode: 'de' } },
    })
    expect(request.extensions?.fields).toEqual({
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
      futureField: 1,
      'generationConfig.speechConfig': { languageCode: 'de' },
      'toolConfig.retrievalConfig': { languageCode: 'de' },
    })
  })

  it.each([
    [{ cachedContent: 'cachedContents/1' }, 'cachedContent'],
    [{ generationConfig: { responseModalities: ['TEXT', 'AUDIO'] } }, 'generationConfig.responseModalities'],
  ])('refuses to drop what decides the answer: %j', (fields, path) => {
    const request = read({ contents: [HELLO], ...fields })
    const losses: Loss[] = []
    expect(errorOf(() => writeExtensions(request, 'messages', {}, losses)).param).toBe(path)
  })

  it('says nothing of the modality that every model has', () => {
    expect(read({ contents: [HELLO], generationConfig: { responseModalities: ['TEXT'] } }).extensions?.fields).toEqual(
      {},
    )
  })
})

describe('requests that are refused name the field', () => {
  const deep = (): Json => {
    let schema: Json = { type: 'STRING' }
    for (let level = 0; level < 5000; level++) schema = { type: 'ARRAY', items: schema }
    return schema
  }
  const turn = (part: unknown, role = 'user'): Json => ({ contents: [{ role, parts: [part] }] })
  it.each<[string, Json, string]>([
    ['no contents', {}, 'contents'],
    ['empty contents', { contents: [] }, 'contents'],
    ['contents that are text', { contents: 'hi' }, 'contents'],
    ['a turn that is text', { contents: ['hi'] }, 'contents[0]'],
    ['an unknown role', { contents: [{ role: 'assistant', parts: [] }] }, 'contents[0].role'],
    ['text that is a number', turn({ text: 5 }), 'contents[0].parts[0].text'],
    ['an empty part', turn({}), 'contents[0].parts[0]'],
    ['a part of an unknown kind', turn({ hologram: {} }), 'contents[0].parts[0]'],
    ['a part of two kinds', turn({ text: 'a', functionCall: { name: 'f' } }, 'model'), 'contents[0].parts[0]'],
    ['a call without a name', turn({ functionCall: {} }, 'model'), 'contents[0].parts[0].functionCall.name'],
    [
      'a call with a list of arguments',
      turn({ functionCall: { name: 'f', args: [] } }, 'model'),
      'contents[0].parts[0].functionCall.args',
    ],
    ['a call of the user', turn({ functionCall: { name: 'f' } }), 'contents[0].parts[0]'],
    ['a result of the model', turn({ functionResponse: { name: 'f' } }, 'model'), 'contents[0].parts[0]'],
    [
      'data that is not base64',
      turn({ inlineData: { mimeType: 'image/png', data: '!' } }),
      'contents[0].parts[0].inlineData.data',
    ],
    ['a file without an address', turn({ fileData: {} }), 'contents[0].parts[0].fileData.fileUri'],
    [
      'a system prompt of media',
      { contents: [HELLO], systemInstruction: { parts: [{ inlineData: { data: 'aGk=' } }] } },
      'systemInstruction.parts[0]',
    ],
    [
      'a temperature of words',
      { contents: [HELLO], generationConfig: { temperature: 'warm' } },
      'generationConfig.temperature',
    ],
    [
      'an unknown level',
      { contents: [HELLO], generationConfig: { thinkingConfig: { thinkingLevel: 'BEST' } } },
      'generationConfig.thinkingConfig.thinkingLevel',
    ],
    [
      'an unknown mode',
      { contents: [HELLO], toolConfig: { functionCallingConfig: { mode: 'MAYBE' } } },
      'toolConfig.functionCallingConfig.mode',
    ],
    [
      'a function without a name',
      { contents: [HELLO], tools: [{ functionDeclarations: [{}] }] },
      'tools[0].functionDeclarations[0].name',
    ],
    [
      'two schemas of one function',
      {
        contents: [HELLO],
        tools: [{ functionDeclarations: [{ name: 'f', parameters: {}, parametersJsonSchema: {} }] }],
      },
      'tools[0].functionDeclarations[0].parametersJsonSchema',
    ],
  ])('%s', (_, body, param) => {
    expect(errorOf(() => read(body))).toMatchObject({ kind: 'invalid-request', param })
  })

  it('schemas that are nested too deep', () => {
    const body = { contents: [HELLO], tools: [{ functionDeclarations: [{ name: 'f', parameters: deep() }] }] }
    expect(errorOf(() => read(body)).message).toContain('levels deep')
  })
})
