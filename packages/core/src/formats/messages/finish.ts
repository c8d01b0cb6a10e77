import { isObject, type Json, text } from '../../chat/json.ts'
import type { Finish, FinishReason } from '../../chat/response.ts'

/** Words of the vendor; a word that is not known ends an answer like any other. */
const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
  pause_turn: 'pause',
}

function reasonOf(word: string): FinishReason | undefined {
  return Object.hasOwn(REASONS, word) ? REASONS[word] : undefined
}

const WORDS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  pause: 'pause_turn',
}

/** Whether a block of a kind occurred in the answer: imitators end answers with calls like any other. */
export interface Content {
  calls: boolean
  refusal: boolean
}

/**
 * The end of an answer.
 *
 * @param end has `stop_reason`, `stop_sequence` and `stop_details`: a message, or the delta of a stream
 * @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
export function readFinish(end: Json, calls: boolean): Finish {
  const raw = text(end['stop_reason']) || undefined
  const reason = (raw !== undefined && reasonOf(raw)) || 'stop'
  const finish: Finish = { reason: reason === 'stop' && calls ? 'tool-calls' : reason }
  if (raw !== undefined) finish.raw = raw
  const sequence = text(end['stop_sequence'])
  if (sequence !== undefined) finish.sequence = sequence
  const details = end['stop_details']
  const explanation = isObject(details) ? text(details['explanation']) : undefined
  if (explanation !== undefined) finish.detail = explanation
  return finish
}

/** The end of an answer as fields of a message or of a stream's last delta. */
export function writeFinish(finish: Finish, content: Content): Json {
  const reason =
    finish.reason === 'stop' && content.refusal
      ? 'content-filter'
      : finish.reason === 'stop' && content.calls
        ? 'tool-calls'
        : finish.reason
  const own = finish.raw !== undefined && reasonOf(finish.raw) === reason
  return {
    stop_reason: own ? finish.raw : WORDS[reason],
    stop_sequence: finish.sequence ?? null,
    stop_details: reason === 'content-filter' ? { type: 'refusal', category: null, explanation: finish.detail ?? null } : null,
  }
}
