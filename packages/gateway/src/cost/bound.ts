import type { Loss, ModelFacts, Price, Rates } from '@headgate/core/canonical'
import { isCount, type Usage } from '@headgate/core/canonical'
import type { Provider } from '@headgate/core/contract'
import type { ParsedBody } from '../edge/body.ts'
import { costOfCharges, costOfUnits, ratesFor } from './cost.ts'

/**
 * Upper limits of the usage of one upstream call. `input` and `output` are totals. Each other count limits one kind of
 * token within its total, independent of the other kinds. Infinity = unknown.
 */
export interface UsageBound extends Omit<Usage, 'tier' | 'variant'> {
  /** Service tiers that the response may name, in addition to the default tier. */
  readonly tiers?: readonly string[]
  /** Variants that the response may have. Absent: any variant of the price. */
  readonly variants?: readonly string[]
  /**
   * Set if the call is billed in only some of the units, or in units that are not listed. Default: in tokens and in all
   * listed units.
   */
  readonly isOpen?: boolean
  /** Units that may be billed in addition. They count only if they have a price. */
  readonly perhaps?: Readonly<Record<string, number>>
}

/** Facts about a request that limit its cost. */
export interface CostInput {
  /** Absent if the request has no body. */
  readonly body?: ParsedBody
  /** Id of the caller's format, if the family has several. */
  readonly format?: string
  /** Provider of the candidate, if the family calls providers. */
  readonly provider?: Provider
  /** The provider's name of the model. */
  readonly model?: string
  /** Facts about the model at that provider. */
  readonly facts?: ModelFacts | undefined
  /** Losses of the request. A dropped limit does not limit the cost. */
  readonly losses?: readonly Loss[]
  /** Set if the gateway runs the request's web searches. Each search is a separate call with its own bound. */
  readonly searchedFor?: boolean
  /** Set if the gateway makes the request's images. Each image is a separate call with its own bound. */
  readonly drawnFor?: boolean
}

/** Rate of a kind of token, and the maximum number of such tokens. */
type TokenRate = readonly [rate: number | undefined, most: number | undefined]

/**
 * Adds the maximum cost of `total` tokens: as many as possible of the most expensive kind, then of the next kind. False
 * = unknown.
 */
function addMostExpensive(charges: number[], total: number, kinds: readonly TokenRate[]): boolean {
  const mostExpensive = kinds.filter(([rate = 0, most = 0]) => rate > 0 && most > 0)
  if (mostExpensive.length > 1) mostExpensive.sort(([a = 0], [b = 0]) => b - a)
  let left = total
  for (const [rate = 0, most = 0] of mostExpensive) {
    const count = Math.min(left, most)
    if (!isCount(count)) return false
    charges.push(count, rate)
    left -= count
  }
  return true
}

function mostOfTokens(bound: UsageBound, rates: Rates): number | null {
  const { input, output, cacheWrite, cacheWriteLong, audioInput, imageInput, audioOutput, imageOutput } = bound
  const charges: number[] = []
  const isKnown =
    addMostExpensive(charges, input, [
      [rates.input, input],
      // Earlier requests may have cached any part of the input.
      [rates.cacheRead, input],
      [rates.cacheWrite, cacheWrite],
      [rates.cacheWriteLong, cacheWriteLong],
      [rates.audioInput, audioInput],
      [rates.audioCached, audioInput],
      [rates.imageInput, imageInput],
    ]) &&
    addMostExpensive(charges, output, [
      [rates.output, output],
      [rates.audioOutput, audioOutput],
      [rates.imageOutput, imageOutput],
    ])
  return isKnown ? costOfCharges(charges) : null
}

const NONE: NonNullable<UsageBound['units']> = {}

function mostOfUnits({ units = NONE, variants, isOpen = false, perhaps = NONE }: UsageBound, price: Price) {
  if (!isOpen && units === NONE && price.units === undefined && price.variants === undefined) return 0
  let most: number | null = null
  for (const rates of rateCards(variants, price)) {
    const cost = mostAtRates({ units, isOpen, perhaps }, rates, price)
    if (cost === null) return null
    most = Math.max(most ?? 0, cost)
  }
  return most
}

/** Prices of units for each variant that the response may have. A missing variant has no prices. */
function rateCards(variants: readonly string[] | undefined, price: Price): readonly Readonly<Record<string, number>>[] {
  const { units = NONE, variants: all } = price
  if (!all) return [units]
  const names = new Set(Object.values(all).flatMap((rates) => Object.keys(rates)))
  const common = Object.fromEntries(Object.entries(units).filter(([unit]) => !names.has(unit)))
  const chosen = variants?.length ? variants : Object.keys(all)
  return chosen.map((name) => ({ ...common, ...(Object.hasOwn(all, name) ? all[name] : NONE) }))
}

function mostAtRates(
  { units, isOpen, perhaps }: Required<Pick<UsageBound, 'units' | 'isOpen' | 'perhaps'>>,
  rates: Readonly<Record<string, number>>,
  { id, least }: Price,
): number | null {
  const isPriced = (unit: string): boolean => Object.hasOwn(rates, unit)
  const named = Object.entries(units).filter(([unit]) => !isOpen || isPriced(unit))
  if (isOpen && named.length === 0) return null
  const others = isOpen ? Number.POSITIVE_INFINITY : 0
  const most = new Map([...Object.keys(rates).map((unit) => [unit, perhaps[unit] ?? others] as const), ...named])
  // Units with a rate of 0 need no limit.
  const priced = [...most].filter(([unit]) => !isPriced(unit) || rates[unit] !== 0)
  const price: Price = { id, input: 0, output: 0, units: rates, ...(least && { least }) }
  return costOfUnits({ units: Object.fromEntries(priced) }, price)
}

/** The default tier; a response that uses it names no tier. */
const USUAL = [undefined]

/**
 * Worst-case cost of a call with that bound, in integer nano-dollars. It assumes the most expensive service tier and
 * variant, long or short context, and cache writes. Null if the price or the bound is unknown.
 */
export function mostOf(bound: UsageBound | undefined, price: Price | undefined): number | null {
  if (!bound || !price) return null
  let tokens = 0
  for (const tier of bound.tiers ? [undefined, ...bound.tiers] : USUAL) {
    const short = ratesFor({ input: 0, output: 0, ...(tier !== undefined && { tier }) }, price)
    const long = ratesFor({ input: bound.input, output: 0, ...(tier !== undefined && { tier }) }, price)
    for (const rates of short === long ? [short] : [short, long]) {
      const most = rates ? mostOfTokens(bound, rates) : null
      if (most === null) return null
      tokens = Math.max(tokens, most)
    }
  }
  const units = mostOfUnits(bound, price)
  const most = units === null ? Number.NaN : Math.max(price.minimum ?? 0, tokens + units)
  return isCount(most) ? most : null
}

/** Approximate size of a token of English prose, in bytes. */
const BYTES_PER_TOKEN = 4

/** Approximate number of tokens in a string of that many bytes. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}
