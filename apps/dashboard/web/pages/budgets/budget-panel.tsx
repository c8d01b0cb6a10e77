import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Budget, budgetsQuery } from '../../api/budgets.ts'
import { useMay } from '../../api/me.ts'
import { BudgetMeter, leftOf } from '../../budgets/budget-meter.tsx'
import { forecastOf } from '../../budgets/forecast.ts'
import { Button } from '../../components/button.tsx'
import { CopyId } from '../../components/copy.tsx'
import { Fact, Facts as FactList } from '../../components/facts.tsx'
import { useNow } from '../../components/now.ts'
import { Part } from '../../components/page.tsx'
import { Peek } from '../../components/peek.tsx'
import { Loaded, Note } from '../../components/states.tsx'
import { FullTime, Money } from '../../components/values.tsx'
import { BudgetForm } from './budget-form.tsx'
import { RemoveBudget, ResetBudget } from './end-dialogs.tsx'
import type { Owners } from './owners.ts'
import { endSentence, termsOf } from './sentences.ts'

export interface BudgetPanelProps {
  readonly id: string
  readonly owners: Owners
  onClose(): void
  /** Opens another one in its place. */
  onOpen(id: string): void
}

/** A budget: what is left of it and until when, to be raised, lowered, reset or removed. */
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
            <Note look="plain">There is no such budget, or it is not yours to see. It may have been removed.</Note>
          )
        }
      </Loaded>
    </Peek>
  )
}

function Facts({ of, owners, onClose, onOpen }: Omit<BudgetPanelProps, 'id'> & { readonly of: Budget }) {
  const now = useNow()
  const mayWrite = useMay('budgets.write') !== undefined
  const [asked, setAsked] = useState<'reset' | 'remove'>()
  const ask = (what: typeof asked) => () => setAsked(what)
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
        <Amount name="Leased" nanos={of.tiedUp} title="What gateways may spend of it without asking the store again." />
      </dl>
      {of.source === 'config' ? (
        <Note look="plain">The configuration says what it is: it is changed there.</Note>
      ) : (
        mayWrite && (
          <>
            <BudgetForm key={of.version} of={of} onDone={() => {}} onCancel={onClose} />
            <div className="flex flex-wrap gap-2">
              <Button onClick={ask('reset')}>Reset what is spent</Button>
              <Button look="danger" onClick={ask('remove')}>
                Remove the budget
              </Button>
            </div>
          </>
        )
      )}
      <Part title="What it is">
        <FactList>
          <Fact name="Of">
            {scope} <OwnerLink of={of} name={owners[scope].get(of.owner)} />
          </Fact>
          <Fact name="When used up">{soft ? 'only alerts: requests go on' : 'refuses requests'}</Fact>
          <Fact name="Counts">{counts === 'cost' ? 'what providers bill' : 'what is charged'}</Fact>
          <Fact name="Reset">{resetAt === undefined ? 'never' : <FullTime at={resetAt} />}</Fact>
          <Fact name="Id">
            <CopyId id={of.id} />
          </Fact>
        </FactList>
      </Part>
      {asked === 'reset' && <ResetBudget of={of} onClose={ask(undefined)} onDone={onOpen} />}
      {asked === 'remove' && <RemoveBudget of={of} onClose={ask(undefined)} onDone={onClose} />}
    </>
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

/** Whose a budget is: keys lead to themselves, where they may be seen. */
export function OwnerLink({ of: { scope, owner }, name }: { readonly of: Budget; readonly name: string | undefined }) {
  const mayReadKeys = useMay('keys.read') !== undefined
  if (scope !== 'key' || !mayReadKeys) return name ?? owner
  return (
    <Link to="/keys" search={{ row: owner }}>
      {name ?? owner}
    </Link>
  )
}
