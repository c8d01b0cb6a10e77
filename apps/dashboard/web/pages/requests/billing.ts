import type { RequestAttempt, RequestRow } from '../../api/usage.ts'

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
