import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { useMay, useMe } from '../../api/me.ts'
import { type SpendAnswer, spendQuery, totalsQuery } from '../../api/spend.ts'
import { seriesQuery, type UsagePoint } from '../../api/usage.ts'
import { timesOf } from '../../charts/times.ts'
import { buttonClass } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Later } from '../../components/later.tsx'
import { useNow } from '../../components/now.ts'
import { Page } from '../../components/page.tsx'
import { Empty, Failed, Skeleton } from '../../components/states.tsx'
import { LABELS } from '../../labels.ts'
import { totalsOf } from '../../usage/groups.ts'
import { sumsOf } from '../../usage/sums.ts'
import { before, inRange, periodBefore, type Range } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { browserZone, dateIn, startOfDate, zoneNames } from '../../view/zones.ts'
import { ChartSection } from './chart-section.tsx'
import { Figures } from './figures.tsx'
import { GroupTable, orderOf } from './group-table.tsx'
import { useLatency } from './latency.ts'
import { Movers } from './movers.tsx'
import { groupingOf, type SpendGrouping, type SpendSearch } from './search.ts'
import { chartGroupsOf } from './sums.ts'
import { UnknownCost } from './unknown-cost.tsx'
import { useNames } from './use-names.ts'

// Below the chart, or rare, so that the first paint has less script.
const BudgetsAtRisk = lazy(() => import('./budgets-at-risk.tsx').then(({ BudgetsAtRisk: list }) => ({ default: list })))
const StatementView = lazy(() => import('./statement-view.tsx').then(({ StatementView: view }) => ({ default: view })))

/** Spend by group, in calendar periods of a time zone. */
export function SpendPage() {
  const search = useSearch({ from: '/within/spend' })
  if (search.statement !== undefined)
    return (
      <Suspense>
        <StatementView month={search.statement} />
      </Suspense>
    )
  return <Spend search={search} />
}

function Spend({ search }: { readonly search: SpendSearch }) {
  const view = useView()
  const { rangeText, zone, project, environment } = view
  const grouping = groupingOf(search)
  const range = useWholeDays(view.range, zone)
  const compared = useCompared(rangeText, zone, range)
  const filters = { project, ...(!grouping.isClaim && { environment }) }
  const between = {
    from: String(range.from),
    to: String(range.to),
    before: String(compared.from),
    beforeTo: String(compared.to),
  }
  const chart = useQuery({
    ...seriesQuery(chartRange(range, grouping), { ...filters, by: grouping.by, top: Number(search.top ?? 5), zone }),
    enabled: grouping.by !== undefined,
  })
  const { find: text } = search
  const groups = useInfiniteQuery({
    ...spendQuery({ ...filters, ...between, by: grouping.by, ...orderOf(search.sort), ...(text && { search: text }) }),
    enabled: grouping.by !== undefined,
  })
  // Groups by what callers send lack other requests.
  const totals = useQuery({ ...totalsQuery({ ...between, project, environment }), enabled: grouping.isClaim })
  const latency = useLatency(range, compared, { project, environment })
  const { times, byTime } = useMemo(() => periodsOf(chart.data?.points ?? [], range), [chart.data, range])
  const total = grouping.isClaim ? totals.data?.total : groups.data?.pages[0]?.total
  const nameOf = useNames(
    grouping.splits,
    groups.data?.pages.flatMap(({ items, movers }) => [...items, ...movers]) ?? [],
  )
  const colored = useMemo(() => new Set(chartGroupsOf(chart.data?.points ?? []).map(({ id }) => id)), [chart.data])
  const [now, earlier] = [total && totalsOf(total.sums), total && totalsOf(total.before)]
  const page = { title: LABELS.spend, actions: <PageActions /> }
  const error = totals.error ?? chart.error ?? groups.error
  if (error && !now)
    return (
      <Page {...page}>
        <Failed error={error} retry={() => void Promise.all([groups.refetch(), chart.refetch()])} />
      </Page>
    )
  if (now && earlier && now.requests === 0 && earlier.requests === 0)
    return (
      <Page {...page}>
        <NoRequests rangeText={rangeText} />
      </Page>
    )
  // Parts that appear one by one would move the parts below them.
  if (!now || groups.isLoading || chart.isLoading)
    return (
      <Page {...page}>
        <Skeleton rows={1} height="100vh" />
      </Page>
    )
  return (
    <Page {...page}>
      <Figures now={now} earlier={earlier} latency={latency} byTime={grouping.isClaim ? undefined : byTime} />
      {total && total.sums.unpriced > 0 && <UnknownCost sums={total.sums} />}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <ChartSection
            search={search}
            data={grouping.by === undefined ? { points: [] } : chart.data}
            times={times}
            range={range}
            sums={now}
            nameOf={nameOf}
          />
          <Later space="h-96">
            <GroupTable search={search} loaded={groups} colored={colored} />
          </Later>
        </div>
        <Later space="h-96">
          <div className="flex min-w-0 flex-col gap-4">
            {grouping.by !== undefined && <Movers search={search} query={moversOf(groups)} />}
            <Budgets />
          </div>
        </Later>
      </div>
    </Page>
  )
}

function Budgets() {
  if (useMay('budgets.read') === undefined) return null
  return (
    <Suspense fallback={<Skeleton rows={6} />}>
      <BudgetsAtRisk />
    </Suspense>
  )
}

function moversOf(groups: UseInfiniteQueryResult<InfiniteData<SpendAnswer>>) {
  return { ...groups, data: groups.data?.pages[0]?.movers }
}

function NoRequests({ rangeText }: { readonly rangeText: string }) {
  return (
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
  )
}

function PageActions() {
  const { zone } = useView()
  const now = useNow()
  const { year, month } = dateIn(zone, now)
  const last = new Date(Date.UTC(year, month - 2)).toISOString().slice(0, 7)
  return (
    <>
      <Later space="h-(--control) w-48">
        <ZonePicker />
      </Later>
      <Link to="/spend" search={{ statement: last }} className={buttonClass()}>
        <FileText aria-hidden size={14} /> Statement
      </Link>
    </>
  )
}

function ZonePicker() {
  const { zone } = useView()
  const ofStore = useMe()?.timeZone
  const change = useChangeSearch<SpendSearch & { zone?: string }>()
  const zones = useMemo(() => zoneNames([ofStore, browserZone()]).map((value) => ({ value, title: value })), [ofStore])
  return (
    <Combobox
      label={LABELS.timeZone}
      isLabelHidden
      className="w-48"
      value={zone}
      options={zones}
      onChange={(value) => change({ zone: value === ofStore ? undefined : value })}
    />
  )
}

/** Range whose first day is whole, as charts of days show it. */
function useWholeDays({ from, to, step }: Range, zone: string): Range {
  return useMemo(
    () => ({ from: step === 'day' ? startOfDate(zone, dateIn(zone, from)) : from, to, step }),
    [from, to, step, zone],
  )
}

/** Range to compare with: the previous calendar period, or as long before. */
function useCompared(text: string, zone: string, range: Range): Pick<Range, 'from' | 'to'> {
  return periodBefore(text, useNow(), zone) ?? before(range)
}

/** Sums by what callers send have no minutes. */
function chartRange(range: Range, { isClaim }: SpendGrouping): Range {
  return isClaim && range.step === 'minute' ? { ...range, step: 'hour' } : range
}

function periodsOf(points: readonly UsagePoint[], range: Range) {
  const times = timesOf(
    points.map(({ start }) => start),
    range,
  )
  const byTime = times.map((time) => sumsOf(points.filter(({ start }) => start === time)))
  return { times, byTime }
}
