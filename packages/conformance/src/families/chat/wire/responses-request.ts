import type { Json } from '@headgate/core/provider'
import { compact, number, object, objects, parse, text } from '../../../json.ts'
import type { ExpectedPart, RequestMeaning } from '../meaning.ts'

/** Reads a responses request according to OpenAI's reference. */
export function readRequest(body: Json): RequestMeaning {
  const format = object(object(body['text'])['format'])
  const effort = text(object(body['reasoning'])['effort'])
  const instructions = text(body['instructions'])
  return compact<RequestMeaning>({
    said: [
      ...(instructions === '' ? [] : [{ role: 'system', text: instructions } as const]),
      ...readItems(itemsOf(body['input'])),
    ],
    tools: objects(body['tools']).map(({ name, description, parameters }) =>
      compact({
        name: text(name),
        description: description === undefined ? undefined : text(description),
        schema: parameters === undefined ? undefined : object(parameters),
      }),
    ),
    maxTokens: number(body['max_output_tokens']),
    temperature: number(body['temperature']),
    topP: number(body['top_p']),
    schema: format['type'] === 'json_schema' ? object(format['schema']) : undefined,
    reasoning: effort !== '' && effort !== 'none' ? true : undefined,
  })
}

/** Input items. A string is one user message. */
export function itemsOf(input: unknown): Json[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objects(input)
}

function readItems(items: readonly Json[]): ExpectedPart[] {
  const calls = items.filter(({ type }) => type === 'function_call').map(({ call_id }) => call_id)
  return items.flatMap((item): ExpectedPart[] => {
    switch (item['type']) {
      case 'function_call':
        return [{ role: 'assistant', call: { name: text(item['name']), arguments: parse(text(item['arguments'])) } }]
      case 'function_call_output':
        return [{ role: 'user', result: texts(item['output']).join('\n'), of: calls.lastIndexOf(item['call_id']) }]
      case 'reasoning': {
        const summary = objects(item['summary']).map((part) => text(part['text']))
        return [
          compact({
            role: 'assistant',
            reasoning: summary.join(''),
            signature: text(item['encrypted_content']) || undefined,
          }),
        ]
      }
      default:
        return readMessage(item)
    }
  })
}

function texts(content: unknown): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content]
  return objects(content).map((part) => text(part['text']))
}

function readMessage({ role, content }: Json): ExpectedPart[] {
  const who = role === 'assistant' ? role : role === 'system' || role === 'developer' ? 'system' : 'user'
  if (typeof content === 'string') return [{ role: who, text: content }]
  return objects(content).map((part): ExpectedPart => {
    if (part['type'] === 'input_image') return readDataUrl(text(part['image_url']))
    if (part['type'] === 'input_file') return readDataUrl(text(part['file_data']))
    return { role: who, text: text(part['text']) }
  })
}

function readDataUrl(url: string): ExpectedPart {
  const [, media = 'no data URL', base64 = url] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []
  return { role: 'user', media, base64 }
}
