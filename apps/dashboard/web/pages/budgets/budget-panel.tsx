import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type BudgetItem, budgetsQuery } from '../../api/budgets.ts'
import { useMay } from '../../api/me.ts'
import { BudgetMeter, isBlocked, leftOf } from '../../budgets/budget-meter.tsx'
import { forecastOf } from '../../budgets/forecast.ts'
import { Button } from '../../components/button.tsx'
import { CopyId } from '../../components/copy.tsx'
import { Fact, Facts as FactList } from '../../components/facts.tsx'
import { useNow } from '../../components/now.ts'
import { Part } from '../../components/page.tsx'
import { Peek } from '../../components/peek.tsx'
import { Loaded, Note } from '../../components/states.tsx'
import { FullTime, Money, Time } from '../../components/values.tsx'
import { counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { BudgetForm } from './budget-form.tsx'
import { RemoveBudget, ResetBudget } from './end-dialogs.tsx'
import type { Owners } from './owners.ts'
import { endSentence, termsOf } from './sentences.ts'

export interface BudgetPanelProps {
  readonly id: string
  readonly owners: Owners
  onClose(): void
  /** Opens another budget instead. */
  onOpen(id: string): void
}

/** Panel of a budget: its state, the form that changes it, and its details. */
export function BudgetPanel({ id, owners, onClose, onOpen }: BudgetPanelProps) {
  const query = useQuery(budgetsQuery)
  const budget = query.data?.items.find((one) => one.id === id)
  return (
    <Peek of={id} title={budget?.name ?? 'Budget'} onClose={onClose}>
      <Loaded query={query} rows={8}>
        {() =>
          budget ? (
            <Facts key={id} of={budget} {...{ owners, onClose, onOpen }} />
          ) : (
            <Note look="plain">Budget not found. It may have been removed, or you cannot see it.</Note>
          )
        }
      </Loaded>
    </Peek>
  )
}

function Facts({ of, owners, onClose, onOpen }: Omit<BudgetPanelProps, 'id'> & { readonly of: BudgetItem }) {
  const now = useNow()
  const mayWrite = useMay('budgets.write') !== undefined
  const [dialog, setDialog] = useState<'reset' | 'remove'>()
  const show = (next: typeof dialog) => () => setDialog(next)
  const { scope, soft, counts, resetAt } = of
  return (
    <>
      <div>
        <p className="mb-2 text-muted">{termsOf(of)}</p>
        <BudgetMeter budget={of} now={now} />
        <p className="mt-1">{endSentence(forecastOf(of, now), of, now)}</p>
      </div>
      <dl className="grid grid-cols-3 gap-3">
        <Amount name="Spent" nanos={of.spent} />
        <Amount name="Left" nanos={leftOf(of)} />
        {isBlocked(of) && (
          <Amount
            name="Held by gateways"
            nanos={of.tiedUp}
            title="Gateways hold all that is left, so other gateways refuse requests until it is returned."
          />
        )}
      </dl>
      {of.refused && <Refusals of={of} refused={of.refused} />}
      {of.source === 'config' ? (
        <Note look="plain">This budget comes from the configuration. Change it there.</Note>
      ) : (
        mayWrite && (
          <>
            <BudgetForm key={of.version} of={of} onDone={() => {}} onCancel={onClose} />
            <div className="flex flex-wrap gap-2">
              <Button onClick={show('reset')}>Reset spend</Button>
              <Button look="danger" onClick={show('remove')}>
                Remove budget
              </Button>
            </div>
          </>
        )
      )}
      <Part title="Details">
        <FactList>
          <Fact name={LABELS.owner}>
            {scope} <OwnerLink of={of} name={owners[scope].get(of.owner)} />
          </Fact>
          <Fact name="Enforcement">{soft ? 'alert only' : 'hard limit'}</Fact>
          <Fact name="Counts">{counts === 'cost' ? 'provider cost' : 'amount charged'}</Fact>
          <Fact name="Resets">{resetAt === undefined ? LABELS.never : <FullTime at={resetAt} />}</Fact>
          <Fact name={LABELS.id}>
            <CopyId id={of.id} />
          </Fact>
        </FactList>
      </Part>
      {dialog === 'reset' && <ResetBudget of={of} onClose={show(undefined)} onDone={onOpen} />}
      {dialog === 'remove' && <RemoveBudget of={of} onClose={show(undefined)} onDone={onClose} />}
    </>
  )
}

interface RefusalsProps {
  readonly of: BudgetItem
  readonly refused: NonNullable<BudgetItem['refused']>
}

/** Requests that a budget refused, with a link to all requests of its owner that were refused. */
function Refusals({ of: { scope, owner }, refused }: RefusalsProps) {
  const filters = { ...(scope === 'organization' ? {} : { [scope]: owner }) }
  return (
    <p>
      {counted(refused.requests, 'request')} refused in 24 hours, the last one <Time at={refused.lastAt} />.{' '}
      <Link to="/requests" search={{ ...filters, range: '24h', outcome: 'refused', failure: 'over-budget' }}>
        Show requests
      </Link>
    </p>
  )
}

interface AmountProps {
  readonly name: string
  readonly nanos: string | bigint
  readonly title?: string
}

function Amount({ name, nanos, title }: AmountProps) {
  return (
    <div>
      <dt className="text-small text-muted" title={title}>
        {name}
      </dt>
      <dd className="text-lead font-semibold">
        <Money nanos={nanos} />
      </dd>
    </div>
  )
}

/** Owner of a budget, with a link if it is a key that the user can see. */
export function OwnerLink({
  of: { scope, owner },
  name,
}: {
  readonly of: BudgetItem
  readonly name: string | undefined
}) {
  const mayReadKeys = useMay('keys.read') !== undefined
  if (scope !== 'key' || !mayReadKeys) return name ?? owner
  return (
    <Link to="/keys" search={{ row: owner }}>
      {name ?? owner}
    </Link>
  )
}
