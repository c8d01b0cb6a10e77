import { type LinkProps, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useKeyNames, useMemberNames, useProjectNames } from '../../api/names.ts'
import type { UsagePoint } from '../../api/usage.ts'
import { REST } from '../../charts/colors.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { SelectField } from '../../components/field.tsx'
import { Section } from '../../components/page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { money } from '../../formats/money.ts'
import { count, shortCount } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { UsageTotals } from '../../usage/sums.ts'
import { inRange, rangeText } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { Breakdown } from './breakdown.tsx'
import { METRICS, type Metric, type OverviewSearch, SPLITS, type Split } from './search.ts'
import { groupsOf, seriesOf, type UsageGroup } from './sums.ts'

const TITLES: Readonly<Record<Metric, string>> = {
  spend: LABELS.spend,
  requests: LABELS.requests,
  tokens: LABELS.tokens,
  failures: 'Failed requests',
}
const SPLIT_TITLES: Readonly<Record<Split, string>> = {
  model: 'model',
  provider: 'provider',
  key: 'key',
  project: 'project',
  environment: 'environment',
  member: 'owner',
  family: 'request type',
}
const REST_TITLES: Readonly<Record<Split, string>> = {
  model: 'Other models',
  provider: 'Other providers',
  key: 'Other keys',
  project: 'Other or unknown projects',
  environment: 'Other or unknown environments',
  member: 'Other or unknown owners',
  family: 'Other request types',
}

export interface UsageSectionProps {
  /** Undefined = not loaded yet. */
  readonly data: { readonly points: readonly UsagePoint[]; readonly zone?: string | undefined } | undefined
  /** Starts of the periods, in Unix milliseconds. */
  readonly times: readonly number[]
  readonly sums: UsageTotals
}

/** Usage as a chart and a table, with the metric and grouping of the address. */
export function UsageSection({ data, times, sums }: UsageSectionProps) {
  const { metric = 'spend', by = 'model' } = useSearch({ from: '/within/overview' })
  const { range, rangeText: chosen } = useView()
  const change = useChangeSearch<OverviewSearch & { range?: string }>()
  const navigate = useNavigate()
  const nameOf = useNames(by)
  const groups = useMemo(() => groupsOf(data?.points ?? []), [data])
  const titleOfGroup = ({ name, id }: UsageGroup): string =>
    name === undefined || id === REST ? REST_TITLES[by] : nameOf(name)
  const linkOf = ({ id, name }: UsageGroup): LinkProps => ({
    to: '/requests',
    search: id === REST || name === undefined ? {} : { [by]: name },
  })
  const choose = (id: string): void => {
    const group = groups.find((one) => one.id === id)
    if (group) navigate(linkOf(group)).catch(() => {})
  }
  return (
    <Section title={`${TITLES[metric]} by ${SPLIT_TITLES[by]}`} actions={<Choices metric={metric} by={by} />}>
      {data ? (
        <>
          <TimeChart
            sentence={`${TITLES[metric]} ${inRange(chosen)}: ${sentenceOf(metric, sums)}, by ${SPLIT_TITLES[by]}.`}
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
        label="Metric"
        isLabelHidden
        value={metric}
        onPick={(metric) => change({ metric })}
        choices={METRICS.map((value) => ({ value, title: TITLES[value] }))}
      />
      <SelectField
        label="Group by"
        isLabelHidden
        value={by}
        onPick={(by) => change({ by })}
        choices={SPLITS.map((value) => ({ value, title: `by ${SPLIT_TITLES[value]}` }))}
      />
    </div>
  )
}

function sentenceOf(metric: Metric, sums: UsageTotals): string {
  if (metric === 'spend') return money(sums.spend)
  return count(metric === 'tokens' ? sums.input + sums.output : metric === 'requests' ? sums.requests : sums.failed)
}

/** Function that returns the name of a group, or its ID if it has no name. */
function useNames(by: Split): (id: string) => string {
  const keys = useKeyNames(by === 'key')
  const projects = useProjectNames()
  const members = useMemberNames(by === 'member')
  const names = by === 'key' ? keys : by === 'project' ? projects : by === 'member' ? members : undefined
  return (id) => names?.get(id) ?? id
}
