import {
  type AssistantTurn,
  type Attachment,
  type ChatTurn,
  dataUrl,
  isImage,
  type PlaygroundRequest,
  SCHEMA_NAME,
} from '../chat/conversation.ts'

export type JsonObject = Record<string, unknown>

/** Body of a request in the chat completions format. */
export function completionsBody({
  model,
  system,
  turns,
  tools,
  schema,
  parameters,
  streams,
}: PlaygroundRequest): JsonObject {
  const { maxTokens, temperature, topP, seed, stop, effort, toolChoice } = parameters
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...turns.flatMap(messagesOf)],
    tools: tools.length > 0 ? tools.map((tool) => ({ type: 'function', function: tool })) : undefined,
    tool_choice: tools.length > 0 && toolChoice !== undefined ? choiceOf(toolChoice) : undefined,
    response_format: schema && { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema, strict: true } },
    max_tokens: maxTokens,
    temperature,
    top_p: topP,
    seed,
    stop,
    reasoning_effort: effort,
    stream: streams || undefined,
    stream_options: streams ? { include_usage: true } : undefined,
  }
}

function choiceOf(choice: string): unknown {
  return choice.startsWith('tool:') ? { type: 'function', function: { name: choice.slice(5) } } : choice
}

function messagesOf(turn: ChatTurn): readonly JsonObject[] {
  if (turn.role === 'results')
    return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
  if (turn.role === 'assistant') return [assistantMessage(turn)]
  const { text, files } = turn
  if (files.length === 0) return [{ role: 'user', content: text }]
  return [{ role: 'user', content: [...files.map(partOf), ...(text === '' ? [] : [{ type: 'text', text }])] }]
}

function partOf(file: Attachment): JsonObject {
  return isImage(file)
    ? { type: 'image_url', image_url: { url: dataUrl(file) } }
    : { type: 'file', file: { filename: file.name, file_data: dataUrl(file) } }
}

function assistantMessage({ text, reasoning, thoughts, calls }: AssistantTurn): JsonObject {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    reasoning_content: reasoning || undefined,
    thinking_blocks: thoughts.length > 0 ? thoughts : undefined,
    tool_calls: calls.length > 0 ? calls.map(callOf) : undefined,
  }
}

function callOf({ id, name, arguments: given, extra }: AssistantTurn['calls'][number]): JsonObject {
  return { id, type: 'function', function: { name, arguments: given }, extra_content: extra }
}
