import { isObject, type Json } from './json.ts'
import { dropped, type Loss } from './loss.ts'
import { unknownFields } from './vendor-extensions.ts'

/**
 * Tokens and other units of a response. Totals include their parts, regardless of the vendor's convention: `input`
 * includes cache reads and writes, `output` includes reasoning. Values that an upstream does not report are absent,
 * never zero. A reported value that is not an integer from 0 to 2^53 − 1 is NaN, as are its sums.
 */
export interface Usage {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  /** Part of `cacheWrite` that is stored for an hour. */
  cacheWriteLong?: number
  reasoning?: number
  audioInput?: number
  /** Part of `audioInput` that was read from a cache. Also part of `cacheRead`. */
  audioCached?: number
  audioOutput?: number
  imageInput?: number
  imageOutput?: number
  /**
   * Service tier of the response in lower case, if its price may differ: `flex`, `priority`, `batch`. Absent: the
   * default tier.
   */
  tier?: string
  /** Usage besides tokens, by unit: `searches`, `images`, `seconds`, `characters`, `pages`. */
  units?: Readonly<Record<string, number>>
  /**
   * Variant of the response, if prices of units depend on it (`Price.variants`): `high:1536x1024`, `2K`. It is the
   * variant that the response has, which may differ from the request.
   */
  variant?: string
}

type TokenField = Exclude<keyof Usage, 'units' | 'tier' | 'variant'>

const TOKEN_FIELDS: readonly TokenField[] = [
  ...(['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteLong'] as const),
  ...(['reasoning', 'audioInput', 'audioCached', 'audioOutput', 'imageInput', 'imageOutput'] as const),
]

/** Reason for leaving out a count. */
export const NO_COUNT = 'it is not an integer from 0 to 2^53 - 1'

/** True for a safe, non-negative integer. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/**
 * Count from a vendor. Undefined if absent, NaN if invalid.
 * @example count(usage['input_tokens'])
 */
export function count(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  return isCount(value) ? value : Number.NaN
}

const USUAL_TIERS: ReadonlySet<string> = new Set(['', 'default', 'standard', 'auto', 'on_demand', 'unspecified'])
/** Maximum characters of a tier's name. */
const LONGEST_TIER = 64

/**
 * Service tier from a vendor. Undefined for the default tier.
 * @example tierOf('FLEX') // 'flex'
 */
export function tierOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const tier = value.toLowerCase()
  return USUAL_TIERS.has(tier) ? undefined : tier.slice(0, LONGEST_TIER)
}

/** Input tokens without cache reads and writes. Negative if a vendor reports inconsistent values. */
export function freshInput({ input, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input - cacheRead - cacheWrite
}

/** True if parts exceed their total. */
export function isOvercounted(usage: Usage): boolean {
  const {
    output,
    cacheRead = 0,
    cacheWrite = 0,
    cacheWriteLong = 0,
    audioInput = 0,
    audioOutput = 0,
    imageOutput = 0,
  } = usage
  const fresh = freshInput(usage)
  return (
    fresh < 0 || audioInput > fresh + cacheRead || cacheWriteLong > cacheWrite || audioOutput + imageOutput > output
  )
}

/** Sum of the usage of two calls for one response. The tier and variant of the later call are used. */
export function addedUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = { ...one, ...other }
  for (const field of TOKEN_FIELDS) {
    const values = [one[field], other[field]].filter((value) => value !== undefined)
    if (values.length > 0) sum[field] = values.reduce((total, value) => total + value, 0)
  }
  const units: Record<string, number> = { ...one.units }
  for (const [unit, value] of Object.entries(other.units ?? {})) units[unit] = (units[unit] ?? 0) + value
  if (Object.keys(units).length > 0) sum.units = units
  return sum
}

/** Usage of a single unit, if its number is known. */
export function inUnits(unit: string, value: number | undefined): Usage['units'] {
  return value === undefined ? undefined : { [unit]: value }
}

const NONE: readonly string[] = []

/** True if all token fields are valid counts. */
function countsOnly(usage: Partial<Usage>): boolean {
  for (const field of TOKEN_FIELDS) {
    const value = usage[field]
    if (value !== undefined && !isCount(value)) return false
  }
  return true
}

/** Fields and units with invalid counts. */
export function uncountable(usage: Partial<Usage>): readonly string[] {
  const { units } = usage
  if (!units && countsOnly(usage)) return NONE
  const odd: string[] = TOKEN_FIELDS.filter((field) => usage[field] !== undefined && !isCount(usage[field]))
  return units ? [...odd, ...Object.keys(units).filter((unit) => !isCount(units[unit]))] : odd
}

/** Usage without these fields and units. */
export function withoutFields({ units, ...tokens }: Partial<Usage>, fields: readonly string[]): Partial<Usage> {
  const left = new Set(fields)
  const kept = Object.entries(units ?? {}).filter(([unit]) => !left.has(unit))
  const known: Partial<Usage> = { ...tokens, ...(kept.length > 0 && { units: Object.fromEntries(kept) }) }
  for (const field of TOKEN_FIELDS) if (left.has(field)) delete known[field]
  return known
}

/** Usage without invalid counts, which are declared as lost. Undefined if input or output is unknown. */
export function writable(usage: Usage | undefined, losses: Loss[]): Usage | undefined {
  const odd = usage ? uncountable(usage) : []
  if (!usage || odd.length === 0) return usage
  for (const field of odd) dropped(losses, `usage.${field}`, NO_COUNT)
  const { input, output, ...shares } = withoutFields(usage, odd)
  return input === undefined || output === undefined ? undefined : { input, output, ...shares }
}

/** Fields of a vendor's usage that are not `known` and not zero. */
export function uncounted(
  usage: Json,
  known: ReadonlySet<string>,
  fields: Json | undefined,
  prefix: string,
): Json | undefined {
  const telling = Object.fromEntries(Object.entries(usage).filter(([, value]) => tells(value)))
  return unknownFields(telling, known, fields, prefix)
}

function tells(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(tells)
  return isObject(value) ? Object.values(value).some(tells) : Boolean(value)
}
