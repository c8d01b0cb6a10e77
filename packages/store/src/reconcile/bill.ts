/** Amounts of a UTC day and a model. Undefined = not stated. */
export interface BillAmounts {
  /** All input tokens, including cached ones and cache writes. */
  readonly input?: number | undefined
  readonly output?: number | undefined
  /** Nano-dollars. */
  readonly cost?: bigint | undefined
}

/** Line of a vendor's export. */
export interface BillLine extends BillAmounts {
  /** Date in UTC, such as `2026-11-01`. */
  readonly day: string
  /** Model name of the vendor, or another line item. */
  readonly model: string
}

/** Vendor's export of usage or costs. */
export interface Bill {
  /** Readable name of the export format. */
  readonly format: string
  readonly lines: readonly BillLine[]
  /** Reasons why a comparison is not exact. */
  readonly remarks: readonly string[]
}

const NANO_DIGITS = 9
/** Maximum length of a valid amount. */
const LONGEST = 40

/**
 * Nano-dollars of a decimal number of dollars, truncated toward zero; undefined for an invalid amount.
 * @param shift 2 for cents
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

/** Number of tokens; 0 if not stated. */
export function tokensOf(count: unknown): number {
  const tokens = typeof count === 'string' ? Number(count.replaceAll(',', '')) : typeof count === 'number' ? count : 0
  return Number.isFinite(tokens) ? Math.round(tokens) : 0
}

/** UTC day of Unix seconds, a date or a timestamp; undefined for other values. */
export function dayOf(time: unknown): string | undefined {
  if (typeof time === 'number' || (typeof time === 'string' && /^\d{9,11}(\.\d+)?$/.test(time)))
    return dateOf(Number(time) * 1_000)
  if (typeof time !== 'string') return undefined
  if (/^\d{4}-\d{2}-\d{2}$/.test(time)) return time
  // Data warehouse format: `2026-11-01 08:00:00 UTC`
  return dateOf(Date.parse(time.replace(/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?) UTC$/, '$1T$2Z')))
}

function dateOf(at: number): string | undefined {
  return at >= 0 && at < 253_402_300_800_000 ? new Date(at).toISOString().slice(0, 10) : undefined
}
