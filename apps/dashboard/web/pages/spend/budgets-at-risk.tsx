import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type BudgetItem, budgetsQuery } from '../../api/budgets.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { keyNamesQuery } from '../../api/queries.ts'
import { BudgetMeter, leftOf } from '../../budgets/budget-meter.tsx'
import { byEnd, type Forecast } from '../../budgets/forecast.ts'
import { Chip } from '../../components/chip.tsx'
import { useNow } from '../../components/now.ts'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { money } from '../../formats/money.ts'
import { comingTime } from '../../formats/times.ts'

/** Maximum number of budgets in the list. */
const MAX_BUDGETS = 5

/** Budgets that run out first at the current rate. @param project only budgets that restrict this project */
export function BudgetsAtRisk({ project }: { readonly project: string | undefined }) {
  const now = useNow()
  const mayKeys = useMay('keys.read') !== undefined
  const keys = useQuery({ ...keyNamesQuery, enabled: mayKeys && project !== undefined }).data?.items ?? []
  const query = useQuery(budgetsQuery)
  return (
    <Section title="Budgets at risk" actions={<Link to="/budgets">All budgets</Link>}>
      <Loaded query={query} rows={4}>
        {({ items: all }) => {
          const items = project === undefined ? all : all.filter((budget) => holdsFor(budget, project, keys))
          return items.length === 0 ? (
            <p className="text-muted">
              {project === undefined ? 'No budgets yet.' : 'No budgets of this project.'}{' '}
              <Link to="/budgets">Create one</Link> to refuse requests that could exceed it.
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

type OwnedKey = Pick<ResponseOf<'GET /keys'>['items'][number], 'id' | 'project'>

/** True if a budget restricts requests of a project: a budget of the project, its organization or one of its keys. */
export function holdsFor(
  { scope, owner }: Pick<BudgetItem, 'scope' | 'owner'>,
  project: string,
  keys: readonly OwnedKey[],
): boolean {
  if (scope === 'key') return keys.some((key) => key.id === owner && key.project === project)
  return scope === 'organization' || (scope === 'project' && owner === project)
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
