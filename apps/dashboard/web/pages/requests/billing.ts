import type { RequestAttempt, RequestRow } from '../../api/usage.ts'
import { UNKNOWN } from '../../formats/money.ts'

/** Billing reasons of usage rows, in a sentence. */
export const WHY: Readonly<Record<string, string>> = {
  served: 'Billed: completed.',
  canceled: 'The caller disconnected during the response. The part sent until then counts.',
  cut: 'The response broke off. The part received until then counts.',
  failed: 'Not billed: no provider served the request.',
  empty: 'Not billed: the search found nothing.',
  expired: 'Not billed: the task exceeded its time limit.',
  cached: 'Not billed: the response to an identical search was reused.',
  'usage-unknown': 'Not billed: the provider did not report the usage.',
  'price-unknown': 'Not billed: no price is set for this model, its service tier or a unit.',
  released: 'Correction: an owner released the amount reserved for this request.',
  lost: 'Outcome unknown: the process ended before the result was stored. The worst-case cost stays reserved.',
  unknown: 'Not a request: an owner marked the amount held by a process as spent.',
}

/** Descriptions of kinds of failures. */
export const FAILURES: Readonly<Record<string, string>> = {
  'invalid-request': 'invalid request',
  'context-too-long': 'input exceeds the model’s context',
  'unknown-model': 'unknown model',
  'content-policy': 'rejected by the provider’s content policy',
  'our-credential': 'provider rejected the gateway’s API key',
  'our-quota': 'provider quota exhausted',
  'rate-limited': 'rate limited by the provider',
  overloaded: 'provider overloaded',
  upstream: 'provider error',
  timeout: 'provider timeout',
  cut: 'response incomplete',
  forbidden: 'not permitted for this key',
  'not-found': 'not found',
  'too-large': 'request too large',
  'over-limit': 'rate limit exceeded',
  'over-budget': 'budget exceeded',
  unavailable: 'gateway store unavailable',
  loop: 'request loop through this gateway',
  canceled: 'canceled by the caller',
  internal: 'gateway error',
}

export function failureText(kind: string): string {
  return FAILURES[kind] ?? kind
}

/** Text for the unknown cost of a request: a missing price can be set, a missing usage report cannot. */
export function unknownAmount(why: string): string {
  if (why === 'price-unknown') return 'unknown cost'
  return why === 'usage-unknown' ? 'usage unknown' : UNKNOWN
}

type Billed = Pick<RequestRow, 'why' | 'billed' | 'estimated' | 'charged' | 'cost' | 'output'>

/** Sentences that explain the billing of a request. */
export function billingOf(row: Billed): readonly string[] {
  const sentences = [WHY[row.why] ?? `Billing reason: ${row.why}.`]
  if ((row.why === 'canceled' || row.why === 'cut') && !row.billed) sentences.push('Not billed: the cost is unknown.')
  if (row.estimated)
    sentences.push('Estimated: the provider had not reported the usage yet, so the gateway counted what it received.')
  if (row.cost !== null && row.charged !== null && BigInt(row.cost) > BigInt(row.charged))
    sentences.push('The provider cost is higher than the charge: the caller does not pay for failed attempts.')
  return sentences
}

/** Billing of an attempt; undefined = it has a cost. */
export function attemptBill({
  cost,
  failure,
  status,
}: Pick<RequestAttempt, 'cost' | 'failure' | 'status'>): string | undefined {
  if (cost === null)
    return failure === null ? 'cost unknown' : 'may be charged: the connection was lost after the request was sent'
  if (cost !== '0' || failure === null) return undefined
  return status === null ? 'not billed: provider not reached' : `not billed: rejected with ${status}`
}
