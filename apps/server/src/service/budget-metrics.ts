import type { BudgetStatus } from '@headgate/store'
import { Gauge, type Registry } from 'prom-client'

/** Maximum number of budgets in the gauges. */
const BUDGETS = 500
/** Time for which amounts are kept, in milliseconds. */
const FRESH_MS = 10_000
/** Maximum time that a scrape waits for the store, in milliseconds. */
const PATIENCE_MS = 1_000
const NANOS = 1e9

type BudgetStatuses = readonly BudgetStatus[]

/** Registers the gauges of the budgets with the least left. If the store does not answer, they keep their last values. */
export function registerBudgets(fullest: (most: number) => Promise<BudgetStatuses>, registers: Registry[]): void {
  const read = latest(() => fullest(BUDGETS))
  const gauge = (name: string, help: string, amount: (budget: BudgetStatus) => bigint): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: ['budget', 'scope'],
      registers,
      // All processes read the same store.
      aggregator: 'max',
      async collect() {
        const budgets = await read()
        this.reset()
        for (const one of budgets) this.set({ budget: one.id, scope: one.scope }, Number(amount(one)) / NANOS)
      },
    })
  gauge(
    'headgate_budget_limit_dollars',
    `Limit of a budget in US dollars. Only the ${BUDGETS} budgets with the least left have these metrics.`,
    ({ limit }) => limit,
  )
  gauge(
    'headgate_budget_used_dollars',
    'Part of a budget that was spent or is held in the current period, in US dollars.',
    ({ spent }) => spent,
  )
  gauge(
    'headgate_budget_held_dollars',
    'Part of a budget that is held for requests of unknown cost, in US dollars.',
    ({ held }) => held,
  )
}

/** Reader that shares one query among gauges, and waits for a limited time. */
function latest(query: () => Promise<BudgetStatuses>): () => Promise<BudgetStatuses> {
  let known: BudgetStatuses = []
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<BudgetStatuses> | undefined
  const refresh = async (): Promise<BudgetStatuses> => {
    try {
      known = await query()
    } catch {
      // The metric of the store reports its failure.
    }
    readAt = performance.now()
    reading = undefined
    return known
  }
  return async () => {
    if (performance.now() - readAt < FRESH_MS) return known
    reading ??= refresh()
    const { promise: late, resolve } = Promise.withResolvers<BudgetStatuses>()
    const timer = setTimeout(() => resolve(known), PATIENCE_MS)
    try {
      return await Promise.race([reading, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
