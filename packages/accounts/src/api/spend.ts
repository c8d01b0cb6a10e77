import type { SeriesPoint, SeriesQuery } from '@headgate/store'

/** Sums of a group of usage. Money is nano-dollars as digits. */
export interface SpendSums {
  readonly requests: number
  /** Null for groupings by tag. */
  readonly failed: number | null
  readonly unpriced: number
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly charged: string
  readonly cost: string
  readonly held: string
}

/** Group of usage in a range, and in the range before. */
export interface SpendGroup {
  /** Value of each dimension; null = unknown. */
  readonly ids: readonly (string | null)[]
  /** Name of each value; the value itself if it has no other name. */
  readonly names: readonly (string | null)[]
  /** True for the sum of all groups beyond the maximum. */
  readonly isRest?: true | undefined
  readonly sums: SpendSums
  readonly before: SpendSums
}

export const SORTS = ['spend', 'requests', 'tokens', 'failures', 'change', 'name'] as const
export type SpendSort = (typeof SORTS)[number]

export const NO_SPEND: SpendSums = {
  requests: 0,
  failed: 0,
  unpriced: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  charged: '0',
  cost: '0',
  held: '0',
}

export function sumsOf({ counts, failed, charged, cost, held }: SeriesPoint): SpendSums {
  return {
    requests: counts.requests,
    failed,
    unpriced: counts.unpriced,
    input: counts.input,
    output: counts.output,
    cacheRead: counts.cache_read,
    cacheWrite: counts.cache_write,
    charged,
    cost,
    held,
  }
}

/** Adds sums. */
export function plus(one: SpendSums, other: SpendSums): SpendSums {
  const count = (name: 'requests' | 'unpriced' | 'input' | 'output' | 'cacheRead' | 'cacheWrite') =>
    one[name] + other[name]
  const money = (name: 'charged' | 'cost' | 'held') => String(BigInt(one[name]) + BigInt(other[name]))
  return {
    requests: count('requests'),
    failed: one.failed === null || other.failed === null ? null : one.failed + other.failed,
    unpriced: count('unpriced'),
    input: count('input'),
    output: count('output'),
    cacheRead: count('cacheRead'),
    cacheWrite: count('cacheWrite'),
    charged: money('charged'),
    cost: money('cost'),
    held: money('held'),
  }
}

/** Groups of both ranges. A group without usage in one of them has sums of 0 there. */
export function groupsOf(points: readonly SeriesPoint[], earlier: readonly SeriesPoint[]): readonly SpendGroup[] {
  const keyOf = ({ names, isRest }: SeriesPoint): string => JSON.stringify([names, isRest])
  const before = new Map(earlier.map((point) => [keyOf(point), point]))
  const now = new Map(points.map((point) => [keyOf(point), point]))
  return [...new Map([...before, ...now])].map(([key, { names, isRest }]) => {
    const [own, old] = [now.get(key), before.get(key)]
    return {
      ids: names,
      names,
      ...(isRest && { isRest }),
      sums: own ? sumsOf(own) : emptyLike(old),
      before: old ? sumsOf(old) : emptyLike(own),
    }
  })
}

function emptyLike(point: SeriesPoint | undefined): SpendSums {
  return point?.failed === null ? { ...NO_SPEND, failed: null } : NO_SPEND
}

/** Groups whose name or id contains a string, in any case. */
export function found(groups: readonly SpendGroup[], text: string): readonly SpendGroup[] {
  const wanted = text.trim().toLowerCase()
  return groups.filter(({ ids, names }) => [...ids, ...names].some((one) => one?.toLowerCase().includes(wanted)))
}

/** Groups in order: the greatest first, names by alphabet; `change` by its size in either direction. The rest is last. */
export function ordered(groups: readonly SpendGroup[], sort: SpendSort, isReversed: boolean): readonly SpendGroup[] {
  const way = isReversed ? -1 : 1
  return groups.toSorted(
    (one, other) =>
      Number(one.isRest ?? false) - Number(other.isRest ?? false) ||
      way * compared(one, other, sort) ||
      compared(one, other, 'spend') ||
      compared(one, other, 'name'),
  )
}

function compared(one: SpendGroup, other: SpendGroup, sort: SpendSort): number {
  if (sort === 'name') {
    const [first, second] = [one, other].map(({ names }) =>
      names
        .map((name) => name ?? '')
        .join('\0')
        .toLowerCase(),
    )
    return (first ?? '') < (second ?? '') ? -1 : first === second ? 0 : 1
  }
  const [first, second] = [amountOf(one, sort), amountOf(other, sort)]
  return first === second ? 0 : first > second ? -1 : 1
}

function amountOf({ sums, before }: SpendGroup, sort: Exclude<SpendSort, 'name'>): bigint {
  if (sort === 'spend') return BigInt(sums.charged)
  if (sort === 'requests') return BigInt(sums.requests)
  if (sort === 'tokens') return BigInt(sums.input + sums.output)
  if (sort === 'failures') return BigInt(sums.failed ?? 0)
  const change = BigInt(sums.charged) - BigInt(before.charged)
  return change < 0n ? -change : change
}

/** Dimensions of a grouping, in its order; undefined for a tag. */
export function dimensionsOf(by: SeriesQuery['by']): readonly string[] | undefined {
  if (typeof by === 'string') return [by]
  return 'tag' in by ? undefined : by
}
