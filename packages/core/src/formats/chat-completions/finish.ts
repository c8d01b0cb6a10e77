import { endOf, type SeenBlocks } from '../../canonical/finish.ts'
import type { Finish, FinishReason } from '../../canonical/response.ts'

/** Finish reasons. The last four are used by servers that imitate the vendor. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['tool_use', 'tool-calls'],
  ['safety', 'content-filter'],
])

/**
 * Reads a finish reason; unknown values become `stop`. It corrects servers that send `stop` after tool calls or
 * `tool_calls` without calls. A refusal is always `content-filter`.
 */
export function readFinish(raw: string | undefined, seen: SeenBlocks): Finish {
  const reason = REASONS.get(raw?.toLowerCase() ?? '') ?? 'stop'
  const finish: Finish = { reason: reason === 'stop' || reason === 'tool-calls' ? endOf(seen) : reason }
  if (raw !== undefined) finish.raw = raw
  return finish
}

const WORDS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  pause: 'stop',
}

/**
 * Finish reason of a response. The vendor itself ends a refusal with `stop`.
 * @param asFunctionCall true if the caller sent `functions`.
 */
export function writeFinish(finish: Finish, asFunctionCall: boolean): string {
  if (finish.reason === 'content-filter' && finish.raw === 'stop') return 'stop'
  return asFunctionCall && finish.reason === 'tool-calls' ? 'function_call' : WORDS[finish.reason]
}
