import type { Json } from '@headgate/core/provider'
import { compact, isObject, number, object, objects, text } from '../../../json.ts'
import type { ExpectedPart, RequestMeaning } from '../meaning.ts'

/** Reads a generateContent request according to Google's reference. */
export function readRequest(body: Json): RequestMeaning {
  const config = object(body['generationConfig'])
  const thinking = object(config['thinkingConfig'])
  const schema = config['responseJsonSchema'] ?? config['responseSchema']
  const system = objects(object(body['systemInstruction'])['parts'])
  return compact<RequestMeaning>({
    said: [
      ...system.map((part): ExpectedPart => ({ role: 'system', text: text(part['text']) })),
      ...readContents(objects(body['contents'])),
    ],
    tools: objects(body['tools'])
      .flatMap((tool) => objects(tool['functionDeclarations']))
      .map(({ name, description, parameters, parametersJsonSchema = parameters }) =>
        compact({
          name: text(name),
          description: description === undefined ? undefined : text(description),
          schema: parametersJsonSchema === undefined ? undefined : object(parametersJsonSchema),
        }),
      ),
    maxTokens: number(config['maxOutputTokens']),
    temperature: number(config['temperature']),
    topP: number(config['topP']),
    stop: Array.isArray(config['stopSequences']) ? config['stopSequences'].map(text) : undefined,
    schema: isObject(schema) ? schema : undefined,
    reasoning: Object.keys(thinking).length > 0 && thinking['thinkingBudget'] !== 0 ? true : undefined,
  })
}

/** The vendor's guides write a single part without a list around it. */
function readContents(contents: readonly Json[]): ExpectedPart[] {
  const calls: { name: string; id: unknown; answered: boolean }[] = []
  return contents.flatMap(({ role, parts }) =>
    (isObject(parts) ? [parts] : objects(parts)).map((part) =>
      readPart(role === 'model' ? 'assistant' : 'user', part, calls),
    ),
  )
}

/** The vendor's value for a call without a signature. */
const UNSIGNED = 'skip_thought_signature_validator'

/** @see https://ai.google.dev/gemini-api/docs/thought-signatures */
function signatureOf(part: Json): string | undefined {
  const signature = text(part['thoughtSignature'])
  return signature === '' || signature === UNSIGNED ? undefined : signature
}

/** Reads a part. A result names its call by id; without an id it answers the oldest call with its name. */
function readPart(
  role: 'user' | 'assistant',
  part: Json,
  calls: { name: string; id: unknown; answered: boolean }[],
): ExpectedPart {
  const signature = signatureOf(part)
  if (isObject(part['inlineData'])) {
    return { role: 'user', media: text(part['inlineData']['mimeType']), base64: text(part['inlineData']['data']) }
  }
  if (isObject(part['functionCall'])) {
    const { name, args = {}, id } = part['functionCall']
    calls.push({ name: text(name), id, answered: false })
    return { role: 'assistant', call: compact({ name: text(name), arguments: args, signature }) }
  }
  if (isObject(part['functionResponse'])) {
    const { name, id, response } = part['functionResponse']
    const of = calls.findIndex((call) => (id === undefined ? call.name === name && !call.answered : call.id === id))
    const call = calls[of]
    if (call) call.answered = true
    const said = object(response)
    return { role: 'user', result: typeof said['output'] === 'string' ? said['output'] : JSON.stringify(said), of }
  }
  if (part['thought'] === true) return compact({ role: 'assistant', reasoning: text(part['text']), signature })
  return { role, text: text(part['text']) }
}
