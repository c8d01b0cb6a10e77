import type { Budget } from '../../api/budgets.ts'
import type { Forecast } from '../../budgets/forecast.ts'
import { PERIODS, type Period } from '../../budgets/periods.ts'
import { money, type Nanos } from '../../formats/money.ts'
import { comingTime, fullTime } from '../../formats/times.ts'

export function termsOf({ limit, period, zone }: Pick<Budget, 'limit' | 'period' | 'zone'>): string {
  return `${money(limit)} ${PERIODS[period]}${period === 'forever' ? '' : ` in ${zone}`}`
}

/** When a budget is used up, as somebody plans by it. */
export function endSentence(
  { share, endsAt, atEnd }: Forecast,
  { resetAt, soft }: Pick<Budget, 'resetAt' | 'soft'>,
  now: number,
): string {
  const reset = resetAt === undefined ? '' : `, until it is reset ${comingTime(resetAt, now)}`
  if (share >= 1) return soft ? `Used up: requests go on${reset}.` : `Used up: requests are refused${reset}.`
  if (share === 0) return 'Nothing is spent of it yet.'
  if (endsAt !== undefined) return `Ends ${comingTime(endsAt, now)} at this pace.`
  if (resetAt === undefined) return 'It is never reset.'
  return atEnd === undefined
    ? `Reset ${comingTime(resetAt, now)}.`
    : `Lasts until it is reset ${comingTime(resetAt, now)}, at this pace.`
}

/** What it would mean to have a budget be another amount. */
export function changeSentence(
  { limit, spent, tiedUp, soft, resetAt }: Pick<Budget, 'limit' | 'spent' | 'tiedUp' | 'soft' | 'resetAt'>,
  next: Nanos,
  isSoft = soft,
): string {
  const reset = resetAt === undefined ? 'It is never reset.' : `It is reset ${fullTime(resetAt)}.`
  const [before, after, gone] = [BigInt(limit), BigInt(next), BigInt(spent)]
  if (after <= gone) {
    const flight = BigInt(tiedUp) > 0n ? ` What gateways have leased, ${money(tiedUp)}, may still be spent.` : ''
    return isSoft
      ? `${money(gone)} is spent already: it alerts at once, and refuses nothing.${flight}`
      : `${money(gone)} is spent already: new requests are refused at once.${flight} ${reset}`
  }
  const left = `${money(after - gone)} would be left.`
  if (after > before) return `Raised by ${money(after - before)}: ${left} ${reset}`
  if (after < before) return `Lowered by ${money(before - after)}: ${left} ${reset}`
  return `The amount stays: ${left} ${reset}`
}

/** What a new budget means. */
export function newSentence(limit: Nanos, period: Period, isSoft: boolean): string {
  const each = period === 'forever' ? 'once, and is never reset' : `each ${period}`
  return isSoft
    ? `Alerts when ${money(limit)} is spent, ${each}. Nothing is refused.`
    : `${money(limit)} ${each}. A request that could exceed it is refused before anything is sent.`
}
