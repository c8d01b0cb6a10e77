import type { Price, Rates } from '../canonical/target.ts'
import { isCount, type Usage } from '../canonical/usage.ts'

/** Tokens that a price counts by the million. */
const MILLION = 1_000_000

/** The rates that hold for a request: some prices rise for all tokens once the input is long. */
function ratesFor(usage: Usage, price: Price): Rates {
  return price.long && usage.input > price.long.above ? price.long : price
}

/** What is charged: numbers of tokens, each followed by its rate. */
function chargesOf(usage: Usage, rates: Rates): number[] {
  const { cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, audioInput = 0, audioOutput = 0 } = usage
  const writeRate = rates.cacheWrite ?? rates.input
  return [
    Math.max(0, usage.input - cacheRead - cacheWrite - audioInput),
    rates.input,
    cacheRead,
    rates.cacheRead ?? rates.input,
    Math.max(0, cacheWrite - cacheWriteLong),
    writeRate,
    cacheWriteLong,
    rates.cacheWriteLong ?? writeRate,
    audioInput,
    rates.audioInput ?? rates.input,
    Math.max(0, usage.output - audioOutput),
    rates.output,
    audioOutput,
    rates.audioOutput ?? rates.output,
  ]
}

/** What other units than tokens cost; null where the price of one, or its number, is not known. */
function costOfUnits({ units }: Usage, { units: rates }: Price): number | null {
  if (!units || !rates) return 0
  let sum = 0
  for (const [unit, value] of Object.entries(units)) {
    const rate = Object.hasOwn(rates, unit) ? rates[unit] : undefined
    if (rate === undefined || !isCount(value)) return null
    sum += value * rate
  }
  return sum
}

/** Cost in nano-dollars, half up: an integer, or no count where it is 2^53 or more. Null when price or usage is not known: unknown is never zero. */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | null {
  if (!usage || !price) return null
  const tokens = costOfTokens(usage, price)
  const units = costOfUnits(usage, price)
  return tokens === null || units === null ? null : tokens + units
}

function costOfTokens(usage: Usage, price: Price): number | null {
  if (!isCount(usage.input) || !isCount(usage.output)) return null
  const charges = chargesOf(usage, ratesFor(usage, price))
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
