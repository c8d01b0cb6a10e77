import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '../../api/me.ts'
import { type SeriesPoint, seriesQuery } from '../../api/usage.ts'
import { MOST_SERIES } from '../../charts/colors.ts'
import { timesOf } from '../../charts/times.ts'
import { buttonClass } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failed, Note } from '../../components/states.tsx'
import { counted } from '../../formats/numbers.ts'
import { sumsOf } from '../../usage/sums.ts'
import { before, type Range, titleOf } from '../../view/ranges.ts'
import { useView } from '../../view/use-view.ts'
import { EndingBudgets } from './ending-budgets.tsx'
import { Figures } from './figures.tsx'
import { useLatency } from './latency.ts'
import { UsageSection } from './usage-section.tsx'

/** What is spent, whether all is well, and when the money ends. */
export function OverviewPage() {
  const { by = 'model' } = useSearch({ from: '/within/overview' })
  const { range, rangeText, project, environment } = useView()
  const filters = { project, environment }
  const { data, error, refetch } = useQuery(seriesQuery(range, { ...filters, by, top: MOST_SERIES }))
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
          title={`No requests: ${titleOf(rangeText).toLowerCase()}.`}
          action={
            <Link to="/start" className={buttonClass('primary')}>
              Make the first one
            </Link>
          }
        >
          <p>With a key and one of three snippets it takes a minute.</p>
        </Empty>
      </Page>
    )
  return (
    <Page title="Overview">
      <Figures now={sums} earlier={earlier && sumsOf(earlier.points)} latency={latency} byTime={byTime} />
      {sums.unpriced > 0 && (
        <div className="mb-4">
          <Note>
            The cost of {counted(sums.unpriced, 'request')} is unknown and not part of these sums: no price is set, or
            the provider did not report the usage. <Link to="/requests">See the requests</Link>, or{' '}
            <Link to="/models">set prices</Link>.
          </Note>
        </div>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
        <UsageSection data={data} times={times} sums={sums} />
        {mayBudgets && <EndingBudgets />}
      </div>
    </Page>
  )
}

function usageOf(points: readonly SeriesPoint[], range: Range) {
  const times = timesOf(
    points.map(({ start }) => start),
    range,
  )
  const byTime = times.map((time) => sumsOf(points.filter(({ start }) => start === time)))
  return { times, sums: sumsOf(points), byTime }
}
