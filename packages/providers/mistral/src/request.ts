import { type Call, isObject, type Json, object, objects } from '@headgate/core/provider'

/**
 * Request with documents, audio and refusals in Mistral's shapes, parameters for all functions, and values in Mistral's
 * range.
 *
 * @see https://docs.mistral.ai/api/endpoint/chat
 */
export function ownForms(body: Json, call: Call): Json {
  const { messages, tools, temperature, prediction, response_format: format } = body
  const isHot = typeof temperature === 'number' && temperature > 1.5
  if (isHot) call.lose('temperature', 'the maximum is 1.5', 'changed')
  const isLoose = object(format)?.['type'] === 'json_schema' && !object(object(format)?.['json_schema'])?.['schema']
  if (isLoose) call.lose('response_format.json_schema', 'a name requires a schema')
  return {
    ...body,
    ...(isHot && { temperature: 1.5 }),
    ...(isLoose && { response_format: { type: 'json_object' } }),
    ...(Array.isArray(object(prediction)?.['content']) && { prediction: withText(object(prediction) ?? {}) }),
    ...(Array.isArray(messages) && {
      messages: messages.map((message) => (isObject(message) ? ownMessage(message) : message)),
    }),
    ...(Array.isArray(tools) && { tools: objects(tools).map(withParameters) }),
  }
}

function withText({ content, ...rest }: Json): Json {
  return {
    ...rest,
    content: objects(content)
      .map(({ text }) => text)
      .join(''),
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
  if (data !== undefined)
    return { type: 'document_url', document_url: data, ...(name !== undefined && { document_name: name }) }
  const audio = object(part['input_audio'])?.['data']
  if (audio !== undefined) return { type: 'input_audio', input_audio: audio }
  return part['type'] === 'refusal' ? { type: 'text', text: part['refusal'] } : part
}

function withParameters(tool: Json): Json {
  const definition = object(tool['function'])
  return !definition || definition['parameters']
    ? tool
    : { ...tool, function: { ...definition, parameters: { type: 'object' } } }
}
