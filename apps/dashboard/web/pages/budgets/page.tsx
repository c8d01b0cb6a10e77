import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMay } from '../../api/me.ts'
import { BudgetMeter, leftOf } from '../../budgets/budget-meter.tsx'
import { byEnd } from '../../budgets/forecast.ts'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { useNow } from '../../components/now.ts'
import { Page, Section } from '../../components/page.tsx'
import { Peek } from '../../components/peek.tsx'
import { Empty, Failed, Forbidden, Skeleton } from '../../components/states.tsx'
import { Money } from '../../components/values.tsx'
import { useChangeSearch } from '../../view/use-view.ts'
import { budgetsQuery } from '../keys/keys.ts'
import { Alerts } from './alerts.tsx'
import { BudgetForm } from './budget-form.tsx'
import { BudgetPanel } from './budget-panel.tsx'
import { Doubts } from './doubts.tsx'
import { LimitsSection } from './limits.tsx'
import { useOwners } from './owners.ts'
import type { BudgetsSearch } from './search.ts'
import { endSentence, termsOf } from './sentences.ts'

/** Who is about to hit what. */
export function BudgetsPage() {
  const mayRead = useMay('budgets.read') !== undefined
  const mayWrite = useMay('budgets.write') !== undefined
  const { row, make } = useSearch({ from: '/within/budgets' })
  const change = useChangeSearch<BudgetsSearch>()
  const { data, error, refetch } = useQuery({ ...budgetsQuery, enabled: mayRead })
  const owners = useOwners()
  const now = useNow()
  const open = data?.items.find(({ id }) => id === row)
  const close = (): void => change({ row: undefined, make: undefined })
  const button = mayWrite && (
    <Button look="primary" onClick={() => change({ make: true, row: undefined })}>
      <Plus aria-hidden size={14} /> Set a budget
    </Button>
  )
  return (
    <Page
      title="Budgets and limits"
      lead="What ends first stands first."
      actions={data?.items.length !== 0 && button}
      peek={
        make && mayWrite ? (
          <Peek of="make" title="A new budget" onClose={close}>
            <BudgetForm onDone={close} onCancel={close} />
          </Peek>
        ) : (
          open && <BudgetPanel of={open} onClose={close} />
        )
      }
    >
      {!mayRead ? (
        <Forbidden>You may not see budgets. Ask an owner or an admin.</Forbidden>
      ) : (
        <div className="flex flex-col gap-4">
          <Doubts />
          <Section title="Budgets">
            {error && !data ? (
              <Failed error={error} retry={() => void refetch()} />
            ) : !data ? (
              <Skeleton rows={5} height="4rem" />
            ) : data.items.length === 0 ? (
              <Empty title="There are no budgets." command="headgate budgets set organisation 100/month" action={button}>
                <p>With one, requests that could exceed it are refused before anything is spent.</p>
              </Empty>
            ) : (
              <ul className="flex flex-col divide-y divide-line">
                {byEnd(data.items, now).map(({ budget, forecast }) => {
                  const { id, name, scope, owner, soft, spent } = budget
                  return (
                    <li key={id} className="flex flex-col gap-1 py-3">
                      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
                        <span className="flex min-w-0 flex-wrap items-center gap-2">
                          <Link to="/budgets" search={{ row: id }} resetScroll={false} data-row={id} className="font-medium wrap-anywhere">
                            {name}
                          </Link>
                          <span className="text-muted wrap-anywhere">
                            {scope} {owners[scope].get(owner) ?? owner}
                          </span>
                          <Chip>{soft ? '⚠ only alerts' : '⛔ refuses'}</Chip>
                        </span>
                        <span className="text-muted">{termsOf(budget)}</span>
                      </p>
                      <BudgetMeter budget={budget} now={now} />
                      <p className="flex flex-wrap justify-between gap-x-4 text-small text-muted">
                        <span>{endSentence(forecast, budget, now)}</span>
                        <span>
                          <Money nanos={spent} /> spent · <Money nanos={leftOf(budget)} /> left
                        </span>
                      </p>
                    </li>
                  )
                })}
              </ul>
            )}
          </Section>
          {/* Below what is not there yet they would move. */}
          {(data || error) && (
            <>
              <LimitsSection />
              <Alerts />
            </>
          )}
        </div>
      )}
    </Page>
  )
}
