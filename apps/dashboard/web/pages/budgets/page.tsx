import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { budgetsQuery } from '../../api/budgets.ts'
import { useMay } from '../../api/me.ts'
import { Button } from '../../components/button.tsx'
import { useNow } from '../../components/now.ts'
import { Page, Section } from '../../components/page.tsx'
import { Peek } from '../../components/peek.tsx'
import { Empty, Forbidden, Loaded, Note } from '../../components/states.tsx'
import { count } from '../../formats/numbers.ts'
import { useChangeSearch } from '../../view/use-view.ts'
import { Alerts } from './alerts.tsx'
import { BudgetForm } from './budget-form.tsx'
import { BudgetList } from './budget-list.tsx'
import { BudgetPanel } from './budget-panel.tsx'
import { Doubts } from './doubts.tsx'
import { LimitsSection } from './limits-section.tsx'
import { useOwners } from './owners.ts'
import type { BudgetsSearch } from './search.ts'

/** Who is about to hit what. */
export function BudgetsPage() {
  const mayRead = useMay('budgets.read')
  if (mayRead === undefined)
    return (
      <Page title="Budgets and limits">
        <Forbidden>You may not see budgets. Ask an owner or an admin.</Forbidden>
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
  const now = useNow()
  const close = (): void => change({ row: undefined, make: undefined })
  const open = (id: string): void => change({ row: id, make: undefined })
  const button = mayWrite && (
    <Button look="primary" onClick={() => change({ make: true, row: undefined })}>
      <Plus aria-hidden size={14} /> Set a budget
    </Button>
  )
  return (
    <Page
      title="Budgets and limits"
      lead={isOwn ? 'Yours, and those of your keys: what ends first stands first.' : 'What ends first stands first.'}
      actions={query.data?.items.length !== 0 && button}
      peek={
        make && mayWrite ? (
          <Peek of="make" title="A new budget" onClose={close}>
            <BudgetForm onDone={open} onCancel={close} />
          </Peek>
        ) : (
          row !== undefined && <BudgetPanel id={row} owners={owners} onClose={close} onOpen={open} />
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Doubts />
        <Section title="Budgets">
          <Loaded query={query} rows={5} height="4rem">
            {(data) =>
              data.items.length > 0 ? (
                <>
                  {data.isCut && (
                    <Note>There are more than {count(data.items.length)} budgets: the rest of them are not here.</Note>
                  )}
                  <BudgetList budgets={data.items} owners={owners} now={now} />
                </>
              ) : mayWrite ? (
                <Empty
                  title="There are no budgets."
                  command="headgate budgets set organization 100/month"
                  action={button}
                >
                  <p>With one, requests that could exceed it are refused before anything is spent.</p>
                </Empty>
              ) : (
                <Empty title={isOwn ? 'No budget is yours, or of a key of yours.' : 'There are no budgets.'}>
                  <p>Owners and admins set them.</p>
                </Empty>
              )
            }
          </Loaded>
        </Section>
        {/* Below what is not there yet they would move. */}
        {!query.isPending && (
          <>
            <LimitsSection />
            <Alerts />
          </>
        )}
      </div>
    </Page>
  )
}
