import type { Spend } from '../budgets/spend.ts'
import type { BeginRecord } from '../journal/record.ts'
import type { LedgerRow } from '../usage/row.ts'

/** Usage row of a request without an end, held at its worst-case cost. It has one begin record per upstream call. */
export function lostRow(begins: readonly BeginRecord[], run: string): LedgerRow {
  const [first, last] = [begins[0], begins.at(-1)]
  if (!first || !last) throw new TypeError('A request has begun at least once.')
  const { id, principal, family, format, model, tags } = first
  const { provider, endpoint, providerModel, priceId } = last
  return {
    id,
    requestId: id,
    principal,
    tags,
    family,
    format,
    model,
    provider,
    endpoint,
    providerModel,
    priceId,
    startedAt: first.at,
    stream: false,
    translated: false,
    status: 0,
    billed: false,
    why: 'lost',
    cost: null,
    charged: null,
    held: String(begins.reduce((sum, { bound }) => sum + BigInt(bound), 0n)),
    losses: [],
    durationMs: 0,
    run,
    spends: heldBy(begins),
    attempts: begins.map((begin) => ({
      provider: begin.provider,
      endpoint: begin.endpoint,
      model: begin.providerModel,
      startedAt: begin.at,
      durationMs: 0,
      cost: null,
      priceId: begin.priceId,
    })),
  }
}

/** Reserved amounts count as spent. */
function heldBy(begins: readonly BeginRecord[]): Spend[] {
  const spends = new Map<string, Spend>()
  for (const { bound, holds = [] } of begins)
    for (const hold of holds) {
      const key = `${hold.budget}\0${hold.win}`
      const amount = String(BigInt(spends.get(key)?.amount ?? 0) + BigInt(bound))
      spends.set(key, { ...hold, amount, held: amount })
    }
  return [...spends.values()]
}
