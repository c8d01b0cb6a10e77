import type { Budget } from '../../api/budgets.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { BudgetMeter } from '../../budgets/budget-meter.tsx'
import { shareOf } from '../../budgets/forecast.ts'
import { EnvironmentChip } from '../../components/chip.tsx'
import { Time } from '../../components/values.tsx'
import type { Column } from '../../table/columns.ts'
import { rightsOf } from './rights.ts'
import { StateChip, stateOf } from './state.tsx'

export interface Shown {
  readonly budgets: ReadonlyMap<string, Budget>
  readonly members: ReadonlyMap<string, string>
  readonly now: number
  /** Whether one of the rows is open beside it. */
  readonly isNarrow: boolean
}

/** What a row of the list says. */
export function keyColumns({ budgets, members, now, isNarrow }: Shown): readonly Column<Key>[] {
  const holder = ({ createdBy, service }: Key): string => {
    if (service) return 'service key'
    return createdBy === undefined ? '' : (members.get(createdBy) ?? createdBy)
  }
  const wide: Column<Key>[] = [
    {
      id: 'prefix',
      title: 'Secret',
      from: 'md',
      width: '9.5rem',
      cell: ({ prefix }) => <code className="font-mono">{prefix}</code>,
    },
    {
      id: 'holder',
      title: 'Made by',
      from: 'lg',
      width: '9rem',
      sortBy: (key) => holder(key) || null,
      cell: (key) => holder(key) || <span className="text-muted">the command line</span>,
    },
    { id: 'rights', title: 'May', from: 'lg', cell: (key) => <span title={rightsOf(key)}>{rightsOf(key)}</span> },
    {
      id: 'budget',
      title: 'Budget',
      from: 'md',
      width: '10rem',
      isDescending: true,
      sortBy: ({ id }) => {
        const budget = budgets.get(id)
        return budget ? shareOf(budget.spent, budget.limit) : null
      },
      cell: ({ id }) => {
        const budget = budgets.get(id)
        return budget ? <BudgetMeter budget={budget} now={now} /> : <span className="text-muted">none of its own</span>
      },
    },
  ]
  return [
    {
      id: 'name',
      title: 'Name',
      isName: true,
      sortBy: (key) => titleOf(key),
      cell: (key) => titleOf(key),
    },
    {
      id: 'environment',
      title: 'Environment',
      width: 'clamp(6.5rem, 14vw, 8rem)',
      sortBy: ({ environment }) => environment,
      cell: ({ environment }) => <EnvironmentChip name={environment} />,
    },
    ...(isNarrow ? [] : wide),
    {
      id: 'used',
      title: 'Last used',
      width: 'clamp(5rem, 14vw, 7.5rem)',
      isDescending: true,
      sortBy: ({ lastUsedAt }) => lastUsedAt ?? null,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === undefined ? <span className="text-muted">never</span> : <Time at={lastUsedAt} />,
    },
    {
      id: 'ends',
      title: 'Ends',
      width: '8rem',
      from: 'sm',
      sortBy: ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt ?? null,
      cell: (key) => <Ends of={key} now={now} />,
    },
  ]
}

function Ends({ of, now }: { readonly of: Key; readonly now: number }) {
  const state = stateOf(of, now)
  if (state !== 'active') return <StateChip state={state} />
  return of.expiresAt === undefined ? <span className="text-muted">never</span> : <Time at={of.expiresAt} />
}
