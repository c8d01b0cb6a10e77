import { type Budget, type BudgetScope, HeadgateError } from '@headgate/gateway/ports'
import type { NewBudget, StoreBudgets } from '@headgate/store'
import { configuredKeyId, DEFAULT_ORGANIZATION } from '@headgate/store'
import { dollarsText, nanosOf, readBudget } from '../config/budget-text.ts'
import type { BudgetConfig } from '../config/schema.ts'
import type { Settings } from '../config/settings.ts'

/** Prefix of the ids of configured budgets. */
const CONFIGURED = 'config:'

/** True if the configuration defines the budget. It can then be changed only there. */
export function isConfigured(budget: Pick<Budget, 'id'>): boolean {
  return budget.id.startsWith(CONFIGURED)
}

/** Budgets of a configuration. Ids come from the position, so that spending is kept when a limit changes. */
export function configuredBudgets({
  config,
  keys,
}: Pick<Settings, 'config' | 'keys'>): Parameters<StoreBudgets['configure']>[0] {
  const { projects = {}, organization = [], count = 'charged' } = config.budgets ?? {}
  const places = [
    ...keys.flatMap(({ key, budgets = [] }) => placed('key', configuredKeyId(key), budgets)),
    ...Object.entries(projects).flatMap(([name, budgets]) => placed('project', name, budgets)),
    ...placed('organization', DEFAULT_ORGANIZATION, organization),
  ]
  const seen = new Map<string, number>()
  return places.map(({ scope, owner, budget }) => {
    const defined = { scope, owner, counts: count, ...definition(budget) }
    const kind = [
      scope,
      owner,
      defined.period,
      ...(defined.soft ? ['soft'] : []),
      ...(defined.counts === 'cost' ? ['cost'] : []),
    ].join(':')
    const number = (seen.get(kind) ?? 0) + 1
    seen.set(kind, number)
    return { ...defined, id: `${CONFIGURED}${kind}${number === 1 ? '' : `:${number}`}` }
  })
}

interface PlacedBudget {
  readonly scope: BudgetScope
  readonly owner: string
  readonly budget: BudgetConfig
}

function placed(scope: BudgetScope, owner: string, budgets: readonly BudgetConfig[]): PlacedBudget[] {
  return budgets.map((budget) => ({ scope, owner, budget }))
}

/** @throws HeadgateError for a budget that the configuration check rejects. */
export function definition(
  budget: BudgetConfig,
): Pick<NewBudget, 'limit' | 'period' | 'zone' | 'soft'> & Pick<Partial<Budget>, 'counts'> {
  if (typeof budget === 'string') return known(readBudget(budget))
  const { limit, period = 'forever', zone, soft = false, count } = budget
  const nanos = nanosOf(typeof limit === 'string' ? limit : (dollarsText(limit) ?? ''))
  return { limit: known(nanos), period, soft, ...(zone && { zone }), ...(count && { counts: count }) }
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new HeadgateError('invalid-request', 'A configured budget is invalid.')
  return value
}
