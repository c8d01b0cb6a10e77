import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type BudgetItem, budgetsQuery } from '../../api/budgets.ts'
import { BudgetMeter, leftOf } from '../../budgets/budget-meter.tsx'
import { byEnd, type Forecast } from '../../budgets/forecast.ts'
import { useBudgetScope } from '../../budgets/use-scope.ts'
import { Chip } from '../../components/chip.tsx'
import { useNow } from '../../components/now.ts'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { money } from '../../formats/money.ts'
import { comingTime } from '../../formats/times.ts'
import { useView } from '../../view/use-view.ts'

/** Maximum number of budgets in the list. */
const MAX_BUDGETS = 5

/** Budgets of the chosen project and environment that run out first at the current rate. */
export function BudgetsAtRisk() {
  const now = useNow()
  const inScope = useBudgetScope()
  const { project, environment } = useView()
  const isScoped = project !== undefined || environment !== undefined
  const query = useQuery(budgetsQuery)
  return (
    <Section title="Budgets at risk" actions={<Link to="/budgets">All budgets</Link>}>
      <Loaded query={query} rows={4}>
        {({ items: all }) => {
          const items = inScope(all)
          return items.length === 0 ? (
            <p className="text-muted">
              {isScoped ? 'No budgets of this selection.' : 'No budgets yet.'} <Link to="/budgets">Create one</Link> to
              refuse requests that could exceed it.
            </p>
          ) : (
            <ul className="flex flex-col gap-3">
              {byEnd(items, now)
                .slice(0, MAX_BUDGETS)
                .map(({ budget, forecast }) => (
                  <BudgetAtRisk key={budget.id} budget={budget} forecast={forecast} now={now} />
                ))}
            </ul>
          )
        }}
      </Loaded>
    </Section>
  )
}

interface BudgetAtRiskProps {
  readonly budget: BudgetItem
  readonly forecast: Forecast
  readonly now: number
}

function BudgetAtRisk({ budget, forecast, now }: BudgetAtRiskProps) {
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
        {soft && <Chip>alert only</Chip>}
      </p>
    </li>
  )
}

function sentenceOf({ share, endsAt }: Forecast, now: number): string {
  if (share >= 1) return 'Used up.'
  if (share === 0) return 'Nothing spent yet.'
  return endsAt === undefined ? 'On track.' : `Runs out ${comingTime(endsAt, now)} at this rate.`
}
