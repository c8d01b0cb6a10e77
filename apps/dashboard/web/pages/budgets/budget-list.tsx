import { Link } from '@tanstack/react-router'
import { Ban, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { BudgetItem } from '../../api/budgets.ts'
import { BudgetMeter, leftOf } from '../../budgets/budget-meter.tsx'
import { byEnd } from '../../budgets/forecast.ts'
import { Button } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { FindField } from '../../components/field.tsx'
import { Empty } from '../../components/states.tsx'
import { Money } from '../../components/values.tsx'
import { counted } from '../../formats/numbers.ts'
import { MoreRows } from './more-rows.tsx'
import type { Owners } from './owners.ts'
import { endSentence, termsOf } from './sentences.ts'

/** Number of budgets from which the list has a search field. */
const MANY = 8

export interface BudgetListProps {
  readonly budgets: readonly BudgetItem[]
  readonly owners: Owners
  readonly now: number
}

/** Budgets, sorted by the time at which they run out. */
export function BudgetList({ budgets, owners, now }: BudgetListProps) {
  const [wanted, setWanted] = useState('')
  const ownerOf = ({ scope, owner }: BudgetItem): string => owners[scope].get(owner) ?? owner
  const text = wanted.trim().toLowerCase()
  const found = budgets.filter((budget) =>
    [budget.name, budget.id, ownerOf(budget)].some((one) => one.toLowerCase().includes(text)),
  )
  return (
    <>
      {budgets.length >= MANY && (
        <div className="mb-2">
          <FindField label="Find a budget" placeholder="Name, owner or ID…" value={wanted} onText={setWanted} />
        </div>
      )}
      {found.length === 0 ? (
        <Empty title="No budgets match." action={<Button onClick={() => setWanted('')}>Show all budgets</Button>} />
      ) : (
        <MoreRows rows={byEnd(found, now)}>
          {(shown) => (
            <ul className="flex flex-col divide-y divide-line">
              {shown.map(({ budget, forecast }) => (
                <li key={budget.id} className="flex flex-col gap-1 py-3 first:pt-0 last:pb-0">
                  <p className="flex flex-wrap items-baseline justify-between gap-x-4">
                    <span className="flex min-w-0 flex-wrap items-center gap-2">
                      <Link
                        to="/budgets"
                        search={{ row: budget.id }}
                        resetScroll={false}
                        data-row={budget.id}
                        className="font-medium wrap-anywhere"
                      >
                        {budget.name}
                      </Link>
                      <span className="text-muted wrap-anywhere">
                        {budget.scope} {ownerOf(budget)}
                      </span>
                      <Chip>
                        {budget.soft ? <TriangleAlert aria-hidden size={12} /> : <Ban aria-hidden size={12} />}
                        {budget.soft ? 'alert only' : 'hard limit'}
                      </Chip>
                    </span>
                    <span className="text-muted">{termsOf(budget)}</span>
                  </p>
                  <BudgetMeter budget={budget} now={now} />
                  <p className="flex flex-wrap justify-between gap-x-4 text-small text-muted">
                    <span>
                      {endSentence(forecast, budget, now)}
                      {budget.refused && (
                        <span className="text-bad">
                          {' '}
                          {counted(budget.refused.requests, 'request')} refused in 24 hours.
                        </span>
                      )}
                    </span>
                    <span>
                      <Money nanos={budget.spent} /> spent · <Money nanos={leftOf(budget)} /> left
                    </span>
                  </p>
                </li>
              ))}
            </ul>
          )}
        </MoreRows>
      )}
    </>
  )
}
