import { freshInput, isCount, KINDS, type Price, type Rates, type Usage } from '@headgate/core/canonical'

/** Number of tokens or units that a rate applies to. */
const MILLION = 1_000_000

/** Scales each kind of token separately, so that cheaper kinds stay cheaper. */
function scaled(rates: Rates, factor: number): Rates {
  const out: { -readonly [K in keyof Rates]: Rates[K] } = { input: 0, output: 0 }
  for (const kind of KINDS) {
    const rate = rates[kind]
    if (rate !== undefined) out[kind] = Math.round(rate * factor)
  }
  return out
}

/**
 * Rates that apply to a request's tier and input length. With a long-context tariff, a long input raises the rates of
 * all tokens. Undefined = unknown.
 */
export function ratesFor({ tier, input }: Usage, price: Price): Rates | undefined {
  const own = tier !== undefined && price.tiers && Object.hasOwn(price.tiers, tier) ? price.tiers[tier] : undefined
  if (tier !== undefined && !own) return undefined
  const tariff = own && !('factor' in own) ? own : price
  const rates = tariff.long && input > tariff.long.above ? tariff.long : tariff
  return own && 'factor' in own ? scaled(rates, own.factor) : rates
}

/** Rates of audio input, cached input, and cached audio. */
function inputRates(rates: Rates) {
  const { input, cacheRead: read = input, audioInput: audio = input } = rates
  return { read, audio, audioCached: rates.audioCached ?? rates.audioInput ?? read }
}

/** Number of cached audio tokens. If it is unknown, the number that results in the highest cost. */
function audioCachedOf(usage: Usage, rates: Rates): number {
  const { cacheRead = 0, audioInput = 0, audioCached } = usage
  const most = Math.min(cacheRead, audioInput)
  if (most === 0 || audioCached !== undefined) return Math.min(audioCached ?? 0, most)
  const { read, audio, audioCached: cachedAudioRate } = inputRates(rates)
  const isMostExpensive = rates.audioCached !== undefined && cachedAudioRate - audio - read + rates.input > 0
  return isMostExpensive ? most : Math.max(0, audioInput - Math.max(0, freshInput(usage)))
}

/** Kinds of tokens that {@link chargesOf} returns, in its order. */
const CHARGED: readonly (keyof Rates)[] = [
  ...(['input', 'cacheRead', 'cacheWrite', 'cacheWriteLong', 'audioInput', 'audioCached', 'imageInput'] as const),
  ...(['output', 'audioOutput', 'imageOutput'] as const),
]

/** Billed tokens: pairs of a count and its rate. No token is counted twice. */
function chargesOf(usage: Usage, rates: Rates): number[] {
  const {
    output,
    cacheRead = 0,
    cacheWrite = 0,
    cacheWriteLong = 0,
    audioInput = 0,
    audioOutput = 0,
    imageInput = 0,
    imageOutput = 0,
  } = usage
  const { read, audio, audioCached } = inputRates(rates)
  const writeRate = rates.cacheWrite ?? rates.input
  const cachedAudio = audioCachedOf(usage, rates)
  const uncachedAudio = audioInput - cachedAudio
  const fresh = freshInput(usage) - uncachedAudio
  // Cached images are already counted as cached input.
  const uncachedImages = Math.min(imageInput, Math.max(0, fresh))
  return [
    Math.max(0, fresh - uncachedImages),
    rates.input,
    cacheRead - cachedAudio,
    read,
    Math.max(0, cacheWrite - cacheWriteLong),
    writeRate,
    cacheWriteLong,
    rates.cacheWriteLong ?? writeRate,
    uncachedAudio,
    audio,
    cachedAudio,
    audioCached,
    uncachedImages,
    rates.imageInput ?? rates.input,
    Math.max(0, output - audioOutput - imageOutput),
    rates.output,
    audioOutput,
    rates.audioOutput ?? rates.output,
    imageOutput,
    rates.imageOutput ?? rates.output,
  ]
}

const NONE: Readonly<Record<string, number>> = {}

/** Price of a million units. Undefined = unknown, also for a variant that is not listed. */
function unitRate(unit: string, variant: string | undefined, { units = NONE, variants }: Price): number | undefined {
  if (variants !== undefined && variesBy(unit, variants)) {
    const listed = variant === undefined ? undefined : listedVariant(variant, variants)
    const own = listed === undefined ? NONE : (variants[listed] ?? NONE)
    return Object.hasOwn(own, unit) ? own[unit] : undefined
  }
  return Object.hasOwn(units, unit) ? units[unit] : undefined
}

/** Name of a variant in a price: itself, or one of its parts. `high:1536x1024` is also `1536x1024` and `high`. */
function listedVariant(variant: string, variants: NonNullable<Price['variants']>): string | undefined {
  if (Object.hasOwn(variants, variant)) return variant
  const end = variant.indexOf(':')
  if (end < 0) return undefined
  return [variant.slice(end + 1), variant.slice(0, end)].find((part) => Object.hasOwn(variants, part))
}

function variesBy(unit: string, variants: NonNullable<Price['variants']>): boolean {
  for (const name in variants) if (Object.hasOwn(variants[name] ?? NONE, unit)) return true
  return false
}

/** Billed number of units: at least the minimum count of the price. */
function billedUnits(unit: string, value: number, { least = NONE }: Price): number {
  return value > 0 && Object.hasOwn(least, unit) ? Math.max(value, least[unit] ?? 0) : value
}

/** Adds pairs of a count of units and its rate. False if a count or a rate is unknown. */
export function addUnits(
  charges: number[],
  { units, variant }: Pick<Usage, 'units' | 'variant'>,
  price: Price,
): boolean {
  for (const unit in units) {
    const value = units[unit]
    const rate = unitRate(unit, variant, price)
    if (!isCount(value) || (rate === undefined && value > 0)) return false
    charges.push(billedUnits(unit, value, price), rate ?? 0)
  }
  return true
}

/** Cost of units other than tokens, in integer nano-dollars, rounded half up. Null if a count or a rate is unknown. */
export function costOfUnits(usage: Pick<Usage, 'units' | 'variant'>, price: Price): number | null {
  const charges: number[] = []
  return addUnits(charges, usage, price) ? costOfCharges(charges) : null
}

/**
 * Cost in integer nano-dollars, rounded half up. Above 2^53 the result is not a valid count. Null if the price or the
 * usage is unknown: an unknown cost is never zero.
 */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | null {
  if (!usage || !price) return null
  const rates = ratesFor(usage, price)
  if (!rates || !isCount(usage.input) || !isCount(usage.output)) return null
  const charges = chargesOf(usage, rates)
  const cost = addUnits(charges, usage, price) ? costOfCharges(charges) : null
  return cost === null || price.minimum === undefined ? cost : Math.max(price.minimum, cost)
}

/**
 * Cost of pairs of a count and its rate per million, in integer nano-dollars, rounded half up. Above 2^53 the result is not a
 * valid count. Null if a count is invalid.
 */
export function costOfCharges(charges: readonly number[]): number | null {
  let sum = 0
  for (let i = 0; i < charges.length; i += 2) {
    if (!isCount(charges[i])) return null
    sum += (charges[i] ?? 0) * (charges[i + 1] ?? 0)
  }
  // No term is negative. If the sum is below 2^53, every partial sum was, too, and the result is exact.
  return sum <= Number.MAX_SAFE_INTEGER ? Math.round(sum / MILLION) : exactCost(charges, sum)
}

/** Exact sum with bigints. A million tokens at 15 dollars per million are 1.5e16, which a double cannot represent. */
function exactCost(charges: readonly number[], sum: number): number {
  if (!Number.isFinite(sum)) return Number.NaN
  let exact = 0n
  for (let i = 0; i < charges.length; i += 2) exact += BigInt(charges[i] ?? 0) * BigInt(Math.round(charges[i + 1] ?? 0))
  return Number((exact + BigInt(MILLION / 2)) / BigInt(MILLION))
}

/** Line of a cost calculation: a count of one kind, at one rate. */
export interface CostLine {
  /** Kind of token, or name of a unit. No token is counted twice. */
  readonly kind: string
  readonly count: number
  /** Integer nano-dollars per million. */
  readonly rate: number
  /** Integer nano-dollars, rounded half up. The sum of all lines may differ from the cost by the rounding. */
  readonly amount: number
}

/** Calculation of a request's cost. */
export interface CostExplained {
  readonly lines: readonly CostLine[]
  /** Service tier whose rates apply; absent = the default tier. */
  readonly tier?: string
  /** Variant whose unit prices apply; absent = they do not depend on it. */
  readonly variant?: string
  /**
   * True if the lines add up to the cost. Otherwise the cost has a part that is not stored, such as a minimum price.
   */
  readonly isWhole: boolean
}

/**
 * Reconstructs how a cost was calculated. The service tier of the response is not stored, so the first tier that
 * results in `cost` is used, and so is the first variant if `usage` has none. Undefined if the price or the usage is unknown.
 *
 * @example
 * ```ts
 * const price = { id: 'p1', input: 2_000_000_000, output: 8_000_000_000 }
 * explainCost({ input: 1_000, output: 500 }, price, 6_000_000)?.lines
 * // [{ kind: 'input', count: 1000, rate: 2000000000, amount: 2000000 }, …]
 * ```
 */
export function explainCost(usage: Usage, price: Price, cost: number): CostExplained | undefined {
  const { tier, variant } = choiceOf(usage, price, cost)
  const used: Usage = { ...usage, ...(tier !== undefined && { tier }), ...(variant !== undefined && { variant }) }
  const rates = ratesFor(used, price)
  if (!rates || !isCount(usage.input) || !isCount(usage.output)) return undefined
  const lines = [...tokenLines(chargesOf(usage, rates)), ...unitLines(used, price)]
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  const isWhole = Math.abs(total - cost) <= lines.length
  return { lines, isWhole, ...(tier !== undefined && { tier }), ...(variant !== undefined && { variant }) }
}

/** First tier and variant that result in the cost. */
function choiceOf(usage: Usage, price: Price, cost: number): Pick<Usage, 'tier' | 'variant'> {
  const tiers = [undefined, ...Object.keys(price.tiers ?? {})]
  const variants = variantsFor(usage, price)
  for (const variant of variants)
    for (const tier of tiers) {
      const choice = { ...(tier !== undefined && { tier }), ...(variant !== undefined && { variant }) }
      if (costOf({ ...usage, ...choice }, price) === cost) return choice
    }
  return {}
}

/** Variants that the usage may have: its own, otherwise all of the price. */
function variantsFor({ units, variant }: Usage, { variants }: Price): readonly (string | undefined)[] {
  if (!units || !variants) return [undefined]
  if (variant === undefined) return [undefined, ...Object.keys(variants)]
  return [listedVariant(variant, variants)]
}

function tokenLines(charges: readonly number[]): CostLine[] {
  return CHARGED.flatMap((kind, place) => {
    const [count = 0, rate = 0] = charges.slice(2 * place, 2 * place + 2)
    const amount = count > 0 ? costOfCharges([count, rate]) : null
    return amount === null ? [] : [{ kind, count, rate, amount }]
  })
}

function unitLines({ units = NONE, variant }: Usage, price: Price): CostLine[] {
  return Object.entries(units).flatMap(([kind, value]) => {
    const rate = unitRate(kind, variant, price)
    const count = billedUnits(kind, value, price)
    const amount = rate === undefined || count === 0 ? null : costOfCharges([count, rate])
    return rate === undefined || amount === null ? [] : [{ kind, count, rate, amount }]
  })
}
