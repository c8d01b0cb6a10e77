import type { Budget, BudgetPeriod } from '@headgate/gateway/ports'

/** A budget as it is written: `5/day`, `soft:100/month@Europe/Berlin`. */
export interface WrittenBudget extends Pick<Budget, 'limit' | 'period' | 'soft'> {
  /** Default: that of the store's days. */
  readonly zone?: string
}

export const PERIODS = ['day', 'week', 'month', 'forever'] as const satisfies readonly BudgetPeriod[]

/** US dollars with up to nine decimals: no exponent, no sign, nothing between the digits. */
export const DOLLARS = /^\d{1,10}(?:\.\d{1,9})?$/

/** What {@link readBudget} reads, but for the name of the zone and the greatest amount. */
export const BUDGET = /^(soft:)?(\d{1,10}(?:\.\d{1,9})?)(?:\/(day|week|month|forever))?(?:@(\w[\w+/-]*))?$/

export const BUDGET_WORDS =
  'US dollars and a period, such as 5/day, 0.50/week, 100/month, or 20 for ever; 5/day@Europe/Berlin in another time zone; soft:5/day to be told only'

/** The most nano-dollars that a budget may have. */
const MOST = 2n ** 63n - 1n
const DECIMALS = 9

/** Whole nano-dollars, exactly; undefined for what is no amount, and for one beyond what a store holds. */
export function nanosOf(dollars: string): bigint | undefined {
  if (!DOLLARS.test(dollars)) return undefined
  const [whole = '', decimals = ''] = dollars.split('.')
  const nanos = BigInt(whole + decimals.padEnd(DECIMALS, '0'))
  return nanos <= MOST ? nanos : undefined
}

/** An amount that is written as a number: its decimal text, or undefined where it has more than nine decimals. */
export function dollarsText(amount: number): string | undefined {
  const text = Math.abs(amount) < 1e-6 ? amount.toFixed(DECIMALS) : String(amount)
  return DOLLARS.test(text) && Number(text) === amount ? text : undefined
}

/** Undefined for a text that is no budget. */
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
