import type { UsagePoint } from '../../api/usage.ts'
import { REST } from '../../charts/colors.ts'
import type { Series } from '../../charts/series.ts'
import { dollars } from '../../formats/money.ts'
import { groupId } from '../../usage/groups.ts'
import { failureShare, NOTHING, plus, type UsageTotals } from '../../usage/sums.ts'
import type { LatencyReport } from './latency.ts'
import type { Metric } from './search.ts'

/** Minimum number of requests in both periods for a comparison. */
const MIN_REQUESTS = 20

/** Relative change since the previous period; undefined = too little data. */
export function deltaOf(now: UsageTotals, earlier: UsageTotals, of: (sums: UsageTotals) => number): number | undefined {
  const [value, base] = [of(now), of(earlier)]
  if (now.requests < MIN_REQUESTS || earlier.requests < MIN_REQUESTS || base === 0) return undefined
  return value / base - 1
}

/** Change of the share of failed requests, in points; undefined = too little data. */
export function failureDeltaOf(now: UsageTotals, earlier: UsageTotals): number | undefined {
  if (now.requests < MIN_REQUESTS || earlier.requests < MIN_REQUESTS) return undefined
  return failureShare(now) - failureShare(earlier)
}

/** Relative change of the median time to first byte; undefined = too little data. */
export function latencyDeltaOf({ firstByteMs, firstByteMsBefore }: LatencyReport): number | undefined {
  if (!firstByteMs || !firstByteMsBefore || firstByteMsBefore.p50 === 0) return undefined
  if (firstByteMs.requests < MIN_REQUESTS || firstByteMsBefore.requests < MIN_REQUESTS) return undefined
  return firstByteMs.p50 / firstByteMsBefore.p50 - 1
}

export function measureOf(sums: UsageTotals, metric: Metric): number {
  if (metric === 'spend') return dollars(sums.spend)
  if (metric === 'requests') return sums.requests
  if (metric === 'tokens') return sums.input + sums.output
  return sums.failed
}

/** Group of usage over time, such as a model or a key. */
export interface ChartGroup {
  readonly id: string
  /** Value of each dimension; undefined = all other groups. */
  readonly ids: readonly (string | null)[] | undefined
  readonly sums: UsageTotals
  readonly byTime: ReadonlyMap<number, UsageTotals>
}

/** Groups points by their names, sorted by amount charged, with the rest last. */
export function chartGroupsOf(points: readonly UsagePoint[]): readonly ChartGroup[] {
  const groups = new Map<string, { ids: ChartGroup['ids']; byTime: Map<number, UsageTotals> }>()
  for (const point of points) {
    const isRest = point.isRest === true || point.names.every((name) => name === null)
    const id = isRest ? REST : groupId({ ids: point.names })
    const group = groups.get(id) ?? { ids: isRest ? undefined : point.names, byTime: new Map() }
    groups.set(id, group)
    group.byTime.set(point.start, plus(group.byTime.get(point.start) ?? NOTHING, point))
  }
  return [...groups]
    .map(([id, { ids, byTime }]) => ({ id, ids, byTime, sums: [...byTime.values()].reduce(added, NOTHING) }))
    .toSorted((one, other) => Number(one.id === REST) - Number(other.id === REST) || order(other.sums, one.sums))
}

function added(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    spend: one.spend + other.spend,
    requests: one.requests + other.requests,
    input: one.input + other.input,
    output: one.output + other.output,
    failed: one.failed + other.failed,
    unpriced: one.unpriced + other.unpriced,
  }
}

function order(one: UsageTotals, other: UsageTotals): number {
  return one.spend === other.spend ? one.requests - other.requests : one.spend < other.spend ? -1 : 1
}

/** Series of a chart; a period without data is 0. */
export function seriesOf(
  groups: readonly ChartGroup[],
  times: readonly number[],
  metric: Metric,
  titleOf: (group: ChartGroup) => string,
): readonly Series[] {
  return groups.map((group) => ({
    id: group.id,
    title: titleOf(group),
    values: times.map((time) => measureOf(group.byTime.get(time) ?? NOTHING, metric)),
  }))
}
