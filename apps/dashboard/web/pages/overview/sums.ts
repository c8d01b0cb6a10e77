import type { SeriesPoint } from '../../api/usage.ts'
import { REST } from '../../charts/colors.ts'
import type { Series } from '../../charts/series.ts'
import { dollars } from '../../formats/money.ts'
import { NOTHING, plus, type Sums } from '../../usage/sums.ts'
import type { Latency } from './latency.ts'
import type { Metric } from './search.ts'

/** Fewest requests that can be compared with as many before. */
const ENOUGH = 20

/** How much more it is than before, as a share; undefined where there is too little of either. */
export function deltaOf(now: Sums, earlier: Sums, of: (sums: Sums) => number): number | undefined {
  const [value, base] = [of(now), of(earlier)]
  if (now.requests < ENOUGH || earlier.requests < ENOUGH || base === 0) return undefined
  return value / base - 1
}

/**
 * How much longer half of the first bytes took than before, as a share; undefined where there is too little of either.
 */
export function latencyDeltaOf({ firstByteMs, firstByteMsBefore }: Latency): number | undefined {
  if (!firstByteMs || !firstByteMsBefore || firstByteMsBefore.p50 === 0) return undefined
  if (firstByteMs.requests < ENOUGH || firstByteMsBefore.requests < ENOUGH) return undefined
  return firstByteMs.p50 / firstByteMsBefore.p50 - 1
}

export function measureOf(sums: Sums, metric: Metric): number {
  if (metric === 'spend') return dollars(sums.spend)
  if (metric === 'requests') return sums.requests
  if (metric === 'tokens') return sums.input + sums.output
  return sums.failed
}

/** What belongs together of a series. */
export interface Group {
  readonly id: string
  /** Undefined = the rest, or nobody knows whose. */
  readonly name: string | undefined
  readonly sums: Sums
  readonly byTime: ReadonlyMap<number, Sums>
}

/** Points by the first of their names, those that were charged most first and the rest last. */
export function groupsOf(points: readonly SeriesPoint[]): readonly Group[] {
  const groups = new Map<string, { name: string | undefined; byTime: Map<number, Sums> }>()
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

function added(one: Sums, other: Sums): Sums {
  return {
    spend: one.spend + other.spend,
    requests: one.requests + other.requests,
    input: one.input + other.input,
    output: one.output + other.output,
    failed: one.failed + other.failed,
    unpriced: one.unpriced + other.unpriced,
  }
}

function order(one: Sums, other: Sums): number {
  return one.spend === other.spend ? one.requests - other.requests : one.spend < other.spend ? -1 : 1
}

/** Groups as they are drawn: a time of which there is nothing is 0. */
export function seriesOf(
  groups: readonly Group[],
  times: readonly number[],
  metric: Metric,
  titleOf: (group: Group) => string,
): readonly Series[] {
  return groups.map((group) => ({
    id: group.id,
    title: titleOf(group),
    values: times.map((time) => measureOf(group.byTime.get(time) ?? NOTHING, metric)),
  }))
}
