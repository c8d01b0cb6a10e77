import {
  type Attachment,
  type ChatTurn,
  isImage,
  type PlaygroundRequest,
  type ReasoningEffort,
  type ToolDefinition,
} from '../chat/conversation.ts'
import type { JsonObject } from './completions-body.ts'

/** Default of `max_tokens`, which the format requires. */
const DEFAULT_LIMIT = 4_096
/** Reasoning tokens of each effort. `max_tokens` must be larger. */
const THOUGHT = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384 } as const

/** Body of a request in the messages format, which has no seed. */
export function messagesBody({
  model,
  system,
  turns,
  tools,
  schema,
  parameters,
  streams,
}: PlaygroundRequest): JsonObject {
  const { maxTokens = DEFAULT_LIMIT, temperature, topP, stop, effort, toolChoice } = parameters
  const thought = effort === undefined || effort === 'none' ? undefined : THOUGHT[effort]
  return {
    model,
    max_tokens: thought === undefined ? maxTokens : Math.max(maxTokens, thought + 1_024),
    system: system || undefined,
    messages: turns.map(messageOf),
    tools: tools.length > 0 ? tools.map(toolOf) : undefined,
    tool_choice: tools.length > 0 && toolChoice !== undefined ? choiceOf(toolChoice) : undefined,
    output_config: schema && { format: { type: 'json_schema', schema } },
    temperature,
    top_p: topP,
    stop_sequences: stop,
    thinking: thinkingOf(effort, thought),
    stream: streams || undefined,
  }
}

function thinkingOf(effort: ReasoningEffort | undefined, thought: number | undefined): JsonObject | undefined {
  if (thought !== undefined) return { type: 'enabled', budget_tokens: thought }
  return effort === 'none' ? { type: 'disabled' } : undefined
}

function toolOf({ name, description, parameters }: ToolDefinition): JsonObject {
  return { name, description, input_schema: parameters }
}

function choiceOf(choice: string): JsonObject {
  if (choice.startsWith('tool:')) return { type: 'tool', name: choice.slice(5) }
  return { type: choice === 'required' ? 'any' : choice }
}

function messageOf(turn: ChatTurn): JsonObject {
  if (turn.role === 'results')
    return {
      role: 'user',
      content: turn.results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text })),
    }
  if (turn.role === 'user') {
    const { text, files } = turn
    return {
      role: 'user',
      content: files.length === 0 ? text : [...files.map(blockOf), ...(text === '' ? [] : [{ type: 'text', text }])],
    }
  }
  const { text, thoughts, calls } = turn
  if (calls.length === 0 && thoughts.length === 0) return { role: 'assistant', content: text }
  return {
    role: 'assistant',
    content: [
      ...thoughts,
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, arguments: given }) => ({ type: 'tool_use', id, name, input: inputOf(given) })),
    ],
  }
}

function blockOf(file: Attachment): JsonObject {
  return {
    type: isImage(file) ? 'image' : 'document',
    source: { type: 'base64', media_type: file.type, data: file.data },
  }
}

/** Parsed arguments of a tool call; `{}` if they are not valid JSON. */
export function inputOf(given: string): unknown {
  try {
    return JSON.parse(given === '' ? '{}' : given)
  } catch {
    return {}
  }
}
