import type { BudgetItem } from '../../api/budgets.ts'
import type { Forecast } from '../../budgets/forecast.ts'
import { PERIODS, type PeriodName } from '../../budgets/periods.ts'
import { money, type Nanos } from '../../formats/money.ts'
import { comingTime, fullTime } from '../../formats/times.ts'

export function termsOf({ limit, period, zone }: Pick<BudgetItem, 'limit' | 'period' | 'zone'>): string {
  return `${money(limit)} ${PERIODS[period]}${period === 'forever' ? '' : ` in ${zone}`}`
}

/** Sentence about the time at which a budget runs out. */
export function endSentence(
  { share, endsAt, atEnd }: Forecast,
  { resetAt, soft }: Pick<BudgetItem, 'resetAt' | 'soft'>,
  now: number,
): string {
  const reset = resetAt === undefined ? '' : ` until reset ${comingTime(resetAt, now)}`
  if (share >= 1) return soft ? `Used up. Requests continue${reset}.` : `Used up. Requests are refused${reset}.`
  if (share === 0) return 'Nothing spent yet.'
  if (endsAt !== undefined) return `Runs out ${comingTime(endsAt, now)} at this rate.`
  if (resetAt === undefined) return 'Never resets.'
  return atEnd === undefined
    ? `Resets ${comingTime(resetAt, now)}.`
    : `On track until reset ${comingTime(resetAt, now)}.`
}

/** Sentence about the effect of changing the limit of a budget. */
export function changeSentence(
  { limit, spent, tiedUp, soft, resetAt }: Pick<BudgetItem, 'limit' | 'spent' | 'tiedUp' | 'soft' | 'resetAt'>,
  next: Nanos,
  isSoft = soft,
): string {
  const reset = resetAt === undefined ? 'Never resets.' : `Resets ${fullTime(resetAt)}.`
  const [before, after, gone] = [BigInt(limit), BigInt(next), BigInt(spent)]
  if (after <= gone) {
    const flight = BigInt(tiedUp) > 0n ? ` Gateways can still spend the ${money(tiedUp)} that they hold.` : ''
    return isSoft
      ? `${money(gone)} is already spent. An alert is sent immediately; requests continue.${flight}`
      : `${money(gone)} is already spent. New requests are refused immediately.${flight} ${reset}`
  }
  const left = `${money(after - gone)} left.`
  if (after > before) return `Raised by ${money(after - before)}: ${left} ${reset}`
  if (after < before) return `Lowered by ${money(before - after)}: ${left} ${reset}`
  return `Same limit: ${left} ${reset}`
}

/** Sentence about the effect of a new budget. */
export function newSentence(limit: Nanos, period: PeriodName, isSoft: boolean): string {
  const each = period === 'forever' ? 'in total' : `per ${period}`
  return isSoft
    ? `Sends an alert when ${money(limit)} ${each} is spent. Requests continue.`
    : `${money(limit)} ${each}. A request that could exceed the limit is refused before it is sent.`
}
