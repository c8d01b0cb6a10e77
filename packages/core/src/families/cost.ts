import type { Price, Rates } from '../chat/target.ts'
import type { Usage } from '../chat/usage.ts'

/** Tokens that a price counts by the million. */
const MILLION = 1_000_000

/** The rates that hold for a request: some prices rise for all tokens once the input is long. */
function ratesFor(usage: Usage, price: Price): Rates {
  return price.long && usage.input > price.long.above ? price.long : price
}

/** Cost in integer nano-dollars; null when price or usage is not known: unknown is never zero. */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | null {
  if (!usage || !price) return null
  const rates = ratesFor(usage, price)
  const { cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, audioInput = 0, audioOutput = 0 } = usage
  const written = Math.max(0, cacheWrite - cacheWriteLong)
  const plainInput = Math.max(0, usage.input - cacheRead - cacheWrite - audioInput)
  const plainOutput = Math.max(0, usage.output - audioOutput)
  const writeRate = rates.cacheWrite ?? rates.input
  const sum =
    plainInput * rates.input +
    cacheRead * (rates.cacheRead ?? rates.input) +
    written * writeRate +
    cacheWriteLong * (rates.cacheWriteLong ?? writeRate) +
    audioInput * (rates.audioInput ?? rates.input) +
    plainOutput * rates.output +
    audioOutput * (rates.audioOutput ?? rates.output)
  return Math.round(sum / MILLION)
}
