import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { budgetsQuery, sharedBudgetsQuery } from '../../api/budgets.ts'
import type { Key } from '../../api/keys.ts'
import { useMay } from '../../api/me.ts'
import { BudgetMeter } from '../../budgets/budget-meter.tsx'
import { budgetsOfKey, type RestrictingBudget } from '../../budgets/scope.ts'
import { Part } from '../../components/page.tsx'
import { Failed, Skeleton } from '../../components/states.tsx'
import { Money } from '../../components/values.tsx'

/** True if the budgets are loaded. Until then, a panel with them would move. */
export function useAreBudgetsReady(): boolean {
  const mayRead = useMay('budgets.read')
  const budgets = useQuery({ ...budgetsQuery, enabled: mayRead !== undefined })
  const shared = useQuery({ ...sharedBudgetsQuery, enabled: mayRead === 'own' })
  return !budgets.isLoading && !shared.isLoading
}

/** Amount that a key can still spend, and the budgets that restrict it. */
export function KeyBudgets({ of, now }: { readonly of: Key; readonly now: number }) {
  const mayRead = useMay('budgets.read')
  const budgets = useQuery({ ...budgetsQuery, enabled: mayRead !== undefined })
  const shared = useQuery({ ...sharedBudgetsQuery, enabled: mayRead === 'own' })
  if (mayRead === undefined) return null
  const failed = budgets.error ? budgets : shared.error ? shared : undefined
  return (
    <Part title="Budgets">
      {failed ? (
        <Failed error={failed.error} retry={() => void failed.refetch()} />
      ) : !budgets.data || shared.isLoading ? (
        <Skeleton rows={2} />
      ) : (
        <List of={budgetsOfKey(of, budgets.data.items, shared.data?.items ?? [])} now={now} />
      )}
    </Part>
  )
}

function List({ of, now }: { readonly of: readonly RestrictingBudget[]; readonly now: number }) {
  const [first] = of
  return (
    <>
      <p className="mb-2">
        {first === undefined || first.soft ? (
          'No budget limits the spend of this key.'
        ) : (
          <>
            This key can still spend{' '}
            <strong>
              <Money nanos={first.left} />
            </strong>
            .
          </>
        )}
      </p>
      <ul className="flex flex-col gap-3">
        {of.map(({ id, name, scope, left, soft, budget }) => (
          <li key={id}>
            <p className="mb-1 flex flex-wrap justify-between gap-x-2">
              <span className="flex min-w-0 flex-wrap gap-x-2">
                {budget ? (
                  <Link to="/budgets" search={{ row: id }} className="wrap-anywhere">
                    {name}
                  </Link>
                ) : (
                  <span className="wrap-anywhere">{name}</span>
                )}
                <span className="text-muted">{soft ? `${scope}, alert only` : scope}</span>
              </span>
              <span className="text-muted">
                <Money nanos={left} />
                {budget && (
                  <>
                    {' '}
                    of <Money nanos={budget.limit} />
                  </>
                )}{' '}
                left
              </span>
            </p>
            {budget && <BudgetMeter budget={budget} now={now} />}
          </li>
        ))}
      </ul>
    </>
  )
}
