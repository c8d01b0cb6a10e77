import type { BudgetItem } from '../../api/budgets.ts'
import { type Key, titleOf } from '../../api/keys.ts'
import { BudgetMeter } from '../../budgets/budget-meter.tsx'
import { shareOf } from '../../budgets/forecast.ts'
import { EnvironmentChip } from '../../components/chip.tsx'
import { Time } from '../../components/values.tsx'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { RecordingChip } from './recording.tsx'
import { rightsOf } from './rights.ts'
import { isRecorded, StateChip, stateOf } from './state.tsx'

export interface KeyCells {
  readonly budgets: ReadonlyMap<string, BudgetItem>
  readonly members: ReadonlyMap<string, string>
  readonly now: number
  /** True if a panel is open next to the list. */
  readonly isNarrow: boolean
}

/** Columns of the list of keys. */
export function keyColumns({ budgets, members, now, isNarrow }: KeyCells): readonly TableColumn<Key>[] {
  const ownerOf = ({ createdBy, service }: Key): string => {
    if (service) return 'service key'
    return createdBy === undefined ? '' : (members.get(createdBy) ?? createdBy)
  }
  const wide: TableColumn<Key>[] = [
    {
      id: 'prefix',
      title: 'Secret',
      from: 'md',
      width: '9.5rem',
      cell: ({ prefix }) => <code className="font-mono">{prefix}</code>,
    },
    {
      id: 'owner',
      title: LABELS.owner,
      from: 'lg',
      width: '9rem',
      sortBy: (key) => ownerOf(key) || null,
      cell: (key) => ownerOf(key) || <span className="text-muted">{LABELS.cli}</span>,
    },
    {
      id: 'rights',
      title: LABELS.permissions,
      from: 'lg',
      cell: (key) => <span title={rightsOf(key)}>{rightsOf(key)}</span>,
    },
    {
      id: 'budget',
      title: LABELS.budget,
      from: 'md',
      width: '10rem',
      isDescending: true,
      sortBy: ({ id }) => {
        const budget = budgets.get(id)
        return budget ? shareOf(budget.spent, budget.limit) : null
      },
      cell: ({ id }) => {
        const budget = budgets.get(id)
        return budget ? <BudgetMeter budget={budget} now={now} /> : <span className="text-muted">no key budget</span>
      },
    },
  ]
  return [
    {
      id: 'name',
      title: LABELS.name,
      isName: true,
      sortBy: (key) => titleOf(key),
      cell: (key) => <NameCell of={key} now={now} />,
    },
    {
      id: 'environment',
      title: LABELS.environment,
      width: 'clamp(6.5rem, 14vw, 8rem)',
      sortBy: ({ environment }) => environment,
      cell: ({ environment }) => <EnvironmentChip name={environment} />,
    },
    ...(isNarrow ? [] : wide),
    {
      id: 'used',
      title: LABELS.lastUsed,
      width: 'clamp(5rem, 14vw, 7.5rem)',
      isDescending: true,
      sortBy: ({ lastUsedAt }) => lastUsedAt ?? null,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === undefined ? <span className="text-muted">{LABELS.never}</span> : <Time at={lastUsedAt} />,
    },
    {
      id: 'ends',
      title: LABELS.expires,
      width: '8rem',
      from: 'sm',
      sortBy: ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt ?? null,
      cell: (key) => <Expiry of={key} now={now} />,
    },
  ]
}

function NameCell({ of, now }: { readonly of: Key; readonly now: number }) {
  if (!isRecorded(of, now)) return titleOf(of)
  return (
    <>
      {titleOf(of)} <RecordingChip of={of} now={now} />
    </>
  )
}

function Expiry({ of, now }: { readonly of: Key; readonly now: number }) {
  const state = stateOf(of, now)
  if (state !== 'active') return <StateChip state={state} />
  return of.expiresAt === undefined ? <span className="text-muted">{LABELS.never}</span> : <Time at={of.expiresAt} />
}
