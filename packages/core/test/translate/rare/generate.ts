import type { Json } from '../../../src/translate.ts'
import { png, schema, type Table } from './table.ts'

const turns = (...parts: Json[]): Json => ({ contents: [{ role: 'user', parts }] })
const config = (generationConfig: Json): Json => ({ generationConfig })
const declared = { functionDeclarations: [{ name: 'look', description: 'rare look', parameters: schema }] }
const called = (response: Json, call: Json = {}): Json => ({
  contents: [
    { role: 'user', parts: [{ text: 'Go' }] },
    { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'look', args: { town: 'Oslo' } }, ...call }] },
    {
      role: 'user',
      parts: [{ functionResponse: { id: 'c1', name: 'look', response: { output: 'rare result' }, ...response } }],
    },
  ],
})

export const GENERATE: Table = {
  base: { contents: [{ role: 'user', parts: [{ text: 'rare words' }] }] },
  fields: [
    { cachedContent: 'cachedContents/rare' },
    { store: true, serviceTier: 'flex' },
    { serviceTier: 'rare tier' },
    { labels: { run: 'rare run' } },
    { systemInstruction: { role: 'system', parts: [{ text: 'rare rule' }] } },
    { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE', method: 'SEVERITY' }] },
    { tools: [declared], toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } },
    {
      tools: [declared],
      toolConfig: {
        functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'], streamFunctionCallArguments: true },
      },
    },
    {
      toolConfig: {
        retrievalConfig: { languageCode: 'nb', latLng: { latitude: 59.9, longitude: 10.7 } },
        includeServerSideToolInvocations: true,
      },
    },
    {
      tools: [
        {
          googleSearch: {
            timeRangeFilter: { startTime: '2026-01-01T00:00:00Z', endTime: '2026-02-01T00:00:00Z' },
            searchTypes: { webSearch: {} },
          },
        },
      ],
    },
    {
      tools: [{ googleSearchRetrieval: { dynamicRetrievalConfig: { mode: 'MODE_DYNAMIC', dynamicThreshold: 0.37 } } }],
    },
    { tools: [{ codeExecution: {} }] },
    { tools: [{ urlContext: {} }] },
    { tools: [{ googleMaps: { enableWidget: true } }] },
    { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/rare'], topK: 9 } }] },
    { tools: [{ computerUse: { environment: 'ENVIRONMENT_BROWSER', excludedPredefinedFunctions: ['rare'] } }] },
    { tools: [{ mcpServers: [{ name: 'rare', streamableHttpTransport: { url: 'https://example.com/mcp' } }] }] },
    {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'look',
              description: 'rare look',
              behavior: 'NON_BLOCKING',
              parametersJsonSchema: schema,
              responseJsonSchema: { type: 'string', description: 'rare answer' },
            },
          ],
        },
      ],
    },
    {
      tools: [
        {
          functionDeclarations: [
            { name: 'look', parameters: schema, response: { type: 'STRING', description: 'rare answer' } },
          ],
        },
      ],
    },
    config({ frequencyPenalty: 0.25, presencePenalty: -0.75, topK: 44, topP: 0.77, temperature: 0.3, seed: 4242 }),
    config({
      speechConfig: { languageCode: 'nb-NO', voiceConfig: { prebuiltVoiceConfig: { voiceName: 'rare errorWriter' } } },
    }),
    config({ responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '16:9', imageSize: '2K' } }),
    config({ imageConfig: { aspectRatio: '16:9' } }),
    config({ mediaResolution: 'MEDIA_RESOLUTION_LOW' }),
    config({ candidateCount: 1, maxOutputTokens: 77, stopSequences: ['one', 'two', 'three', 'four', 'five'] }),
    config({ responseLogprobs: true, logprobs: 3 }),
    config({ responseLogprobs: false }),
    config({
      responseMimeType: 'application/json',
      responseSchema: {
        type: 'OBJECT',
        properties: { town: { type: 'STRING', description: 'rare town' } },
        propertyOrdering: ['town'],
      },
    }),
    config({ responseMimeType: 'application/json', responseJsonSchema: schema }),
    config({ responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['rare one', 'rare two'] } }),
    config({ thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } }),
    config({ thinkingConfig: { thinkingBudget: 0 } }),
    config({ thinkingConfig: { thinkingBudget: -1, includeThoughts: true } }),
    config({
      enableAffectiveDialog: true,
      enableEnhancedCivicAnswers: true,
      audioTranscriptionConfig: {},
      translationConfig: { targetLanguageCode: 'nb' },
    }),
    config({ responseFormat: { text: { mimeType: 'APPLICATION_JSON' } } }),
    turns({ text: 'rare words', partMetadata: { rare: 'metadata' } }),
    turns({
      inlineData: { mimeType: 'image/png', data: png, displayName: 'rare.png' },
      mediaResolution: { level: 'MEDIA_RESOLUTION_HIGH' },
    }),
    turns({
      fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/rare', mimeType: 'application/pdf' },
    }),
    turns({
      inlineData: { mimeType: 'video/mp4', data: 'AAAA' },
      videoMetadata: { fps: 3, startOffset: '11s', endOffset: '22s' },
    }),
    turns({ inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }, { text: 'What?' }),
    turns({ text: 'rare words', mediaProcessing: { rare: 'processing' } }),
    called({ scheduling: 'WHEN_IDLE', willContinue: true }),
    called({ response: { error: 'rare error' } }),
    called({ response: { output: 'rare result', more: { depth: 77 } } }),
    called({ parts: [{ inlineData: { mimeType: 'image/png', data: png, displayName: 'rare.png' } }] }),
    called({}, { thoughtSignature: 'cmFyZQ==' }),
    called({}, { partMetadata: { rare: 'metadata' } }),
    {
      contents: [
        { role: 'user', parts: [{ text: 'Go' }] },
        {
          role: 'model',
          parts: [
            { executableCode: { language: 'PYTHON', code: 'rare()' } },
            { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'rare output' } },
          ],
        },
        { role: 'user', parts: [{ text: 'Go' }] },
      ],
    },
    {
      contents: [
        { role: 'user', parts: [{ text: 'Go' }] },
        {
          role: 'model',
          parts: [{ text: 'rare thought', thought: true, thoughtSignature: 'cmFyZQ==' }, { text: 'So' }],
        },
        { role: 'user', parts: [{ text: 'Go' }] },
      ],
    },
  ],
}
