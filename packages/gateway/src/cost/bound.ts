import type { Loss, ModelFacts, Price, Rates } from '@headgate/core/canonical'
import { isCount, type Usage } from '@headgate/core/canonical'
import type { Provider } from '@headgate/core/contract'
import type { Body } from '../edge/body.ts'
import { costOfCharges, costOfUnits, ratesFor } from './cost.ts'

/**
 * The most that one call of an upstream can use. `input` and `output` are the most of each; a share is the most that
 * may be of that kind, however much of the total other kinds may be as well. Infinity = nobody knows.
 */
export interface Bound extends Omit<Usage, 'tier'> {
  /** Tiers of service that the answer may name, beside the usual one. */
  readonly tiers?: readonly string[]
  /**
   * It is counted in one or another of the units, or in some that is not named. Default: in tokens and in all of the
   * units.
   */
  readonly isOpen?: boolean
  /** Units that it may be counted in as well: they count where they have a price. */
  readonly perhaps?: Readonly<Record<string, number>>
}

/** What a request asks for, as far as it bounds its cost. */
export interface Asked {
  /** Absent where the request has no body. */
  readonly body?: Body
  /** Id of the caller's format, where the family has several. */
  readonly format?: string
  /** The candidate that is asked, where the family asks providers. */
  readonly provider?: Provider
  /** Its own name of the model. */
  readonly model?: string
  /** What is known of that model there. */
  readonly facts?: ModelFacts | undefined
  /** What does not reach it: a limit that is dropped is none. */
  readonly losses?: readonly Loss[]
  /** The gateway searches the web for it: such tools run by calls of their own, each bounded by itself. */
  readonly searchedFor?: boolean
}

/** A kind of token: its rate, and the most that there may be. */
type Kind = readonly [rate: number | undefined, most: number | undefined]

/**
 * Adds what tokens cost at most: as many of the dearest kind as there may be, then of the next. False = nobody knows.
 */
function addDearest(charges: number[], total: number, kinds: readonly Kind[]): boolean {
  const dearest = kinds.filter(([rate = 0, most = 0]) => rate > 0 && most > 0)
  if (dearest.length > 1) dearest.sort(([a = 0], [b = 0]) => b - a)
  let left = total
  for (const [rate = 0, most = 0] of dearest) {
    const count = Math.min(left, most)
    if (!isCount(count)) return false
    charges.push(count, rate)
    left -= count
  }
  return true
}

function mostOfTokens(bound: Bound, rates: Rates): number | null {
  const { input, output, cacheWrite, cacheWriteLong, audioInput, imageInput, audioOutput, imageOutput } = bound
  const charges: number[] = []
  const isKnown =
    addDearest(charges, input, [
      [rates.input, input],
      // Whatever was written by somebody earlier may be read.
      [rates.cacheRead, input],
      [rates.cacheWrite, cacheWrite],
      [rates.cacheWriteLong, cacheWriteLong],
      [rates.audioInput, audioInput],
      [rates.audioCached, audioInput],
      [rates.imageInput, imageInput],
    ]) &&
    addDearest(charges, output, [
      [rates.output, output],
      [rates.audioOutput, audioOutput],
      [rates.imageOutput, imageOutput],
    ])
  return isKnown ? costOfCharges(charges) : null
}

const NONE: NonNullable<Bound['units']> = {}

function mostOfUnits({ units = NONE, isOpen = false, perhaps = NONE }: Bound, price: Price): number | null {
  const rates = price.units ?? {}
  const isPriced = (unit: string): boolean => Object.hasOwn(rates, unit)
  if (!isOpen && units === NONE && price.units === undefined) return 0
  const named = Object.entries(units).filter(([unit]) => !isOpen || isPriced(unit))
  if (isOpen && named.length === 0) return null
  const others = isOpen ? Number.POSITIVE_INFINITY : 0
  const most = new Map([...Object.keys(rates).map((unit) => [unit, perhaps[unit] ?? others] as const), ...named])
  // What costs nothing may be as much as it likes.
  const dear = [...most].filter(([unit]) => !isPriced(unit) || rates[unit] !== 0)
  return costOfUnits({ units: Object.fromEntries(dear) }, price)
}

/** The tier that an answer names which names none. */
const USUAL = [undefined]

/**
 * The most that a call with that bound can cost: integer nano-dollars. It is at the dearest of what the call may turn
 * out to be: its tier of service, long or not, written to a cache. Null where price or bound is not known.
 */
export function mostOf(bound: Bound | undefined, price: Price | undefined): number | null {
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

/** Bytes of a token of English prose, about. */
const BYTES_PER_TOKEN = 4

/** About how many tokens a text of so many bytes is. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}
