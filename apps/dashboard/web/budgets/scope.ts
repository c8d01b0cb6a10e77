import type { BudgetItem, SharedBudgetItem } from '../api/budgets.ts'
import { leftOf } from './budget-meter.tsx'

/** Project and environment that the user has chosen. */
export interface ChosenScope {
  readonly project?: string | undefined
  readonly environment?: string | undefined
}

/** Key as a budget's owner. */
export interface BudgetKey {
  readonly id: string
  readonly project: string
  readonly environment: string
}

/**
 * Budgets that restrict requests of a project and environment: of the organization, the project, and its keys. Budgets
 * of members are left out, because members can have keys in several projects.
 */
export function budgetsInScope<Given extends Pick<BudgetItem, 'scope' | 'owner'>>(
  budgets: readonly Given[],
  { project, environment }: ChosenScope,
  keys: readonly BudgetKey[],
): readonly Given[] {
  if (project === undefined && environment === undefined) return budgets
  const own = new Set(
    keys
      .filter((key) => project === undefined || key.project === project)
      .filter((key) => environment === undefined || key.environment === environment)
      .map(({ id }) => id),
  )
  return budgets.filter(({ scope, owner }) => {
    if (scope === 'key') return own.has(owner)
    if (scope === 'project') return project === undefined || owner === project
    return scope === 'organization'
  })
}

/** Budget that restricts a key, with what is left of it. */
export interface RestrictingBudget {
  readonly id: string
  readonly name: string
  readonly scope: BudgetItem['scope']
  /** Nano-dollars. */
  readonly left: bigint
  /** True if the budget only alerts. */
  readonly soft: boolean
  /** All of it, if the user may read it. */
  readonly budget?: BudgetItem | undefined
}

/** Key with the member who created it; absent = no budget of a member restricts it. */
export interface KeyWithCreator extends Pick<BudgetKey, 'id' | 'project'> {
  readonly createdBy?: string | undefined
}

/** Budgets that restrict a key, by the amount left, the lowest first. Budgets that only alert come last. */
export function budgetsOfKey(
  { id, project, createdBy }: KeyWithCreator,
  budgets: readonly BudgetItem[],
  shared: readonly SharedBudgetItem[],
): readonly RestrictingBudget[] {
  const owners = { key: id, project, member: createdBy }
  const restricts = ({ scope, owner }: Pick<BudgetItem, 'scope' | 'owner'>): boolean =>
    scope === 'organization' || owners[scope] === owner
  const own = budgets
    .filter(restricts)
    .map((budget): RestrictingBudget => ({ ...namesOf(budget), left: leftOf(budget), budget }))
  const known = new Set(own.map((budget) => budget.id))
  const others = shared
    .filter((budget) => restricts(budget) && !known.has(budget.id))
    .map((budget): RestrictingBudget => ({ ...namesOf(budget), left: BigInt(budget.left) }))
  return [...own, ...others].sort(
    (one, other) => Number(one.soft) - Number(other.soft) || (one.left < other.left ? -1 : 1),
  )
}

function namesOf({ id, name, scope, soft }: Pick<RestrictingBudget, 'id' | 'name' | 'scope' | 'soft'>) {
  return { id, name, scope, soft }
}
