import { isObject, type Json, object, objects } from '@headgate/core/provider'

/**
 * A request whose documents, audio and refusals have Mistral's forms, and whose functions all have parameters.
 *
 * @see https://docs.mistral.ai/api/endpoint/chat
 */
export function ownForms(body: Json): Json {
  const { messages, tools } = body
  return {
    ...body,
    ...(Array.isArray(messages) && { messages: messages.map((message) => (isObject(message) ? ownMessage(message) : message)) }),
    ...(Array.isArray(tools) && { tools: objects(tools).map(withParameters) }),
  }
}

function ownMessage(message: Json): Json {
  const { refusal, ...rest } = message
  const { content } = rest
  if (typeof refusal === 'string' && !content) return { ...rest, content: refusal }
  return Array.isArray(content) ? { ...rest, content: objects(content).map(ownPart) } : message
}

function ownPart(part: Json): Json {
  const { file_data: data, file_id: id, filename: name } = object(part['file']) ?? {}
  if (id !== undefined) return { type: 'file', file_id: id }
  if (data !== undefined) return { type: 'document_url', document_url: data, ...(name !== undefined && { document_name: name }) }
  const audio = object(part['input_audio'])?.['data']
  if (audio !== undefined) return { type: 'input_audio', input_audio: audio }
  return part['type'] === 'refusal' ? { type: 'text', text: part['refusal'] } : part
}

function withParameters(tool: Json): Json {
  const definition = object(tool['function'])
  return !definition || definition['parameters'] ? tool : { ...tool, function: { ...definition, parameters: { type: 'object' } } }
}
