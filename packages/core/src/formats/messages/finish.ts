import { endOf, type SeenBlocks } from '../../canonical/finish.ts'
import { compact, type Json, object, text } from '../../canonical/json.ts'
import type { Finish, FinishReason } from '../../canonical/response.ts'

/** Finish reasons of the vendor. Unknown values mean `stop`. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop-sequence'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'content-filter'],
  ['pause_turn', 'pause'],
])

const WORDS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  pause: 'pause_turn',
}

/**
 * Finish of a response. Servers that imitate the vendor use the same reason for responses with calls.
 * @param end has `stop_reason`, `stop_sequence` and `stop_details`: a message, or the delta of a stream
 * @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
export function readFinish(end: Json, calls: boolean): Finish {
  const raw = text(end['stop_reason']) || undefined
  const reason = REASONS.get(raw ?? '') ?? 'stop'
  return compact<Finish>({
    reason: reason === 'stop' ? endOf({ calls, refusal: false }) : reason,
    raw,
    sequence: text(end['stop_sequence']),
    detail: text(object(end['stop_details'])?.['explanation']),
  })
}

/** Fields of a message, or of a stream's last delta, for a finish. */
export function writeFinish(finish: Finish, seen: SeenBlocks): Json {
  const reason = finish.reason === 'stop' ? endOf(seen) : finish.reason
  const own = finish.raw !== undefined && REASONS.get(finish.raw) === reason
  return {
    stop_reason: own ? finish.raw : WORDS[reason],
    stop_sequence: finish.sequence ?? null,
    ...(reason === 'content-filter' && {
      stop_details: { type: 'refusal', category: null, explanation: finish.detail ?? null },
    }),
  }
}
