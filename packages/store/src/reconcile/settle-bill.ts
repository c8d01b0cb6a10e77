import type { HeldAmount } from '../budgets/held.ts'
import type { Bill } from './bill.ts'
import { sameName } from './compare-bill.ts'

/** Held amount of a request, and the cost that a bill leaves for it. */
export interface Settlement {
  readonly amount: HeldAmount
  /** Nano-dollars, from 0 to the held amount. */
  readonly cost: bigint
}

/** Held amounts of one day and model, and how a bill settles them. */
export interface SettledDay {
  /** Date in UTC, such as `2026-11-01`. */
  readonly day: string
  /** Model name on the bill. */
  readonly model: string
  readonly settlements: readonly Settlement[]
}

/** Known costs of one day and model. */
export interface KnownDay {
  readonly day: string
  readonly model: string
  /** Nano-dollars. */
  readonly cost: string
}

const keyOf = (day: string, model: string): string => `${day} ${sameName(model)}`

/**
 * Settles held amounts by a bill. Charges for a day and model beyond the known costs become the cost of the held
 * requests, in proportion to their held amounts; the rest is released. Days and models without a cost on the bill stay
 * held.
 * @param held amounts of the bill's provider
 */
export function settleByBill(
  { lines }: Pick<Bill, 'lines'>,
  days: readonly KnownDay[],
  held: readonly HeldAmount[],
): SettledDay[] {
  const known = new Map<string, bigint>()
  for (const { day, model, cost } of days)
    known.set(keyOf(day, model), (known.get(keyOf(day, model)) ?? 0n) + BigInt(cost))
  const byDay = Map.groupBy(held, ({ at, providerModel }) =>
    keyOf(new Date(at).toISOString().slice(0, 10), providerModel),
  )
  const bills = Map.groupBy(lines, ({ day, model }) => keyOf(day, model))
  return [...bills].flatMap(([key, own]): SettledDay[] => {
    const [amounts, first] = [byDay.get(key), own[0]]
    if (!amounts || !first || own.some(({ cost }) => cost === undefined)) return []
    const billed = own.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n)
    return [{ day: first.day, model: first.model, settlements: spread(amounts, billed - (known.get(key) ?? 0n)) }]
  })
}

/** Whole nano-dollars in proportion to held amounts. The remainder goes to the first amounts. */
function spread(amounts: readonly HeldAmount[], unknown: bigint): Settlement[] {
  const all = amounts.reduce((sum, { held }) => sum + held, 0n)
  const due = unknown <= 0n ? 0n : unknown < all ? unknown : all
  let left = due
  const shares = amounts.map(({ held }) => (due * held) / all)
  for (const share of shares) left -= share
  return amounts.map((amount, index): Settlement => {
    const more = left > 0n ? 1n : 0n
    left -= more
    return { amount, cost: (shares[index] ?? 0n) + more }
  })
}
