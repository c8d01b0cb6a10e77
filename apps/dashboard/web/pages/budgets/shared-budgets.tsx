import { useQuery } from '@tanstack/react-query'
import { PERIODS } from '../../budgets/periods.ts'
import { Chip } from '../../components/chip.tsx'
import { useNow } from '../../components/now.ts'
import { Section } from '../../components/page.tsx'
import { Failed } from '../../components/states.tsx'
import { Money } from '../../components/values.tsx'
import { comingTime } from '../../formats/times.ts'
import { sharedBudgetsQuery } from './queries.ts'

/** Budgets of projects and the organization that restrict the user's keys: names, remaining amounts and resets. */
export function SharedBudgets() {
  const now = useNow()
  const { data, error, refetch } = useQuery(sharedBudgetsQuery)
  if (error && !data) return <Failed error={error} retry={() => void refetch()} />
  if (!data || data.items.length === 0) return null
  return (
    <Section title="Shared budgets">
      <p className="mb-2 text-muted">Your keys spend from these budgets too.</p>
      <ul className="flex flex-col divide-y divide-line">
        {data.items.map(({ id, scope, name, period, soft, left, resetAt }) => (
          <li key={id} className="flex flex-wrap items-baseline justify-between gap-x-4 py-1.5">
            <span className="flex min-w-0 flex-wrap items-center gap-2">
              <span className="font-medium wrap-anywhere">{name}</span>
              <span className="text-muted">{scope}</span>
              {left === '0' && <Chip tone={soft ? 'warn' : 'bad'}>{soft ? 'used up' : 'refuses requests'}</Chip>}
            </span>
            <span className="text-muted">
              <Money nanos={left} /> left {period !== 'forever' && PERIODS[period]}
              {resetAt !== undefined && `, resets ${comingTime(resetAt, now)}`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
