import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { budgetsQuery } from '../../api/budgets.ts'
import { useMay } from '../../api/me.ts'
import { useBudgetScope } from '../../budgets/use-scope.ts'
import { Button } from '../../components/button.tsx'
import { Later } from '../../components/later.tsx'
import { useNow } from '../../components/now.ts'
import { Page, Section } from '../../components/page.tsx'
import { Peek, PeekPending } from '../../components/peek.tsx'
import { Empty, Forbidden, Loaded, Note, Skeleton } from '../../components/states.tsx'
import { count } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { useChangeSearch } from '../../view/use-view.ts'
import { Alerts } from './alerts.tsx'
import { BudgetList } from './budget-list.tsx'
import { LimitsSection } from './limits-section.tsx'
import { OrphanedLeaseList } from './orphaned-leases.tsx'
import { type Owners, useOwners } from './owners.ts'
import { useAreSectionsReady } from './queries.ts'
import type { BudgetsSearch } from './search.ts'
import { SharedBudgets } from './shared-budgets.tsx'

const BudgetForm = lazy(() => import('./budget-form.tsx').then(({ BudgetForm: form }) => ({ default: form })))
const BudgetPanel = lazy(() => import('./budget-panel.tsx').then(({ BudgetPanel: panel }) => ({ default: panel })))

/** Budgets, rate limits and alerts. */
export function BudgetsPage() {
  const mayRead = useMay('budgets.read')
  if (mayRead === undefined)
    return (
      <Page title="Budgets and limits">
        <Forbidden>You cannot see budgets. Ask an owner or an admin.</Forbidden>
      </Page>
    )
  return <Budgets isOwn={mayRead === 'own'} />
}

function Budgets({ isOwn }: { readonly isOwn: boolean }) {
  const mayWrite = useMay('budgets.write') !== undefined
  const { row, make } = useSearch({ from: '/within/budgets' })
  const change = useChangeSearch<BudgetsSearch>()
  const query = useQuery(budgetsQuery)
  const owners = useOwners()
  const isReady = useAreSectionsReady()
  const close = (): void => change({ row: undefined, make: undefined })
  const open = (id: string): void => change({ row: id, make: undefined })
  const button = mayWrite && (
    <Button look="primary" onClick={() => change({ make: true, row: undefined })}>
      <Plus aria-hidden size={14} /> {LABELS.newBudget}
    </Button>
  )
  return (
    <Page
      title="Budgets and limits"
      lead={isOwn ? 'Your budgets and key budgets, sorted by time left.' : 'Sorted by time left.'}
      actions={query.data?.items.length !== 0 && button}
      peek={
        make && mayWrite ? (
          <Peek of="make" title={LABELS.newBudget} onClose={close}>
            <Suspense fallback={<Skeleton rows={6} height="3rem" />}>
              <BudgetForm onDone={open} onCancel={close} />
            </Suspense>
          </Peek>
        ) : (
          row !== undefined && (
            <Suspense fallback={<PeekPending of={row} title="Budget" onClose={close} />}>
              <BudgetPanel id={row} owners={owners} onClose={close} onOpen={open} />
            </Suspense>
          )
        )
      }
    >
      {isReady ? (
        <div className="flex flex-col gap-4">
          <OrphanedLeaseList />
          <BudgetsSection {...{ isOwn, owners, button }} />
          {isOwn && <SharedBudgets />}
          <Later space="h-96">
            <LimitsSection />
            <Alerts />
          </Later>
        </div>
      ) : (
        <Skeleton rows={5} height="4rem" />
      )}
    </Page>
  )
}

interface BudgetsSectionProps {
  readonly isOwn: boolean
  readonly owners: Owners
  /** Button that creates a budget; false if the user cannot. */
  readonly button: ReactNode
}

function BudgetsSection({ isOwn, owners, button }: BudgetsSectionProps) {
  const query = useQuery(budgetsQuery)
  const now = useNow()
  const inScope = useBudgetScope()
  return (
    <Section title="Budgets">
      <Loaded query={query} rows={5} height="4rem">
        {({ items: all, isCut }) => {
          const items = inScope(all)
          return all.length > 0 && items.length === 0 ? (
            <Empty title="No budgets for this project">
              <p>No budget restricts the chosen project and environment.</p>
            </Empty>
          ) : items.length > 0 ? (
            <>
              {isCut && <Note>There are more than {count(all.length)} budgets. The others are not listed.</Note>}
              <BudgetList budgets={items} owners={owners} now={now} />
            </>
          ) : button ? (
            <Empty title="No budgets yet" command="headgate budgets set organization 100/month" action={button}>
              <p>With a budget, requests that could exceed it are refused before they are sent.</p>
            </Empty>
          ) : (
            <Empty title={isOwn ? 'No budgets for you or your keys' : 'No budgets yet'}>
              <p>Owners and admins create budgets.</p>
            </Empty>
          )
        }}
      </Loaded>
    </Section>
  )
}
