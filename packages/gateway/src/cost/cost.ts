import { freshInput, isCount, KINDS, type Price, type Rates, type Usage } from '@headgate/core/canonical'

/** Number of tokens that a rate applies to. */
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

/** Cost of units other than tokens, in nano-dollars. Null if a count or a rate is unknown. */
export function costOfUnits({ units }: Pick<Usage, 'units'>, { units: rates = {} }: Price): number | null {
  let sum = 0
  for (const unit in units) {
    const value = units[unit]
    const rate = Object.hasOwn(rates, unit) ? rates[unit] : undefined
    if (!isCount(value) || (rate === undefined && value > 0)) return null
    sum += value * (rate ?? 0)
  }
  return sum
}

/**
 * Cost in integer nano-dollars, rounded half up. Above 2^53 the result is not a valid count. Null if the price or the
 * usage is unknown: an unknown cost is never zero.
 */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | null {
  if (!usage || !price) return null
  const tokens = costOfTokens(usage, price)
  const units = costOfUnits(usage, price)
  if (tokens === null || units === null) return null
  return price.minimum === undefined ? tokens + units : Math.max(price.minimum, tokens + units)
}

function costOfTokens(usage: Usage, price: Price): number | null {
  const rates = ratesFor(usage, price)
  if (!rates || !isCount(usage.input) || !isCount(usage.output)) return null
  return costOfCharges(chargesOf(usage, rates))
}

/**
 * Cost of pairs of a token count and its rate, in integer nano-dollars, rounded half up. Above 2^53 the result is not a
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
  /** Integer nano-dollars per million tokens, or per unit. */
  readonly rate: number
  readonly per: 'million' | 'unit'
  /** Integer nano-dollars, rounded half up. The sum of all lines may differ from the cost by the rounding. */
  readonly amount: number
}

/** Calculation of a request's cost. */
export interface CostExplained {
  readonly lines: readonly CostLine[]
  /** Service tier whose rates apply; absent = the default tier. */
  readonly tier?: string
  /**
   * True if the lines add up to the cost. Otherwise the cost has a part that is not stored, such as a minimum price.
   */
  readonly isWhole: boolean
}

/**
 * Reconstructs how a cost was calculated. The service tier of the response is not stored, so the first tier that
 * results in `cost` is used. Undefined if the price or the usage is unknown.
 *
 * @example
 * ```ts
 * const price = { id: 'p1', input: 2_000_000_000, output: 8_000_000_000 }
 * explainCost({ input: 1_000, output: 500 }, price, 6_000_000)?.lines
 * // [{ kind: 'input', count: 1000, rate: 2000000000, per: 'million', amount: 2000000 }, …]
 * ```
 */
export function explainCost(usage: Usage, price: Price, cost: number): CostExplained | undefined {
  const tiers = [undefined, ...Object.keys(price.tiers ?? {})]
  const used = (tier: string | undefined): Usage => (tier === undefined ? usage : { ...usage, tier })
  const tier = tiers.find((one) => costOf(used(one), price) === cost)
  const rates = ratesFor(used(tier), price)
  if (!rates || !isCount(usage.input) || !isCount(usage.output)) return undefined
  const lines = [...tokenLines(chargesOf(usage, rates)), ...unitLines(usage, price)]
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  return { lines, isWhole: Math.abs(total - cost) <= lines.length, ...(tier !== undefined && { tier }) }
}

function tokenLines(charges: readonly number[]): CostLine[] {
  return CHARGED.flatMap((kind, place) => {
    const [count = 0, rate = 0] = charges.slice(2 * place, 2 * place + 2)
    const amount = count > 0 ? costOfCharges([count, rate]) : null
    return amount === null ? [] : [{ kind, count, rate, per: 'million' as const, amount }]
  })
}

function unitLines({ units = {} }: Usage, { units: rates = {} }: Price): CostLine[] {
  return Object.entries(units).flatMap(([kind, count]) => {
    const rate = Object.hasOwn(rates, kind) ? rates[kind] : undefined
    const amount =
      rate === undefined ? null : costOfUnits({ units: { [kind]: count } }, { units: { [kind]: rate } } as Price)
    return rate === undefined || amount === null || count === 0
      ? []
      : [{ kind, count, rate, per: 'unit' as const, amount }]
  })
}
