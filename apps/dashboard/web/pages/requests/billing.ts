import type { Attempt, UsageRow } from '../../api/usage.ts'
import { UNKNOWN } from '../../formats/money.ts'

/** Why a request is billed, or why not: a sentence for each word that the ledger knows. */
export const WHY: Readonly<Record<string, string>> = {
  served: 'Billed: the answer is whole.',
  canceled: 'The caller left in the middle of the answer: what had come until then counts.',
  cut: 'The answer broke off after it had begun: what had come until then counts.',
  failed: 'Not billed: no provider served it.',
  empty: 'Not billed: the search found nothing.',
  expired: 'Not billed: the task took longer than it may.',
  cached: 'Not billed: the answer to an identical search was given again.',
  'usage-unknown': 'Not billed: the provider did not report the usage.',
  'price-unknown': 'Not billed: no price is set for this model, its service tier or a unit.',
  released: 'A correction: an owner released what budgets held for this request.',
  lost: 'Outcome unknown: its process was killed before the end was written down. What it may have cost is held.',
  unknown: 'No request: an owner has said that what a process held of a budget is spent.',
}

/** What a kind of failure means. */
export const FAILURES: Readonly<Record<string, string>> = {
  'invalid-request': 'the request was not valid',
  'context-too-long': 'the input is longer than the model takes',
  'unknown-model': 'there is no such model',
  'content-policy': 'refused by the provider’s policy',
  'our-credential': 'the provider does not take the gateway’s credential',
  'our-quota': 'the gateway’s account at the provider is used up',
  'rate-limited': 'rate limited by the provider',
  overloaded: 'the provider is overloaded',
  upstream: 'the provider failed',
  timeout: 'the provider did not answer in time',
  cut: 'the answer broke off',
  forbidden: 'the key may not do this',
  'not-found': 'there is no such thing',
  'too-large': 'the request is too large',
  'over-limit': 'over a rate limit',
  'over-budget': 'over a budget',
  unavailable: 'the gateway’s store did not answer',
  loop: 'the request came back to this gateway',
  canceled: 'the caller left',
  internal: 'the gateway failed',
}

export function failureText(kind: string): string {
  return FAILURES[kind] ?? kind
}

/** Text for an unknown amount of a request: a missing price can be set, a missing usage report cannot. */
export function unknownAmount(why: string): string {
  if (why === 'price-unknown') return 'no price'
  return why === 'usage-unknown' ? 'usage unknown' : UNKNOWN
}

type Billed = Pick<UsageRow, 'why' | 'billed' | 'estimated' | 'charged' | 'cost' | 'output'>

/** What is said of a bill, in sentences. */
export function billingOf(row: Billed): readonly string[] {
  const sentences = [WHY[row.why] ?? `The ledger says: ${row.why}.`]
  if ((row.why === 'canceled' || row.why === 'cut') && !row.billed)
    sentences.push('Not billed: nobody knows what that costs.')
  if (row.estimated)
    sentences.push('Estimated: the provider had not counted yet, so what was received was counted here.')
  if (row.cost !== null && row.charged !== null && BigInt(row.cost) > BigInt(row.charged))
    sentences.push(
      'Upstreams charge more than the caller is billed: calls before the one that served are not the caller’s.',
    )
  return sentences
}

/** What a call of an upstream has cost, and why. */
export function attemptBill({
  cost,
  failure,
  status,
}: Pick<Attempt, 'cost' | 'failure' | 'status'>): string | undefined {
  if (cost === null) return failure === null ? 'the cost is unknown' : 'may be charged: it broke off after it was sent'
  if (cost !== '0' || failure === null) return undefined
  return status === null
    ? 'not billed: it was never reached'
    : `not billed: it answered ${status} before doing any work`
}
