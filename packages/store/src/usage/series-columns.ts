import { COUNTS, type SeriesPoint } from './series.ts'

/**
 * A series as it passes from thread to thread: to copy tens of thousands of points as objects would keep the main thread for longer
 * than an answer may wait.
 */
export interface SeriesColumns {
  /** Each once. */
  readonly periods: readonly { readonly start: number; readonly day?: string }[]
  readonly names: readonly string[]
  /** Of each point: places in `periods` and `names`, then `failed` and the counts. */
  readonly numbers: Float64Array
  /** Of each point: cost, charged and held, with a blank behind each. */
  readonly money: string
}

const WIDTH = COUNTS.length + 3

export function columnsOf(points: readonly SeriesPoint[]): SeriesColumns {
  const periods = new Map<number, { index: number; start: number; day?: string }>()
  const names = new Map<string, number>()
  const numbers = new Float64Array(points.length * WIDTH)
  const money: string[] = []
  for (const [place, { start, day, name, counts, failed, cost, charged, held }] of points.entries()) {
    const period = periods.get(start) ?? { index: periods.size, start, ...(day !== undefined && { day }) }
    periods.set(start, period)
    const index = names.get(name) ?? names.size
    names.set(name, index)
    numbers.set([period.index, index, failed, ...COUNTS.map((one) => counts[one])], place * WIDTH)
    money.push(cost, charged, held)
  }
  return {
    periods: [...periods.values()].map(({ index: _, ...period }) => period),
    names: [...names.keys()],
    numbers,
    money: money.join(' '),
  }
}

export function pointsOf({ periods, names, numbers, money }: SeriesColumns): SeriesPoint[] {
  const amounts = money.split(' ')
  const points: SeriesPoint[] = []
  for (let at = 0, amount = 0; at < numbers.length; at += WIDTH, amount += 3) {
    const counts: Partial<Record<(typeof COUNTS)[number], number>> = {}
    for (let place = 0; place < COUNTS.length; place++) counts[COUNTS[place] ?? 'requests'] = numbers[at + 3 + place] ?? 0
    points.push({
      ...(periods[numbers[at] ?? 0] ?? { start: 0 }),
      name: names[numbers[at + 1] ?? 0] ?? '',
      counts: counts as SeriesPoint['counts'],
      failed: numbers[at + 2] ?? 0,
      cost: amounts[amount] ?? '0',
      charged: amounts[amount + 1] ?? '0',
      held: amounts[amount + 2] ?? '0',
    })
  }
  return points
}
