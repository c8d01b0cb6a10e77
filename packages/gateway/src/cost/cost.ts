import { freshInput, isCount, KINDS, type Price, type Rates, type Usage } from '@headgate/core/canonical'

/** Tokens that a price counts by the million. */
const MILLION = 1_000_000

/** Each kind by itself: what is cheaper than the rest stays so. */
function scaled(rates: Rates, factor: number): Rates {
  const out: { -readonly [K in keyof Rates]: Rates[K] } = { input: 0, output: 0 }
  for (const kind of KINDS) {
    const rate = rates[kind]
    if (rate !== undefined) out[kind] = Math.round(rate * factor)
  }
  return out
}

/**
 * The rates that hold for a request: those of its tier; some rise for all tokens once the input is long. Undefined =
 * not known.
 */
export function ratesFor({ tier, input }: Usage, price: Price): Rates | undefined {
  const own = tier !== undefined && price.tiers && Object.hasOwn(price.tiers, tier) ? price.tiers[tier] : undefined
  if (tier !== undefined && !own) return undefined
  const tariff = own && !('factor' in own) ? own : price
  const rates = tariff.long && input > tariff.long.above ? tariff.long : tariff
  return own && 'factor' in own ? scaled(rates, own.factor) : rates
}

/** The rates of what is sound, or was read from a cache. */
function inputRates(rates: Rates) {
  const { input, cacheRead: read = input, audioInput: audio = input } = rates
  return { read, audio, audioCached: rates.audioCached ?? rates.audioInput ?? read }
}

/** How much sound was read from a cache. Where that is not said, so much of it that the request is dearest. */
function audioCachedOf(usage: Usage, rates: Rates): number {
  const { cacheRead = 0, audioInput = 0, audioCached } = usage
  const most = Math.min(cacheRead, audioInput)
  if (most === 0 || audioCached !== undefined) return Math.min(audioCached ?? 0, most)
  const { read, audio, audioCached: both } = inputRates(rates)
  const isDearest = rates.audioCached !== undefined && both - audio - read + rates.input > 0
  return isDearest ? most : Math.max(0, audioInput - Math.max(0, freshInput(usage)))
}

/** What {@link chargesOf} charges, in its order. */
const CHARGED: readonly (keyof Rates)[] = [
  ...(['input', 'cacheRead', 'cacheWrite', 'cacheWriteLong', 'audioInput', 'audioCached', 'imageInput'] as const),
  ...(['output', 'audioOutput', 'imageOutput'] as const),
]

/** What is charged: numbers of tokens, none counted twice, each followed by its rate. */
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
  const heardAgain = audioCachedOf(usage, rates)
  const heard = audioInput - heardAgain
  const fresh = freshInput(usage) - heard
  // Images that were cached are within what was read.
  const seen = Math.min(imageInput, Math.max(0, fresh))
  return [
    Math.max(0, fresh - seen),
    rates.input,
    cacheRead - heardAgain,
    read,
    Math.max(0, cacheWrite - cacheWriteLong),
    writeRate,
    cacheWriteLong,
    rates.cacheWriteLong ?? writeRate,
    heard,
    audio,
    heardAgain,
    audioCached,
    seen,
    rates.imageInput ?? rates.input,
    Math.max(0, output - audioOutput - imageOutput),
    rates.output,
    audioOutput,
    rates.audioOutput ?? rates.output,
    imageOutput,
    rates.imageOutput ?? rates.output,
  ]
}

/** What other units than tokens cost; null where the price of one, or its number, is not known. */
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
 * Cost in nano-dollars, half up: an integer, or no count where it is 2^53 or more. Null when price or usage is not
 * known: unknown is never zero.
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
 * What numbers of tokens cost, each followed by its rate: nano-dollars, half up. No count where it is 2^53 or more;
 * null where one of the numbers is none.
 */
export function costOfCharges(charges: readonly number[]): number | null {
  let sum = 0
  for (let i = 0; i < charges.length; i += 2) {
    if (!isCount(charges[i])) return null
    sum += (charges[i] ?? 0) * (charges[i + 1] ?? 0)
  }
  // Nothing in it is negative, so a sum that is below 2^53 now has been all the way, and is exact.
  return sum <= Number.MAX_SAFE_INTEGER ? Math.round(sum / MILLION) : exactCost(charges, sum)
}

/** A million tokens at 15 dollars a million are 1.5e16, beyond what a double holds. */
function exactCost(charges: readonly number[], sum: number): number {
  if (!Number.isFinite(sum)) return Number.NaN
  let exact = 0n
  for (let i = 0; i < charges.length; i += 2) exact += BigInt(charges[i] ?? 0) * BigInt(Math.round(charges[i + 1] ?? 0))
  return Number((exact + BigInt(MILLION / 2)) / BigInt(MILLION))
}

/** A line of a bill: so many of a kind, at a rate. */
export interface CostLine {
  /** A kind of tokens, none counted twice, or the name of a unit. */
  readonly kind: string
  readonly count: number
  /** Integer nano-dollars per million tokens, or per unit. */
  readonly rate: number
  readonly per: 'million' | 'unit'
  /** Integer nano-dollars, half up: the sum of lines may be off by that. */
  readonly amount: number
}

/** How a cost came about. */
export interface CostExplained {
  readonly lines: readonly CostLine[]
  /** The tier of service whose rates they are; absent = the usual one. */
  readonly tier?: string
  /** Whether the lines are all of it; else something counted that is not known any more, as a tier or a minimum. */
  readonly isWhole: boolean
}

/**
 * How a cost came about, of what is known of a request afterwards: the tier of its answer is not, so the one is taken
 * by which the cost is right. Undefined where the price, or what was used, is not known.
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
