import type { Finish, FinishReason } from '../../canonical/response.ts'

/** Finish reasons, and `failed` for reasons that are an error if the response has no content. */
type Reason = FinishReason | 'failed'

/**
 * Finish reasons of the vendor. Reasons that are not listed mean `stop`, since the vendor adds new ones.
 * @see https://ai.google.dev/api/generate-content#FinishReason
 */
const REASONS: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['STOP', 'stop'],
  ['OTHER', 'stop'],
  ['FINISH_REASON_UNSPECIFIED', 'stop'],
  ['NO_IMAGE', 'stop'],
  ['IMAGE_OTHER', 'stop'],
  ['ESCALATION', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['LANGUAGE', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['MODEL_ARMOR', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
  ['IMAGE_RECITATION', 'content-filter'],
  ['MALFORMED_FUNCTION_CALL', 'failed'],
  ['MALFORMED_RESPONSE', 'failed'],
  ['MISSING_THOUGHT_SIGNATURE', 'failed'],
  ['UNEXPECTED_TOOL_CALL', 'failed'],
  ['TOO_MANY_TOOL_CALLS', 'failed'],
])

/** Names by number, since some servers send enums as numbers. */
const NUMBERS = ['FINISH_REASON_UNSPECIFIED', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER'] as const

/** Name of a finish reason. Undefined while the response continues. */
export function reasonName(value: unknown): string | undefined {
  if (typeof value === 'number') return value === 0 ? undefined : (NUMBERS[value] ?? 'OTHER')
  return typeof value === 'string' && value !== '' && value !== 'FINISH_REASON_UNSPECIFIED' ? value : undefined
}

/** True if a response with this reason and without content is an upstream failure. */
export function isFailure(name: string): boolean {
  return REASONS.get(name) === 'failed'
}

/** Finish of a response. The vendor also sends STOP after function calls. */
export function readFinish(name: string, message: unknown, calls: boolean): Finish {
  const known = REASONS.get(name) ?? 'stop'
  const reason = known === 'failed' ? 'stop' : known
  const finish: Finish = { reason: name === 'STOP' && calls ? 'tool-calls' : reason, raw: name }
  if (typeof message === 'string' && (reason === 'content-filter' || known === 'failed')) finish.detail = message
  return finish
}

/** Finish of a response whose prompt was blocked. */
export function readBlocked(feedback: { blockReason?: unknown; blockReasonMessage?: unknown }): Finish | undefined {
  const { blockReason, blockReasonMessage } = feedback
  if (typeof blockReason !== 'string' || blockReason === 'BLOCK_REASON_UNSPECIFIED') return undefined
  return {
    reason: 'content-filter',
    raw: blockReason,
    ...(typeof blockReasonMessage === 'string' && { detail: blockReasonMessage }),
  }
}

const WORDS: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  'tool-calls': 'STOP',
  pause: 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
}

/** The vendor's finish reason. The original value is preserved if it matches. */
export function finishWord(finish: Finish): string {
  const { raw, reason } = finish
  const known = raw === undefined ? undefined : REASONS.get(raw)
  return raw !== undefined && (known === reason || known === 'failed') ? raw : WORDS[reason]
}
