import type { BudgetItem } from '../api/budgets.ts'

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
