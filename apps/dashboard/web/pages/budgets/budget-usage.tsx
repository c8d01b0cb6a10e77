import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { BudgetItem } from '../../api/budgets.ts'
import { type SpendRow, spendQuery } from '../../api/spend.ts'
import { seriesQuery, type UsagePoint } from '../../api/usage.ts'
import { timesOf } from '../../charts/times.ts'
import { Part } from '../../components/page.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { Failed, Loaded } from '../../components/states.tsx'
import { Money } from '../../components/values.tsx'
import { dollars } from '../../formats/money.ts'
import { groupTitle, requestsOf } from '../../usage/groups.ts'
import type { Range } from '../../view/ranges.ts'
import { dateIn, startOfDate } from '../../view/zones.ts'

/** Number of shown days. */
const DAYS = 30
const DAY = 86_400_000
/** Number of listed groups. */
const TOP = 5

/** Spend of what a budget counts, by day, and its keys with the highest spend; models if it is the budget of a key. */
export function BudgetUsage({ of, now }: { readonly of: BudgetItem; readonly now: number }) {
  const { scope, owner, zone, counts } = of
  const today = startOfDate(zone, dateIn(zone, now))
  // Days have 23 to 25 hours.
  const from = startOfDate(zone, dateIn(zone, today - (DAYS - 1) * DAY + DAY / 2))
  const range = useMemo((): Range => ({ from, to: today + DAY, step: 'day' }), [from, today])
  const filters = scope === 'organization' ? {} : { [scope]: owner }
  const by = scope === 'key' ? 'model' : 'key'
  const days = useQuery(seriesQuery(range, { ...filters, by: 'family', zone }))
  const groups = useInfiniteQuery(spendQuery({ ...filters, by, from: String(range.from), to: String(range.to), zone }))
  const rows = groups.data?.pages[0]?.items.slice(0, TOP)
  return (
    <Part title={`Spend in ${DAYS} days`}>
      {/* The height is reserved while the data is loaded. */}
      <div className="min-h-24">
        <Loaded query={days} rows={3}>
          {({ points }) => <Days points={points} {...{ range, counts }} />}
        </Loaded>
        {groups.error ? (
          <Failed error={groups.error} retry={() => void groups.refetch()} />
        ) : (
          rows && rows.length > 0 && <TopGroups rows={rows} {...{ by, counts }} />
        )}
      </div>
    </Part>
  )
}

interface DaysProps extends Pick<BudgetItem, 'counts'> {
  readonly points: readonly UsagePoint[]
  readonly range: Range
}

function Days({ points, range, counts }: DaysProps) {
  const amountAt = (time: number): bigint =>
    points.reduce((sum, point) => (point.start === time ? sum + BigInt(point[counts]) : sum), 0n)
  const times = timesOf(
    points.map(({ start }) => start),
    range,
  )
  const amounts = times.map(amountAt)
  const [highest = 0n] = amounts.toSorted((one, other) => (one < other ? 1 : -1))
  if (highest === 0n) return <p className="text-muted">No spend in these days.</p>
  return (
    <>
      <Sparkline values={amounts.map(dollars)} />
      <p className="text-small text-muted">
        Highest day: <Money nanos={highest} />
      </p>
    </>
  )
}

interface TopGroupsProps extends Pick<BudgetItem, 'counts'> {
  readonly rows: readonly SpendRow[]
  readonly by: 'key' | 'model'
}

function TopGroups({ rows, by, counts }: TopGroupsProps) {
  return (
    <ol aria-label={by === 'key' ? 'Keys with the highest spend' : 'Models with the highest spend'} className="mt-2">
      {rows.map((row) => (
        <li key={row.ids.join()} className="flex justify-between gap-3">
          <Link {...requestsOf([by], row.ids)} className="truncate">
            {groupTitle(row)}
          </Link>
          <Money nanos={row.sums[counts]} />
        </li>
      ))}
    </ol>
  )
}
