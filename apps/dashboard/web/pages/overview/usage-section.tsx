import { type LinkProps, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useKeyNames, useMemberNames, useProjectNames } from '../../api/names.ts'
import type { SeriesPoint } from '../../api/usage.ts'
import { REST } from '../../charts/colors.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { SelectField } from '../../components/field.tsx'
import { Section } from '../../components/page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { money } from '../../formats/money.ts'
import { count, shortCount } from '../../formats/numbers.ts'
import type { Sums } from '../../usage/sums.ts'
import { rangeText, titleOf } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { Breakdown } from './breakdown.tsx'
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

export interface UsageSectionProps {
  /** Undefined until the first answer. */
  readonly data: { readonly points: readonly SeriesPoint[]; readonly zone?: string | undefined } | undefined
  /** Starts of the periods, in Unix milliseconds. */
  readonly times: readonly number[]
  readonly sums: Sums
}

/** Usage as a chart and as a table, by what the address says. */
export function UsageSection({ data, times, sums }: UsageSectionProps) {
  const { metric = 'spend', by = 'model' } = useSearch({ from: '/within/overview' })
  const { range, rangeText: chosen } = useView()
  const change = useChangeSearch<OverviewSearch & { range?: string }>()
  const navigate = useNavigate()
  const nameOf = useNames(by)
  const groups = useMemo(() => groupsOf(data?.points ?? []), [data])
  const titleOfGroup = ({ name, id }: Group): string =>
    name === undefined || id === REST ? REST_TITLES[by] : nameOf(name)
  const linkOf = ({ id, name }: Group): LinkProps => ({
    to: '/requests',
    search: id === REST || name === undefined ? {} : { [by]: name },
  })
  const choose = (id: string): void => {
    const group = groups.find((one) => one.id === id)
    if (group) navigate(linkOf(group)).catch(() => {})
  }
  return (
    <Section title={`${TITLES[metric]} by ${by}`} actions={<Choices metric={metric} by={by} />}>
      {data ? (
        <>
          <TimeChart
            sentence={`${TITLES[metric]}: ${sentenceOf(metric, sums)} ${titleOf(chosen).toLowerCase()}, by ${by}.`}
            kind={by}
            look="bars"
            times={times}
            step={range.step}
            range={range}
            zone={data.zone}
            series={seriesOf(groups, times, metric, titleOfGroup)}
            format={(value) => (metric === 'spend' ? money(BigInt(Math.round(value * 1e9))) : shortCount(value))}
            onZoom={(from, to) => change({ range: rangeText({ from, to }) })}
            onChoose={({ id }) => choose(id)}
          />
          <div className="mt-4">
            <Breakdown by={by} groups={groups} titleOf={titleOfGroup} linkOf={linkOf} />
          </div>
        </>
      ) : (
        <>
          <Skeleton rows={8} />
          <div className="mt-4">
            <Skeleton rows={6} />
          </div>
        </>
      )}
    </Section>
  )
}

function Choices({ metric, by }: { readonly metric: Metric; readonly by: Split }) {
  const change = useChangeSearch<OverviewSearch>()
  return (
    <div className="flex gap-2">
      <SelectField
        label="What is shown"
        isLabelHidden
        value={metric}
        onPick={(metric) => change({ metric })}
        choices={METRICS.map((value) => ({ value, title: TITLES[value] }))}
      />
      <SelectField
        label="By what it is told apart"
        isLabelHidden
        value={by}
        onPick={(by) => change({ by })}
        choices={SPLITS.map((value) => ({ value, title: `by ${value}` }))}
      />
    </div>
  )
}

function sentenceOf(metric: Metric, sums: Sums): string {
  if (metric === 'spend') return money(sums.spend)
  return count(metric === 'tokens' ? sums.input + sums.output : metric === 'requests' ? sums.requests : sums.failed)
}

/** Names of groups, if people call them by something else than their ids. */
function useNames(by: Split): (id: string) => string {
  const keys = useKeyNames(by === 'key')
  const projects = useProjectNames()
  const members = useMemberNames(by === 'member')
  const names = by === 'key' ? keys : by === 'project' ? projects : by === 'member' ? members : undefined
  return (id) => names?.get(id) ?? id
}
