/** What one side counts for a day in UTC and a model. Undefined = it does not say. */
export interface BillAmounts {
  /** Input tokens, all of them: from a cache, and written to one, as well. */
  readonly input?: number | undefined
  readonly output?: number | undefined
  /** Nano-dollars. */
  readonly cost?: bigint | undefined
}

/** A line of a vendor's export. */
export interface BillLine extends BillAmounts {
  /** `2026-11-01`, in UTC. */
  readonly day: string
  /** As the vendor calls it; of what is no model, what the vendor says that it is. */
  readonly model: string
}

/** What a vendor's export of usage or costs says. */
export interface Bill {
  /** Which export it is, in words. */
  readonly format: string
  readonly lines: readonly BillLine[]
  /** What keeps it from being compared exactly. */
  readonly remarks: readonly string[]
}

const NANO_DIGITS = 9
/** More digits are no amount of money. */
const LONGEST = 40

/**
 * Nano-dollars of a decimal number of dollars, rounded towards zero beyond them; undefined of what is none. `shift` 2:
 * of cents.
 */
export function nanosOf(amount: unknown, shift = 0): bigint | undefined {
  const text = (typeof amount === 'number' ? String(amount) : typeof amount === 'string' ? amount : '').replaceAll(
    /[$,\s]/g,
    '',
  )
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? []
  if (text.length > LONGEST || whole + part === '') return undefined
  const digits = NANO_DIGITS - shift + Number(exponent) - part.length
  if (Math.abs(digits) > LONGEST) return digits < 0 ? 0n : undefined
  const scaled =
    digits >= 0 ? BigInt(whole + part) * 10n ** BigInt(digits) : BigInt(whole + part) / 10n ** BigInt(-digits)
  return sign === '-' ? -scaled : scaled
}

/** A count of tokens; 0 where nothing is said. */
export function tokensOf(count: unknown): number {
  const tokens = typeof count === 'string' ? Number(count.replaceAll(',', '')) : typeof count === 'number' ? count : 0
  return Number.isFinite(tokens) ? Math.round(tokens) : 0
}

/** The day in UTC of Unix seconds, of a date or of a time with one; undefined of what is none. */
export function dayOf(time: unknown): string | undefined {
  if (typeof time === 'number' || (typeof time === 'string' && /^\d{9,11}(\.\d+)?$/.test(time)))
    return dateOf(Number(time) * 1_000)
  if (typeof time !== 'string') return undefined
  if (/^\d{4}-\d{2}-\d{2}$/.test(time)) return time
  // `2026-11-01 08:00:00 UTC`, as a warehouse writes it.
  return dateOf(Date.parse(time.replace(/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?) UTC$/, '$1T$2Z')))
}

function dateOf(at: number): string | undefined {
  return at >= 0 && at < 253_402_300_800_000 ? new Date(at).toISOString().slice(0, 10) : undefined
}
