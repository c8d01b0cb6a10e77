import { isObject, type Json } from './json.ts'
import { dropped, type Loss } from './loss.ts'
import { unknownFields } from './side.ts'

/**
 * Tokens and other units of one answer. Totals include their parts, whatever the vendor's own base is: `input` includes
 * what was read from and written to a cache, `output` includes reasoning. What an upstream did not say is absent, never
 * zero; what it said in something else than a whole number from 0 to 2^53 − 1 is NaN, and so is every sum of it.
 */
export interface Usage {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  /** The share of `cacheWrite` that is kept for an hour. */
  cacheWriteLong?: number
  reasoning?: number
  audioInput?: number
  /** The share of `audioInput` that was read from a cache: it is a share of `cacheRead` as well. */
  audioCached?: number
  audioOutput?: number
  imageInput?: number
  imageOutput?: number
  /**
   * The tier of service that the answer names, in lower case, where its price may be another one: `flex`, `priority`,
   * `batch`. Absent = the usual one.
   */
  tier?: string
  /** What is counted beside tokens, by the name of the unit: `searches`, `images`, `seconds`, `characters`, `pages`. */
  units?: Readonly<Record<string, number>>
}

type TokenField = Exclude<keyof Usage, 'units' | 'tier'>

const TOKEN_FIELDS: readonly TokenField[] = [
  ...(['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteLong'] as const),
  ...(['reasoning', 'audioInput', 'audioCached', 'audioOutput', 'imageInput', 'imageOutput'] as const),
]

/** Why a count is left out. */
export const NO_COUNT = 'it is no whole number from 0 to 2^53 - 1'

/** Whether a value counts something, and arithmetic leaves it what it is. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** A count as a vendor says it: undefined where nothing is said, NaN where what is said counts nothing. */
export function count(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  return isCount(value) ? value : Number.NaN
}

const USUAL_TIERS: ReadonlySet<string> = new Set(['', 'default', 'standard', 'auto', 'on_demand', 'unspecified'])
/** Most characters of a tier's name. */
const LONGEST_TIER = 64

/** A tier as a vendor names it; undefined where it is the usual one, or nothing is said. */
export function tierOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const tier = value.toLowerCase()
  return USUAL_TIERS.has(tier) ? undefined : tier.slice(0, LONGEST_TIER)
}

/**
 * The input that was neither read from a cache nor written to one; negative where a vendor says more of its shares than
 * of the whole.
 */
export function freshInput({ input, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input - cacheRead - cacheWrite
}

/** Whether a vendor says more of the shares than of the whole. */
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

/** The usage of two calls of a model that made one answer; a tier is that of the later one. */
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

/** A single unit, where its number is known. */
export function inUnits(unit: string, value: number | undefined): Usage['units'] {
  return value === undefined ? undefined : { [unit]: value }
}

const NONE: readonly string[] = []

/** Whether no field of tokens is there that is no count. */
function countsOnly(usage: Partial<Usage>): boolean {
  for (const field of TOKEN_FIELDS) {
    const value = usage[field]
    if (value !== undefined && !isCount(value)) return false
  }
  return true
}

/** The fields, and the units, that are there and are no counts. */
export function uncountable(usage: Partial<Usage>): readonly string[] {
  const { units } = usage
  if (!units && countsOnly(usage)) return NONE
  const odd: string[] = TOKEN_FIELDS.filter((field) => usage[field] !== undefined && !isCount(usage[field]))
  return units ? [...odd, ...Object.keys(units).filter((unit) => !isCount(units[unit]))] : odd
}

/** The usage without these fields and units. */
export function withoutFields({ units, ...tokens }: Partial<Usage>, fields: readonly string[]): Partial<Usage> {
  const left = new Set(fields)
  const kept = Object.entries(units ?? {}).filter(([unit]) => !left.has(unit))
  const known: Partial<Usage> = { ...tokens, ...(kept.length > 0 && { units: Object.fromEntries(kept) }) }
  for (const field of TOKEN_FIELDS) if (left.has(field)) delete known[field]
  return known
}

/**
 * The usage as it can be written: what is no count is left out and declared. Undefined where input or output is not
 * known.
 */
export function writable(usage: Usage | undefined, losses: Loss[]): Usage | undefined {
  const odd = usage ? uncountable(usage) : []
  if (!usage || odd.length === 0) return usage
  for (const field of odd) dropped(losses, `usage.${field}`, NO_COUNT)
  const { input, output, ...shares } = withoutFields(usage, odd)
  return input === undefined || output === undefined ? undefined : { input, output, ...shares }
}

/** What a vendor's usage has beside the `known` fields, as far as it says anything: zeros do not. */
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
