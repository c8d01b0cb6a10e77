import { explainCost, type PriceBook } from '@headgate/gateway/ports'
import type { RequestUsage } from '@headgate/store'

/**
 * Computation of the cost of the request's last call from the applied price; undefined if the price is no longer known.
 */
export function arithmeticOf(row: RequestUsage, prices: PriceBook) {
  const last = row.attempts?.at(-1)
  if (!last || last.cost === null || last.priceId === null || row.input === null || row.output === null)
    return undefined
  const price = prices.priceOf(last.provider, last.model, row.at)
  if (price?.id !== last.priceId) return undefined
  const explained = explainCost(usageOf(row, row.input, row.output), price, Number(last.cost))
  if (!explained) return undefined
  return {
    ...explained,
    priceId: price.id,
    lines: explained.lines.map((line) => ({ ...line, amount: String(line.amount) })),
  }
}

/** Counts that prices apply to; unknown counts are absent. */
function usageOf(
  { cacheRead, cacheWrite, cacheWriteLong, audioInput, audioOutput, units }: RequestUsage,
  input: number,
  output: number,
) {
  return {
    input,
    output,
    ...(cacheRead !== null && { cacheRead }),
    ...(cacheWrite !== null && { cacheWrite }),
    ...(cacheWriteLong !== null && { cacheWriteLong }),
    ...(audioInput !== null && { audioInput }),
    ...(audioOutput !== null && { audioOutput }),
    ...(units !== null && { units }),
  }
}
