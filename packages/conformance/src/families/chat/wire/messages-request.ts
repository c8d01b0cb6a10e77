import type { Json } from '@headgate/core/provider'
import { compact, number, object, objects, text } from '../../../json.ts'
import type { ExpectedPart, RequestMeaning } from '../meaning.ts'

/** Reads a messages request according to Anthropic's reference. */
export function readRequest(body: Json): RequestMeaning {
  const format = object(object(body['output_config'])['format'])
  const thinking = text(object(body['thinking'])['type'])
  return compact<RequestMeaning>({
    said: [
      ...texts(body['system']).map((one): ExpectedPart => ({ role: 'system', text: one })),
      ...readMessages(objects(body['messages'])),
    ],
    tools: objects(body['tools']).map(({ name, description, input_schema }) =>
      compact({
        name: text(name),
        description: description === undefined ? undefined : text(description),
        schema: input_schema === undefined ? undefined : object(input_schema),
      }),
    ),
    maxTokens: number(body['max_tokens']),
    temperature: number(body['temperature']),
    topP: number(body['top_p']),
    stop: Array.isArray(body['stop_sequences']) ? body['stop_sequences'].map(text) : undefined,
    schema: format['type'] === 'json_schema' ? object(format['schema']) : undefined,
    reasoning: thinking === 'enabled' || thinking === 'adaptive' ? true : undefined,
  })
}

function blocks(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content)
}

function texts(content: unknown): string[] {
  return blocks(content)
    .map((block) => text(block['text']))
    .filter((one) => one !== '')
}

function readMessages(messages: readonly Json[]): ExpectedPart[] {
  const calls = messages.flatMap(({ content }) =>
    blocks(content)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id }) => id),
  )
  return messages.flatMap(({ role, content }) =>
    blocks(content).map((block): ExpectedPart => {
      switch (block['type']) {
        case 'image':
        case 'document': {
          const source = object(block['source'])
          return { role: 'user', media: text(source['media_type']), base64: text(source['data']) }
        }
        case 'tool_use':
          return { role: 'assistant', call: { name: text(block['name']), arguments: block['input'] } }
        case 'tool_result':
          return {
            role: 'user',
            result: texts(block['content']).join('\n'),
            of: calls.lastIndexOf(block['tool_use_id']),
          }
        case 'thinking':
          return compact({
            role: 'assistant',
            reasoning: text(block['thinking']),
            signature: text(block['signature']) || undefined,
          })
        default:
          return { role: role === 'assistant' || role === 'system' ? role : 'user', text: text(block['text']) }
      }
    }),
  )
}
