import {
  type AssistantTurn,
  type Attachment,
  type ChatRequest,
  dataUrl,
  isImage,
  SCHEMA_NAME,
  type Turn,
} from '../chat/conversation.ts'

export type Json = Record<string, unknown>

/** The request in the chat completions format. */
export function completionsBody({ model, system, turns, tools, schema, parameters, streams }: ChatRequest): Json {
  const { maxTokens, temperature, topP, seed, stop, effort, toolChoice } = parameters
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...turns.flatMap(messagesOf)],
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })) }),
    ...(tools.length > 0 && toolChoice !== undefined && { tool_choice: choiceOf(toolChoice) }),
    ...(schema && {
      response_format: { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema, strict: true } },
    }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(seed !== undefined && { seed }),
    ...(stop && { stop: [...stop] }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(streams && { stream: true, stream_options: { include_usage: true } }),
  }
}

function choiceOf(choice: string): unknown {
  return choice.startsWith('tool:') ? { type: 'function', function: { name: choice.slice(5) } } : choice
}

function messagesOf(turn: Turn): readonly Json[] {
  if (turn.role === 'results')
    return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
  if (turn.role === 'assistant') return [assistantMessage(turn)]
  const { text, files } = turn
  if (files.length === 0) return [{ role: 'user', content: text }]
  return [{ role: 'user', content: [...files.map(partOf), ...(text === '' ? [] : [{ type: 'text', text }])] }]
}

function partOf(file: Attachment): Json {
  return isImage(file)
    ? { type: 'image_url', image_url: { url: dataUrl(file) } }
    : { type: 'file', file: { filename: file.name, file_data: dataUrl(file) } }
}

function assistantMessage({ text, reasoning, thoughts, calls }: AssistantTurn): Json {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(thoughts.length > 0 && { thinking_blocks: [...thoughts] }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: given, extra }) => ({
        id,
        type: 'function',
        function: { name, arguments: given },
        ...(extra !== undefined && { extra_content: extra }),
      })),
    }),
  }
}
