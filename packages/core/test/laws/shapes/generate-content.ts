import type { Json } from '../../../src/canonical/json.ts'
import { dotted, keys, list, PNG, type Shape, sealed, snake, THOUGHTS } from './pieces.ts'

const gemini = (parts: readonly Json[], more: Json = {}): Json => ({ contents: [{ role: 'user', parts }], ...more })
const modelSaid = (parts: readonly Json[], after: readonly Json[] = [{ text: 'x' }]): Json => ({
  contents: [
    { role: 'user', parts: [{ text: 'x' }] },
    { role: 'model', parts },
    { role: 'user', parts: after },
  ],
})
const functionCall = (name: string, args: Json = {}): Json => ({ functionCall: { name, args } })
const response = (name: string, value: Json = { output: 'x' }): Json => ({
  functionResponse: { name, response: value },
})
const ordering = (n: number, part: number): Json => ({
  type: 'OBJECT',
  properties: keys(n, { type: 'STRING' }),
  propertyOrdering: list(n * part, (i) => `k${Math.floor(n) - 1 - i}`),
  required: list(n, (i) => `k${Math.floor(n) - 1 - i}`),
})

/** Requests in the generateContent format. */
export const GEMINI: Readonly<Record<string, Shape>> = {
  parts: (n) => gemini(list(n, () => ({ text: 'x' }))),
  'one content in place of a list': (n) => ({ contents: { parts: list(n, () => ({ text: 'x' })) } }),
  contents: (n) => ({ contents: list(n, (i) => ({ role: i % 2 ? 'model' : 'user', parts: [{ text: 'x' }] })) }),
  'parts of the system prompt': (n) =>
    gemini([{ text: 'x' }], { systemInstruction: { parts: list(n, () => ({ text: 'x' })) } }),
  'calls of one name': (n) =>
    modelSaid(
      list(n, () => functionCall('f')),
      list(n, () => response('f')),
    ),
  'results in another order': (n) =>
    modelSaid(
      list(n, (i) => functionCall(`f${i}`)),
      list(n, (i) => response(`f${Math.floor(n) - 1 - i}`)),
    ),
  'arguments and results': (n) => modelSaid([functionCall('f', keys(n))], [response('f', keys(n))]),
  'sealed signatures': (n) =>
    modelSaid(list(n, () => ({ text: 'x', thoughtSignature: Buffer.from(sealed('abc')).toString('base64') }))),
  'thoughts in signatures': (n) =>
    modelSaid(
      list(n, () => ({ ...functionCall('f'), thoughtSignature: Buffer.from(THOUGHTS).toString('base64') })),
      list(n, () => response('f')),
    ),
  thoughts: (n) =>
    modelSaid(list(n, (i) => ({ text: 'x', thought: true, ...(i % 2 && { thoughtSignature: 'abcd' }) }))),
  'programs and what they said': (n) =>
    modelSaid(
      list(n, (i) =>
        i % 2
          ? { codeExecutionResult: { outcome: 'OK', output: 'x' } }
          : { executableCode: { language: 'PYTHON', code: 'x' } },
      ),
    ),
  'images in the other spelling': (n) =>
    gemini(list(n, () => ({ inline_data: { mime_type: 'image/png', data: PNG } }))),
  'files by URL': (n) =>
    gemini(list(n, (i) => ({ fileData: { mimeType: 'image/png', fileUri: `https://x.test/${i}` } }))),
  'unknown fields': (n) => gemini([{ text: 'x' }], keys(n)),
  'unknown fields in the other spelling': (n) => gemini([{ text: 'x' }], keys(n, 1, snake)),
  'unknown fields of a part': (n) => gemini([{ text: 'x', ...keys(n) }]),
  'unknown settings with dots': (n) => gemini([{ text: 'x' }], { generationConfig: keys(n, 1, dotted) }),
  'long keys with underscores': (n) =>
    gemini([{ text: 'x' }], { ['a_'.repeat(8 * n)]: 1, ['_'.repeat(8 * n)]: 1, [`a${'_'.repeat(8 * n)}`]: 1 }),
  'safety settings': (n) =>
    gemini([{ text: 'x' }], { safetySettings: list(n, () => ({ category: 'A', threshold: 'B' })) }),
  labels: (n) => gemini([{ text: 'x' }], { labels: keys(n) }),
  functions: (n) =>
    gemini([{ text: 'x' }], {
      tools: [{ functionDeclarations: list(n, (i) => ({ name: `f${i}`, parameters: { type: 'OBJECT' } })) }],
    }),
  'functions that may be called': (n) =>
    gemini([{ text: 'x' }], {
      tools: [{ functionDeclarations: list(n, (i) => ({ name: `f${i}` })) }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: list(n, (i) => `f${i}`) } },
    }),
  'the order of properties': (n) =>
    gemini([{ text: 'x' }], { tools: [{ functionDeclarations: [{ name: 'f', parameters: ordering(n, 1) }] }] }),
  'the order of some properties': (n) =>
    gemini([{ text: 'x' }], {
      generationConfig: { responseMimeType: 'application/json', responseSchema: ordering(n, 0.5) },
    }),
  'stop sequences': (n) => gemini([{ text: 'x' }], { generationConfig: { stopSequences: list(n, (i) => `s${i}`) } }),
}
