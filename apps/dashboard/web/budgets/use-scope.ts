import { useQuery } from '@tanstack/react-query'
import type { BudgetItem } from '../api/budgets.ts'
import { useMay } from '../api/me.ts'
import { keyNamesQuery } from '../api/queries.ts'
import { useView } from '../view/use-view.ts'
import { budgetsInScope } from './scope.ts'

/** Returns a function that keeps the budgets of the project and environment in the address. */
export function useBudgetScope(): (budgets: readonly BudgetItem[]) => readonly BudgetItem[] {
  const { project, environment } = useView()
  const isScoped = project !== undefined || environment !== undefined
  const mayRead = useMay('keys.read') !== undefined
  const { data } = useQuery({ ...keyNamesQuery, enabled: mayRead && isScoped })
  return (budgets) => budgetsInScope(budgets, { project, environment }, data?.items ?? [])
}
