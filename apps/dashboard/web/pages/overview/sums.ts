import type { UsagePoint } from '../../api/usage.ts'
import { REST } from '../../charts/colors.ts'
import type { Series } from '../../charts/series.ts'
import { dollars } from '../../formats/money.ts'
import { NOTHING, plus, type UsageTotals } from '../../usage/sums.ts'
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

/** Group of usage, such as a model or a key. */
export interface UsageGroup {
  readonly id: string
  /** Undefined = all other groups, or unknown. */
  readonly name: string | undefined
  readonly sums: UsageTotals
  readonly byTime: ReadonlyMap<number, UsageTotals>
}

/** Groups points by their first name, sorted by amount charged, with the rest last. */
export function groupsOf(points: readonly UsagePoint[]): readonly UsageGroup[] {
  const groups = new Map<string, { name: string | undefined; byTime: Map<number, UsageTotals> }>()
  for (const point of points) {
    const name = point.names[0] ?? undefined
    const id = point.isRest || name === undefined ? REST : name
    const group = groups.get(id) ?? { name: id === REST ? undefined : name, byTime: new Map() }
    groups.set(id, group)
    group.byTime.set(point.start, plus(group.byTime.get(point.start) ?? NOTHING, point))
  }
  return [...groups]
    .map(([id, { name, byTime }]) => ({ id, name, byTime, sums: [...byTime.values()].reduce(added, NOTHING) }))
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
  groups: readonly UsageGroup[],
  times: readonly number[],
  metric: Metric,
  titleOf: (group: UsageGroup) => string,
): readonly Series[] {
  return groups.map((group) => ({
    id: group.id,
    title: titleOf(group),
    values: times.map((time) => measureOf(group.byTime.get(time) ?? NOTHING, metric)),
  }))
}
