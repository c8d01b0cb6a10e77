import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { UsagePoint } from '../../api/usage.ts'
import { REST } from '../../charts/colors.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { SelectField } from '../../components/field.tsx'
import { Section } from '../../components/page.tsx'
import { Skeleton } from '../../components/states.tsx'
import { money } from '../../formats/money.ts'
import { count, shortCount } from '../../formats/numbers.ts'
import { requestsOf } from '../../usage/groups.ts'
import type { UsageTotals } from '../../usage/sums.ts'
import { inRange, type Range, rangeText } from '../../view/ranges.ts'
import { useChangeSearch, useView } from '../../view/use-view.ts'
import { groupingOf, METRICS, type Metric, type SpendSearch } from './search.ts'
import { type ChartGroup, chartGroupsOf, seriesOf } from './sums.ts'
import { METRIC_TITLES, SPLIT_NAMES } from './titles.ts'

export interface ChartSectionProps {
  readonly search: SpendSearch
  /** Undefined = not loaded yet. */
  readonly data: { readonly points: readonly UsagePoint[]; readonly zone?: string | undefined } | undefined
  /** Starts of the periods, in Unix milliseconds. */
  readonly times: readonly number[]
  readonly range: Range
  readonly sums: UsageTotals
  /** Name of a group by its values. */
  nameOf(ids: readonly (string | null)[]): string
}

/** Usage over time by group. */
export function ChartSection({ search, data, times, range, sums, nameOf }: ChartSectionProps) {
  const { metric = 'spend' } = search
  const { rangeText: chosen } = useView()
  const change = useChangeSearch<SpendSearch & { range?: string }>()
  const navigate = useNavigate()
  const { splits } = groupingOf(search)
  const groups = useMemo(() => chartGroupsOf(data?.points ?? []), [data])
  const kind = splits.join()
  const by = splits.map((split) => SPLIT_NAMES[split]).join(' and ')
  const titleOf = ({ ids }: ChartGroup): string => (ids === undefined ? 'Other or unknown' : nameOf(ids))
  const choose = (id: string): void => {
    const ids = id === REST ? undefined : groups.find((one) => one.id === id)?.ids
    if (ids) navigate(requestsOf(splits, ids, search.tag)).catch(() => {})
  }
  return (
    <Section title={`${METRIC_TITLES[metric]} by ${by}`} actions={<Choices search={search} />}>
      {data ? (
        <TimeChart
          sentence={`${METRIC_TITLES[metric]} ${inRange(chosen)}: ${amountText(metric, sums)}, by ${by}.`}
          kind={kind}
          look="bars"
          times={times}
          step={range.step}
          range={range}
          zone={data.zone}
          series={seriesOf(groups, times, metric, titleOf)}
          format={(value) => (metric === 'spend' ? money(BigInt(Math.round(value * 1e9))) : shortCount(value))}
          onZoom={(from, to) => change({ range: rangeText({ from, to }) })}
          onChoose={({ id }) => choose(id)}
        />
      ) : (
        <Skeleton rows={8} />
      )}
    </Section>
  )
}

const TOPS = ['5', '10'] as const

function Choices({ search: { metric = 'spend', top = '5' } }: { readonly search: SpendSearch }) {
  const change = useChangeSearch<SpendSearch>()
  return (
    <div className="flex gap-2">
      <SelectField
        label="Metric"
        isLabelHidden
        value={metric}
        onPick={(value) => change({ metric: value })}
        choices={METRICS.map((value) => ({ value, title: METRIC_TITLES[value] }))}
      />
      <SelectField
        label="Groups in the chart"
        isLabelHidden
        value={top}
        onPick={(value) => change({ top: value })}
        choices={TOPS.map((value) => ({ value, title: `Top ${value}` }))}
      />
    </div>
  )
}

function amountText(metric: Metric, sums: UsageTotals): string {
  if (metric === 'spend') return money(sums.spend)
  return count(metric === 'tokens' ? sums.input + sums.output : metric === 'requests' ? sums.requests : sums.failed)
}
