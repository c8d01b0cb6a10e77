import { isRecord, listOf, messageOf, parsed, textOf } from '../wire/call.ts'
import type { AssistantTurn, ToolCall } from './conversation.ts'

/** Most calls of tools that one answer is read for. */
export const MOST_CALLS = 128

/** What has come of an answer so far. */
export interface Answer extends AssistantTurn {
  readonly finish: string | undefined
  /** What went wrong after it had begun. */
  readonly error: string | undefined
  /** Tokens of the answer, where it says so. */
  readonly usage: { readonly input: number; readonly output: number } | undefined
}

export const NO_ANSWER: Answer = {
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

/** An answer with one more event of a stream of chat completions; what is not understood changes nothing. */
export function withEvent(answer: Answer, data: string): Answer {
  const event = parsed(data)
  if (!isRecord(event)) return answer
  const error = messageOf(event)
  if (error !== undefined) return { ...answer, error }
  const choice = listOf(event['choices'])[0]
  const next = isRecord(choice) && isRecord(choice['delta']) ? withDelta(answer, choice['delta']) : answer
  return closed(next, event, choice)
}

/** A whole answer. */
export function wholeAnswer(text: string): Answer {
  const body = parsed(text)
  const choice = isRecord(body) ? listOf(body['choices'])[0] : undefined
  if (!isRecord(body) || !isRecord(choice) || !isRecord(choice['message']))
    return { ...NO_ANSWER, error: 'This is no answer of a chat.' }
  return closed(withDelta(NO_ANSWER, choice['message']), body, choice)
}

function closed(answer: Answer, body: Readonly<Record<string, unknown>>, choice: unknown): Answer {
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

function withDelta(answer: Answer, delta: Readonly<Record<string, unknown>>): Answer {
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

/** Calls by their index: the first piece of one has its id and name, the others go on with its arguments. */
function withCall(calls: readonly ToolCall[], piece: unknown): readonly ToolCall[] {
  if (!isRecord(piece)) return calls
  const at = typeof piece['index'] === 'number' ? piece['index'] : calls.length
  if (!Number.isInteger(at) || at < 0 || at >= MOST_CALLS || at > calls.length) return calls
  const given = isRecord(piece['function']) ? piece['function'] : {}
  const before = calls[at] ?? { id: '', name: '', arguments: '' }
  const call: ToolCall = {
    id: before.id || textOf(piece['id']),
    name: before.name + textOf(given['name']),
    arguments: before.arguments + textOf(given['arguments']),
    extra: piece['extra_content'] ?? before.extra,
  }
  return at < calls.length ? calls.with(at, call) : [...calls, call]
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
