import type { Budget, BudgetPeriod } from '@headgate/gateway/ports'

/** Budget as written: `5/day`, `soft:100/month@Europe/Berlin`. */
export interface WrittenBudget extends Pick<Budget, 'limit' | 'period' | 'soft'> {
  /** Time zone. Default: the time zone of the store's days. */
  readonly zone?: string
}

export const PERIODS = ['day', 'week', 'month', 'forever'] as const satisfies readonly BudgetPeriod[]

/** US dollars with up to nine decimals, without exponent, sign or digit separators. */
export const DOLLARS = /^\d{1,10}(?:\.\d{1,9})?$/

/** Syntax of {@link readBudget}. Zone names and the maximum amount are checked separately. */
export const BUDGET = /^(soft:)?(\d{1,10}(?:\.\d{1,9})?)(?:\/(day|week|month|forever))?(?:@(\w[\w+/-]*))?$/

export const BUDGET_WORDS =
  'US dollars and a period, such as 5/day, 0.50/week, 100/month, or 20 in total; 5/day@Europe/Berlin in another time zone; soft:5/day only alerts'

/** Maximum limit of a budget in nano-dollars. */
const MOST = 2n ** 63n - 1n
const DECIMALS = 9

/** Exact amount in nano-dollars; undefined for an invalid amount or one above the maximum. */
export function nanosOf(dollars: string): bigint | undefined {
  if (!DOLLARS.test(dollars)) return undefined
  const [whole = '', decimals = ''] = dollars.split('.')
  const nanos = BigInt(whole + decimals.padEnd(DECIMALS, '0'))
  return nanos <= MOST ? nanos : undefined
}

/** Decimal text of an amount given as a number; undefined if it has more than nine decimals. */
export function dollarsText(amount: number): string | undefined {
  const text = Math.abs(amount) < 1e-6 ? amount.toFixed(DECIMALS) : String(amount)
  return DOLLARS.test(text) && Number(text) === amount ? text : undefined
}

/** Budget from its text; undefined if the text is not a budget. */
export function readBudget(text: string): WrittenBudget | undefined {
  const [, soft, dollars = '', period = 'forever', zone] = BUDGET.exec(text) ?? []
  const limit = nanosOf(dollars)
  if (limit === undefined || !isPeriod(period) || (zone !== undefined && !isZone(zone))) return undefined
  return { limit, period, soft: soft !== undefined, ...(zone !== undefined && { zone }) }
}

export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

function isPeriod(text: string): text is BudgetPeriod {
  return (PERIODS as readonly string[]).includes(text)
}
