import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '../../api/me.ts'
import { useKeyNames, useMemberNames, useProjectNames } from '../../api/names.ts'
import { seriesQuery } from '../../api/usage.ts'
import { MOST_SERIES, REST } from '../../charts/colours.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { timesOf } from '../../charts/times.ts'
import { buttonClass } from '../../components/button.tsx'
import { SelectField } from '../../components/field.tsx'
import { Page, Section } from '../../components/page.tsx'
import { Empty, Failed, Note, Skeleton } from '../../components/states.tsx'
import { money } from '../../formats/money.ts'
import { count, counted, shortCount } from '../../formats/numbers.ts'
import { type NOTHING, sumsOf } from '../../usage/sums.ts'
import { before, rangeText, titleOf } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { Breakdown } from './breakdown.tsx'
import { EndingBudgets } from './ending-budgets.tsx'
import { Figures } from './figures.tsx'
import { useLatency } from './latency.ts'
import { METRICS, type Metric, type OverviewSearch, SPLITS, type Split } from './search.ts'
import { type Group, groupsOf, seriesOf } from './sums.ts'

const TITLES: Readonly<Record<Metric, string>> = {
  spend: 'Spend',
  requests: 'Requests',
  tokens: 'Tokens',
  failures: 'Failed requests',
}
const REST_TITLES: Readonly<Record<Split, string>> = {
  model: 'Other models',
  provider: 'Other providers',
  key: 'Other keys',
  project: 'Other projects, or unknown',
  environment: 'Other environments, or unknown',
  member: 'Others, or unknown',
  family: 'Others',
}

/** What is spent, whether all is well, and when the money ends. */
export function OverviewPage() {
  const { metric = 'spend', by = 'model' } = useSearch({ from: '/within/overview' })
  const { range, rangeText: chosen, project, environment } = useView()
  const change = useChangeSearch<OverviewSearch & { range?: string }>()
  const navigate = useNavigate()
  const filters = useMemo(
    () => ({ ...(project !== undefined && { project }), ...(environment !== undefined && { environment }) }),
    [project, environment],
  )
  const { data, error, refetch } = useQuery(seriesQuery(range, { ...filters, by, top: MOST_SERIES }))
  const earlier = useQuery(seriesQuery(before(range), { ...filters, by: 'family' })).data
  const latency = useLatency(range, filters)
  const mayBudgets = useMay('budgets.read') !== undefined
  const nameOf = useNames(by)
  const titleOfGroup = ({ name, id }: Group): string =>
    name === undefined || id === REST ? REST_TITLES[by] : nameOf(name)
  const { groups, times, sums, byTime } = useMemo(() => {
    const points = data?.points ?? []
    const all = groupsOf(points)
    const starts = timesOf(
      points.map(({ start }) => start),
      range,
    )
    const each = starts.map((start) => sumsOf(points.filter((point) => point.start === start)))
    return { groups: all, times: starts, sums: sumsOf(points), byTime: each }
  }, [data, range])
  const linkOf = ({ id, name }: Group): LinkProps => ({
    to: '/requests',
    search: id === REST || name === undefined ? {} : { [by]: name },
  })
  const format = (value: number): string =>
    metric === 'spend' ? money(BigInt(Math.round(value * 1e9))) : shortCount(value)
  const isNew = data !== undefined && sums.requests === 0 && (earlier?.points.length ?? 0) === 0
  return (
    <Page title="Overview">
      {error && !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : isNew ? (
        <Empty
          title={`No requests: ${titleOf(chosen).toLowerCase()}.`}
          action={
            <Link to="/start" className={buttonClass('primary')}>
              Make the first one
            </Link>
          }
        >
          <p>With a key and one of three snippets it takes a minute.</p>
        </Empty>
      ) : (
        <>
          <Figures now={sums} earlier={earlier && sumsOf(earlier.points)} latency={latency} byTime={byTime} />
          {sums.unpriced > 0 && (
            <div className="mb-4">
              <Note>
                The cost of {counted(sums.unpriced, 'request')} is unknown and not part of these sums: no price is set,
                or the provider did not report the usage. <Link to="/requests">See the requests</Link>, or{' '}
                <Link to="/models">set prices</Link>.
              </Note>
            </div>
          )}
          <div className="grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
            <Section
              title={`${TITLES[metric]} by ${by}`}
              actions={
                <div className="flex gap-2">
                  <SelectField
                    label="What is shown"
                    isLabelHidden
                    value={metric}
                    onChange={({ target }) => change({ metric: target.value as Metric })}
                    choices={METRICS.map((value) => ({ value, title: TITLES[value] }))}
                  />
                  <SelectField
                    label="By what it is told apart"
                    isLabelHidden
                    value={by}
                    onChange={({ target }) => change({ by: target.value as Split })}
                    choices={SPLITS.map((value) => ({ value, title: `by ${value}` }))}
                  />
                </div>
              }
            >
              {data ? (
                <TimeChart
                  sentence={`${TITLES[metric]}: ${sentenceOf(metric, sums)} ${titleOf(chosen).toLowerCase()}, by ${by}.`}
                  kind={by}
                  look="bars"
                  times={times}
                  step={range.step}
                  range={range}
                  zone={data.zone}
                  series={seriesOf(groups, times, metric, titleOfGroup)}
                  format={format}
                  onZoom={(from, to) => change({ range: rangeText({ from, to }) })}
                  onChoose={({ id }) => {
                    const group = groups.find((one) => one.id === id)
                    if (group) navigate(linkOf(group)).catch(() => {})
                  }}
                />
              ) : (
                <Skeleton rows={8} />
              )}
              <div className="mt-4">
                {data ? (
                  <Breakdown by={by} groups={groups} titleOf={titleOfGroup} linkOf={linkOf} />
                ) : (
                  <Skeleton rows={6} />
                )}
              </div>
            </Section>
            {mayBudgets && <EndingBudgets />}
          </div>
        </>
      )}
    </Page>
  )
}

function sentenceOf(metric: Metric, sums: typeof NOTHING): string {
  if (metric === 'spend') return money(sums.spend)
  return count(metric === 'tokens' ? sums.input + sums.output : metric === 'requests' ? sums.requests : sums.failed)
}

/** Names of what is told apart, where ids are not what people call it. */
function useNames(by: Split): (id: string) => string {
  const keys = useKeyNames(by === 'key')
  const projects = useProjectNames()
  const members = useMemberNames(by === 'member')
  const names = by === 'key' ? keys : by === 'project' ? projects : by === 'member' ? members : undefined
  return (id) => names?.get(id) ?? id
}
