import { COUNTS, type SeriesPoint } from './series.ts'

/**
 * Series in the form in which threads exchange it: copying tens of thousands of objects would block the main thread for
 * too long.
 */
export interface SeriesColumns {
  /** Distinct periods. */
  readonly periods: readonly { readonly start: number; readonly day?: string }[]
  /** Distinct names. */
  readonly names: readonly Pick<SeriesPoint, 'names' | 'isRest'>[]
  /** Values of each point: indexes in `periods` and `names`, then `failed` (-1 = null), and the counts. */
  readonly numbers: Float64Array
  /** Cost, charged and held amounts of each point, separated by spaces. */
  readonly money: string
}

const WIDTH = COUNTS.length + 3

export function columnsOf(points: readonly SeriesPoint[]): SeriesColumns {
  const periods = new Map<number, { index: number; start: number; day?: string }>()
  const places = new Map<string, number>()
  const names: Pick<SeriesPoint, 'names' | 'isRest'>[] = []
  const numbers = new Float64Array(points.length * WIDTH)
  const money: string[] = []
  for (const [place, point] of points.entries()) {
    const { start, day, isRest, counts, failed, cost, charged, held } = point
    const period = periods.get(start) ?? { index: periods.size, start, ...(day !== undefined && { day }) }
    periods.set(start, period)
    const key = JSON.stringify([point.names, isRest])
    const index = places.get(key) ?? names.push({ names: point.names, ...(isRest && { isRest }) }) - 1
    places.set(key, index)
    numbers.set([period.index, index, failed ?? -1, ...COUNTS.map((one) => counts[one])], place * WIDTH)
    money.push(cost, charged, held)
  }
  return {
    periods: [...periods.values()].map(({ index: _, ...period }) => period),
    names,
    numbers,
    money: money.join(' '),
  }
}

export function pointsOf({ periods, names, numbers, money }: SeriesColumns): SeriesPoint[] {
  const amounts = money.split(' ')
  const points: SeriesPoint[] = []
  for (let at = 0, amount = 0; at < numbers.length; at += WIDTH, amount += 3) {
    const counts: Partial<Record<(typeof COUNTS)[number], number>> = {}
    for (let place = 0; place < COUNTS.length; place++)
      counts[COUNTS[place] ?? 'requests'] = numbers[at + 3 + place] ?? 0
    const failed = numbers[at + 2] ?? 0
    points.push({
      ...(periods[numbers[at] ?? 0] ?? { start: 0 }),
      ...(names[numbers[at + 1] ?? 0] ?? { names: [] }),
      counts: counts as SeriesPoint['counts'],
      failed: failed < 0 ? null : failed,
      cost: amounts[amount] ?? '0',
      charged: amounts[amount + 1] ?? '0',
      held: amounts[amount + 2] ?? '0',
    })
  }
  return points
}
