import { explainCost, type PriceBook } from '@headgate/gateway/ports'
import type { RequestUsage } from '@headgate/store'
import { billedUsage } from '@headgate/store/sql'

/**
 * Computation of the cost of the request's last call from the applied price; undefined if the price is no longer known.
 */
export function arithmeticOf(row: RequestUsage, prices: PriceBook) {
  const last = row.attempts?.at(-1)
  const usage = billedUsage(row)
  if (!last || last.cost === null || last.priceId === null || !usage) return undefined
  const price = prices.priceOf(last.provider, last.model, row.at)
  if (price?.id !== last.priceId) return undefined
  const explained = explainCost(usage, price, Number(last.cost))
  if (!explained) return undefined
  return {
    ...explained,
    priceId: price.id,
    lines: explained.lines.map((line) => ({ ...line, amount: String(line.amount) })),
  }
}
