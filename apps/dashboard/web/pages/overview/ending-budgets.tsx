import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Budget, budgetsQuery } from '../../api/budgets.ts'
import { BudgetMeter, leftOf } from '../../budgets/budget-meter.tsx'
import { byEnd, type Forecast } from '../../budgets/forecast.ts'
import { Chip } from '../../components/chip.tsx'
import { useNow } from '../../components/now.ts'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { money } from '../../formats/money.ts'
import { comingTime } from '../../formats/times.ts'

/** How many are shown: the rest is on their own page. */
const MOST = 5

/** The budgets that end first, at the pace of now. */
export function EndingBudgets() {
  const now = useNow()
  const query = useQuery(budgetsQuery)
  return (
    <Section title="Budgets that end first" actions={<Link to="/budgets">All</Link>}>
      <Loaded query={query} rows={4}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">
              There are no budgets. <Link to="/budgets">Set one</Link>, and requests that would exceed it are refused
              before anything is spent.
            </p>
          ) : (
            <ul className="flex flex-col gap-3">
              {byEnd(items, now)
                .slice(0, MOST)
                .map(({ budget, forecast }) => (
                  <Ending key={budget.id} budget={budget} forecast={forecast} now={now} />
                ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

interface EndingProps {
  readonly budget: Budget
  readonly forecast: Forecast
  readonly now: number
}

function Ending({ budget, forecast, now }: EndingProps) {
  const { id, name, soft } = budget
  return (
    <li>
      <p className="flex items-baseline justify-between gap-2">
        <Link to="/budgets" search={{ row: id }} className="min-w-0 truncate font-medium hover:underline">
          {name}
        </Link>
        <span className="whitespace-nowrap text-muted">{money(leftOf(budget))} left</span>
      </p>
      <BudgetMeter budget={budget} now={now} />
      <p className="mt-0.5 flex items-start justify-between gap-2 text-small text-muted">
        <span>{sentenceOf(forecast, now)}</span>
        {soft && <Chip>only alerts</Chip>}
      </p>
    </li>
  )
}

function sentenceOf({ share, endsAt }: Forecast, now: number): string {
  if (share >= 1) return 'Used up.'
  if (share === 0) return 'Nothing is spent of it yet.'
  if (endsAt !== undefined) return `Ends ${comingTime(endsAt, now)} at this pace.`
  return 'Lasts until it is reset, at this pace.'
}
