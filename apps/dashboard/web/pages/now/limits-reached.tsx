import { Link } from '@tanstack/react-router'
import type { NowReport } from '../../api/now.ts'
import { Chip } from '../../components/chip.tsx'
import { useNow } from '../../components/now.ts'
import { Section } from '../../components/page.tsx'
import { failureText } from '../../failures.ts'
import { money } from '../../formats/money.ts'
import { count, counted } from '../../formats/numbers.ts'
import { comingTime } from '../../formats/times.ts'

/** Refusals of the last hour, and budgets near their limit. */
export function LimitsReached({ of: { refusals, budgets } }: { readonly of: NowReport }) {
  const kinds = Object.entries(refusals.byKind).toSorted(([, one], [, other]) => other - one)
  return (
    <>
      <Section title="Refusals">
        {kinds.length === 0 ? (
          <p className="text-muted">No requests were refused in the last hour.</p>
        ) : (
          <ul className="flex flex-col gap-1">
            {kinds.map(([kind, requests]) => (
              <li key={kind} className="flex justify-between gap-2">
                <Link to="/requests" search={{ range: '1h', outcome: 'refused', failure: kind }}>
                  {failureText(kind)}
                </Link>
                <span className="number">{counted(requests, 'request')}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Budgets at their limit" actions={<Link to="/budgets">All budgets</Link>}>
        {budgets.length === 0 ? (
          <p className="text-muted">No budget is above 80% or refuses requests.</p>
        ) : (
          <ul className="flex flex-col gap-2">
            {budgets.map((budget) => (
              <BudgetNear key={budget.id} of={budget} />
            ))}
          </ul>
        )}
      </Section>
    </>
  )
}

function BudgetNear({ of }: { readonly of: NowReport['budgets'][number] }) {
  const { id, name, scope, soft, left, percent, refused = 0, resetAt } = of
  const now = useNow()
  const isUsedUp = left === '0'
  const isRefusing = refused > 0 || (isUsedUp && !soft)
  return (
    <li>
      <p className="flex items-baseline justify-between gap-2">
        {/* Budgets of others have no panel. */}
        {percent === undefined ? (
          <span className="truncate font-medium">{name}</span>
        ) : (
          <Link to="/budgets" search={{ row: id }} className="truncate font-medium">
            {name}
          </Link>
        )}
        <Chip tone={isRefusing ? 'bad' : 'warn'}>
          {isRefusing ? 'refuses requests' : isUsedUp ? 'used up' : `${count(percent ?? 0)}%`}
        </Chip>
      </p>
      <p className="text-small text-muted">
        {scope} · {money(left)} left
        {resetAt !== undefined && ` · resets ${comingTime(resetAt, now)}`}
        {refused > 0 && ` · ${counted(refused, 'request')} refused`}
      </p>
    </li>
  )
}
