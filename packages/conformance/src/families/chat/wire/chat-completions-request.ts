import type { Json } from '@headgate/core/provider'
import { compact, number, object, objects, parse, text } from '../../../json.ts'
import type { ExpectedPart, RequestMeaning } from '../meaning.ts'

/** Reads a chat completions request according to OpenAI's reference. */
export function readRequest(body: Json): RequestMeaning {
  const format = object(body['response_format'])
  const stop = body['stop']
  const tools = objects(body['tools']).map((tool) => object(tool['function']))
  return compact<RequestMeaning>({
    said: readMessages(objects(body['messages'])),
    tools: tools.map(({ name, description, parameters }) =>
      compact({
        name: text(name),
        description: description === undefined ? undefined : text(description),
        schema: parameters === undefined ? undefined : object(parameters),
      }),
    ),
    maxTokens: number(body['max_completion_tokens']) ?? number(body['max_tokens']),
    temperature: number(body['temperature']),
    topP: number(body['top_p']),
    stop: typeof stop === 'string' ? [stop] : Array.isArray(stop) ? stop.map(text) : undefined,
    schema: format['type'] === 'json_schema' ? object(object(format['json_schema'])['schema']) : undefined,
    reasoning: typeof body['reasoning_effort'] === 'string' && body['reasoning_effort'] !== 'none' ? true : undefined,
  })
}

function readMessages(messages: readonly Json[]): ExpectedPart[] {
  const calls = messages.flatMap((message) => objects(message['tool_calls']).map((call) => text(call['id'])))
  return messages.flatMap((message): ExpectedPart[] => {
    switch (message['role']) {
      case 'system':
      case 'developer':
        return texts(message['content']).map((one) => ({ role: 'system', text: one }))
      case 'assistant':
        return readAssistant(message)
      case 'tool':
        return [
          {
            role: 'user',
            result: texts(message['content']).join('\n'),
            of: calls.lastIndexOf(text(message['tool_call_id'])),
          },
        ]
      default:
        return readUser(message['content'])
    }
  })
}

function texts(content: unknown): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content]
  return objects(content).map((part) => text(part['text']))
}

function readUser(content: unknown): ExpectedPart[] {
  if (typeof content === 'string') return [{ role: 'user', text: content }]
  return objects(content).map((part): ExpectedPart => {
    if (part['type'] === 'image_url') return readDataUrl(text(object(part['image_url'])['url']))
    // Mistral's form of a document.
    if (part['type'] === 'document_url') return readDataUrl(text(part['document_url']))
    if (part['type'] === 'file') return readDataUrl(text(object(part['file'])['file_data']))
    return { role: 'user', text: text(part['text']) }
  })
}

function readDataUrl(url: string): ExpectedPart {
  const [, media = 'no data URL', base64 = url] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []
  return { role: 'user', media, base64 }
}

/** Signed reasoning is in `thinking_blocks`, as on servers with models of several vendors. */
function readAssistant(message: Json): ExpectedPart[] {
  const thoughts = objects(message['thinking_blocks']).map(
    (block): ExpectedPart =>
      compact({
        role: 'assistant',
        reasoning: text(block['thinking']),
        signature: text(block['signature']) || undefined,
      }),
  )
  const plain = text(message['reasoning_content'])
  const reasoning: ExpectedPart[] =
    thoughts.length > 0 ? thoughts : plain === '' ? [] : [{ role: 'assistant', reasoning: plain }]
  return [
    ...reasoning,
    ...texts(message['content']).map((one): ExpectedPart => ({ role: 'assistant', text: one })),
    ...objects(message['tool_calls']).map((call): ExpectedPart => {
      const called = object(call['function'])
      return { role: 'assistant', call: { name: text(called['name']), arguments: parse(text(called['arguments'])) } }
    }),
  ]
}
