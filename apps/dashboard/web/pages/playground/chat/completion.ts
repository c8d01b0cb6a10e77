import { isRecord, listOf, messageOf, parsed, textOf } from '../wire/call.ts'
import type { AssistantTurn, ToolCall } from './conversation.ts'

/** Maximum number of tool calls that are read from a response. */
export const MAX_CALLS = 128

/** Response of a model, possibly incomplete. */
export interface ChatReply extends AssistantTurn {
  readonly finish: string | undefined
  /** Error after the response had started. */
  readonly error: string | undefined
  /** Token counts, if the response has them. */
  readonly usage: { readonly input: number; readonly output: number } | undefined
}

export const NO_RESPONSE: ChatReply = {
  role: 'assistant',
  text: '',
  reasoning: '',
  thoughts: [],
  items: [],
  calls: [],
  finish: undefined,
  error: undefined,
  usage: undefined,
}

/** Adds an event of a chat completions stream to a response. Unknown events are ignored. */
export function withEvent(answer: ChatReply, data: string): ChatReply {
  const event = parsed(data)
  if (!isRecord(event)) return answer
  const error = messageOf(event)
  if (error !== undefined) return { ...answer, error }
  const choice = listOf(event['choices'])[0]
  const next = isRecord(choice) && isRecord(choice['delta']) ? withDelta(answer, choice['delta']) : answer
  return closed(next, event, choice)
}

/** Parses a chat completions response that is not streamed. */
export function readCompletion(text: string): ChatReply {
  const body = parsed(text)
  const choice = isRecord(body) ? listOf(body['choices'])[0] : undefined
  if (!isRecord(body) || !isRecord(choice) || !isRecord(choice['message']))
    return { ...NO_RESPONSE, error: 'The response is not a chat completion.' }
  return closed(withDelta(NO_RESPONSE, choice['message']), body, choice)
}

function closed(answer: ChatReply, body: Readonly<Record<string, unknown>>, choice: unknown): ChatReply {
  const finish = isRecord(choice) ? textOf(choice['finish_reason']) : ''
  const { usage } = body
  return {
    ...answer,
    finish: finish || answer.finish,
    usage: isRecord(usage)
      ? { input: numberOf(usage['prompt_tokens']), output: numberOf(usage['completion_tokens']) }
      : answer.usage,
  }
}

function withDelta(answer: ChatReply, delta: Readonly<Record<string, unknown>>): ChatReply {
  const thoughts = listOf(delta['thinking_blocks'])
  const calls = listOf(delta['tool_calls'])
  return {
    ...answer,
    text: answer.text + textOf(delta['content']) + textOf(delta['refusal']),
    reasoning: answer.reasoning + (textOf(delta['reasoning_content']) || textOf(delta['reasoning'])),
    thoughts: thoughts.length > 0 ? [...answer.thoughts, ...thoughts] : answer.thoughts,
    calls: calls.length > 0 ? calls.reduce<readonly ToolCall[]>(withCall, answer.calls) : answer.calls,
  }
}

/** Adds a part of a tool call. The first part has the ID and name, later ones continue the arguments. */
function withCall(calls: readonly ToolCall[], piece: unknown): readonly ToolCall[] {
  if (!isRecord(piece)) return calls
  const at = typeof piece['index'] === 'number' ? piece['index'] : calls.length
  if (!Number.isInteger(at) || at < 0 || at >= MAX_CALLS || at > calls.length) return calls
  const fields = isRecord(piece['function']) ? piece['function'] : {}
  const before = calls[at] ?? { id: '', name: '', arguments: '' }
  const call: ToolCall = {
    id: before.id || textOf(piece['id']),
    name: before.name + textOf(fields['name']),
    arguments: before.arguments + textOf(fields['arguments']),
    extra: piece['extra_content'] ?? before.extra,
  }
  return at < calls.length ? calls.with(at, call) : [...calls, call]
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
