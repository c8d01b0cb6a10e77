import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '../../api/me.ts'
import { seriesQuery, type UsagePoint } from '../../api/usage.ts'
import { MAX_SERIES } from '../../charts/colors.ts'
import { timesOf } from '../../charts/times.ts'
import { buttonClass } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failed, Note } from '../../components/states.tsx'
import { counted } from '../../formats/numbers.ts'
import { sumsOf } from '../../usage/sums.ts'
import { before, inRange, type Range } from '../../view/ranges.ts'
import { useView } from '../../view/use-view.ts'
import { BudgetsAtRisk } from './budgets-at-risk.tsx'
import { Figures } from './figures.tsx'
import { useLatency } from './latency.ts'
import { UsageSection } from './usage-section.tsx'

/** Spend, usage and budgets of the selected time range. */
export function OverviewPage() {
  const { by = 'model' } = useSearch({ from: '/within/overview' })
  const { range, rangeText, project, environment } = useView()
  const filters = { project, environment }
  const { data, error, refetch } = useQuery(seriesQuery(range, { ...filters, by, top: MAX_SERIES }))
  const earlier = useQuery(seriesQuery(before(range), { ...filters, by: 'family' })).data
  const latency = useLatency(range, filters)
  const mayBudgets = useMay('budgets.read') !== undefined
  const { times, sums, byTime } = useMemo(() => usageOf(data?.points ?? [], range), [data, range])
  if (error && !data)
    return (
      <Page title="Overview">
        <Failed error={error} retry={() => void refetch()} />
      </Page>
    )
  if (data && sums.requests === 0 && (earlier?.points.length ?? 0) === 0)
    return (
      <Page title="Overview">
        <Empty
          title={`No requests ${inRange(rangeText)}`}
          action={
            <Link to="/start" className={buttonClass('primary')}>
              Send your first request
            </Link>
          }
        >
          <p>You need a key and one of the code snippets.</p>
        </Empty>
      </Page>
    )
  return (
    <Page title="Overview">
      <Figures now={sums} earlier={earlier && sumsOf(earlier.points)} latency={latency} byTime={byTime} />
      {sums.unpriced > 0 && (
        <div className="mb-4">
          <Note>
            The cost of {counted(sums.unpriced, 'request')} is unknown and not in these totals: no price is set, or the
            provider did not report the usage. <Link to="/requests">Show requests</Link> or{' '}
            <Link to="/models">add prices</Link>.
          </Note>
        </div>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
        <UsageSection data={data} times={times} sums={sums} />
        {mayBudgets && <BudgetsAtRisk />}
      </div>
    </Page>
  )
}

function usageOf(points: readonly UsagePoint[], range: Range) {
  const times = timesOf(
    points.map(({ start }) => start),
    range,
  )
  const byTime = times.map((time) => sumsOf(points.filter(({ start }) => start === time)))
  return { times, sums: sumsOf(points), byTime }
}
