import type { UsageRow } from './ledger.ts'

/**
 * Outcome of a request. `failed-over`: served after at least one failed call. `refused`: the gateway responded without
 * calling a provider because of the caller. `cut`: the response broke off after its start. `canceled`: the caller left.
 */
export type RequestOutcome = (typeof OUTCOMES)[number]

export const OUTCOMES = ['served', 'failed-over', 'refused', 'cut', 'canceled', 'failed'] as const

/** Facts that decide the outcome of a request. */
export interface OutcomeFacts extends Pick<UsageRow, 'status' | 'why' | 'failure'> {
  readonly attempts: readonly Pick<UsageRow['attempts'][number], 'failure'>[]
}

/** Outcome of a usage row. A canceled call of a hedged request is not a failed call: another call was faster. */
export function outcomeOf({ status, why, failure, attempts }: OutcomeFacts): RequestOutcome {
  if (status === 499 || why === 'canceled' || failure === 'canceled') return 'canceled'
  const isSuccess = status >= 200 && status < 400
  if (isSuccess && (why === 'cut' || failure !== undefined)) return 'cut'
  if (!isSuccess) return 'failed'
  for (const attempt of attempts)
    if (attempt.failure !== undefined && attempt.failure !== 'canceled') return 'failed-over'
  return 'served'
}
