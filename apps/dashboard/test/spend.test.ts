import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { byEnd, forecastOf } from '../web/budgets/forecast.ts'
import { colorOf, MAX_SERIES, separateColors } from '../web/charts/colors.ts'
import { stacked } from '../web/charts/series.ts'
import { axisEnds, timesOf } from '../web/charts/times.ts'
import { points } from '../web/formats/numbers.ts'
import { periodText } from '../web/formats/times.ts'
import { chartGroupsOf, deltaOf, failureDeltaOf, latencyDeltaOf, seriesOf } from '../web/pages/spend/sums.ts'
import { NOTHING, sumsOf } from '../web/usage/sums.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 10, 1)

function point(start: number, name: string | null, charged: string, requests = 1) {
  const counts = { requests, unpriced: 0, input: 10, output: 5 }
  return {
    start,
    names: [name],
    counts,
    failed: 0,
    cost: charged,
    charged,
    held: '0',
    ...(name === null && { isRest: true as const }),
  }
}

describe('Sums', () => {
  it('are exact, beyond what a double holds', () => {
    expect(sumsOf([point(START, 'a', '9007199254740993'), point(START, 'b', '1')])).toMatchObject({
      spend: 9_007_199_254_740_994n,
      requests: 2,
    })
  })

  it('are told apart by name, the dearest first and the rest last', () => {
    const groups = chartGroupsOf([
      point(START, 'a', '1'),
      point(START, null, '99'),
      point(START + DAY, 'b', '5'),
      point(START + DAY, 'a', '1'),
    ])
    expect(groups.map(({ id, sums }) => [id, sums.spend])).toEqual([
      ['b', 5n],
      ['a', 2n],
      ['rest', 99n],
    ])
    expect(seriesOf(groups, [START, START + DAY], 'requests', ({ id }) => id).map(({ values }) => values)).toEqual([
      [0, 1],
      [1, 1],
      [1, 0],
    ])
  })

  it('are compared where there is enough of both', () => {
    const of = (requests: number) => ({ ...NOTHING, requests })
    const requests = (sums: typeof NOTHING) => sums.requests
    expect(deltaOf(of(30), of(20), requests)).toBeCloseTo(0.5)
    expect([deltaOf(of(30), of(19), requests), deltaOf(of(19), of(30), requests)]).toEqual([undefined, undefined])
  })

  it('of a share are compared in points', () => {
    const of = (failed: number, requests: number) => ({ ...NOTHING, failed, requests })
    expect(failureDeltaOf(of(3, 100), of(1, 100))).toBeCloseTo(0.02)
    expect(failureDeltaOf(of(3, 100), of(1, 19))).toBeUndefined()
    expect(points(0.0123, ['en-US'])).toBe('+1.2 pts')
  })

  it('by two dimensions are groups of their own', () => {
    const pair = (one: string | null, other: string) => ({
      ...point(START, one, '1'),
      names: [one, other],
      isRest: undefined,
    })
    const groups = chartGroupsOf([pair('a', 'x'), pair('a', 'y'), pair(null, 'x')] as never)
    expect(groups.map(({ id, ids }) => [id, ids])).toEqual([
      ['a · x', ['a', 'x']],
      ['a · y', ['a', 'y']],
      [' · x', [null, 'x']],
    ])
  })

  it('are stacked as bars are', () => {
    expect(
      stacked([
        { id: 'a', title: 'a', values: [1, null] },
        { id: 'b', title: 'b', values: [2, 3] },
      ]),
    ).toEqual([
      [1, 0],
      [3, 3],
    ])
  })
})

const channels = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

/** Contrast ratio of WCAG 2. */
function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
      const share = value / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
  }
  const [first, second] = [luminance(one), luminance(other)]
  return Math.max(first, second) / Math.min(first, second)
}

/** Distance in RGB, of at most 441. */
function distance(one: string, other: string): number {
  const others = channels(other)
  return Math.hypot(...channels(one).map((value, place) => value - (others[place] ?? 0)))
}

describe('Colors of a chart', () => {
  const ids = (count: number, from = 0) => Array.from({ length: count }, (_, place) => `key ${from + place}`)

  it('belong to the id, whatever else there is', () => {
    const own = ids(40).map((id) => colorOf('keys alone', id))
    expect(
      ids(40)
        .toReversed()
        .map((id) => colorOf('keys alone', id))
        .toReversed(),
    ).toEqual(own)
    expect(new Set(own)).toEqual(new Set(Array.from({ length: MAX_SERIES }, (_, place) => place + 1)))
  })

  it('are different for all series of one chart, also after the scope changes', () => {
    for (let start = 0; start < 300; start += 7) {
      const shown = [...ids(5, start), ...ids(5, start + 200)]
      separateColors('key', shown)
      expect(new Set(shown.map((id) => colorOf('key', id))).size).toBe(shown.length)
    }
  })

  it('are seen on the background, and differ from each other, in light and dark', () => {
    const css = readFileSync(new URL('../web/styles/app.css', import.meta.url), 'utf8')
    const pairs = [...css.matchAll(/--color-series-\d+: light-dark\((#\w{6}), (#\w{6})\)/g)]
    expect(pairs).toHaveLength(MAX_SERIES)
    for (const [place, background] of [
      [1, '#ffffff'],
      [2, '#0f1217'],
    ] as const) {
      const colors = pairs.map((pair) => pair[place] ?? '')
      for (const color of colors) expect(contrast(color, background), color).toBeGreaterThanOrEqual(3)
      for (const [index, one] of colors.entries())
        for (const other of colors.slice(index + 1)) expect(distance(one, other), `${one} ${other}`).toBeGreaterThan(40)
    }
  })

  it('stay those of the id where they are different', () => {
    const [first = '', second = ''] = ids(40).filter(
      (id, _, all) => colorOf('stay', id) !== colorOf('stay', all[0] ?? '') || id === all[0],
    )
    const before = [first, second].map((id) => colorOf('stay', id))
    separateColors('stay', [first, second])
    expect([first, second].map((id) => colorOf('stay', id))).toEqual(before)
  })
})

describe('Times of a chart', () => {
  it('are all of the range, also those of which there is nothing', () => {
    expect(timesOf([START + DAY], { from: START, to: START + 4 * DAY, step: 'day' })).toEqual(
      [0, 1, 2, 3].map((day) => START + day * DAY),
    )
    expect(timesOf([], { from: START, to: START + 2 * DAY, step: 'day' })).toEqual([START, START + DAY])
  })

  it('keep days that are shorter or longer than others', () => {
    const days = [START, START + 25 * 3_600_000, START + 49 * 3_600_000]
    expect(timesOf(days, { from: START, to: START + 3 * DAY, step: 'day' })).toEqual(days)
  })
})

describe('The time axis', () => {
  const HOUR = 3_600_000

  it('has the ends of the range, whatever data there is', () => {
    const range = { from: START, to: START + HOUR }
    expect(axisEnds([], 'minute', range)).toEqual([START / 1_000, (START + HOUR) / 1_000])
    expect(axisEnds([START + 5 * 60_000], 'minute', range)).toEqual([START / 1_000, (START + HOUR) / 1_000])
  })

  it('shows whole periods', () => {
    const range = { from: START + HOUR, to: START + DAY + HOUR }
    expect(axisEnds([START, START + DAY], 'day', range)).toEqual([START / 1_000, (START + 2 * DAY) / 1_000])
  })
})

describe('A day of a chart', () => {
  it('has the date of the time zone in which days begin, wherever the browser is', () => {
    expect(periodText(START, 'day', 'UTC', ['en-US'])).toBe('Nov 1')
    expect(periodText(START, 'day', 'America/Los_Angeles', ['en-US'])).toBe('Oct 31')
  })
})

describe('The time to the first byte', () => {
  it('is compared with the time before where there is enough of both', () => {
    const of = (p50: number, requests: number) => ({ p50, p95: 2 * p50, requests })
    expect(latencyDeltaOf({ firstByteMs: of(300, 20), firstByteMsBefore: of(200, 20) })).toBeCloseTo(0.5)
    expect(latencyDeltaOf({ firstByteMs: of(300, 20), firstByteMsBefore: of(200, 19) })).toBeUndefined()
    expect(latencyDeltaOf({ firstByteMs: of(300, 20), firstByteMsBefore: null })).toBeUndefined()
    expect(latencyDeltaOf({ firstByteMs: null })).toBeUndefined()
  })
})

describe('A budget', () => {
  const month = { limit: '30000000000', period: 'month', resetAt: Date.UTC(2026, 11, 1) } as const

  it('ends at its pace, if that is before it is reset', () => {
    const now = START + 10 * DAY
    expect(forecastOf({ ...month, spent: '15000000000' }, now)).toEqual({
      share: 0.5,
      atEnd: 1.5,
      endsAt: START + 20 * DAY,
    })
    expect(forecastOf({ ...month, spent: '5000000000' }, now).endsAt).toBeUndefined()
  })

  it('is not foretold of a moment, nor without a window', () => {
    expect(forecastOf({ ...month, spent: '1000000000' }, START + 60_000).atEnd).toBeUndefined()
    expect(forecastOf({ limit: '2', spent: '1', period: 'forever' }, START)).toEqual({
      share: 0.5,
      atEnd: undefined,
      endsAt: undefined,
    })
    expect(forecastOf({ limit: '0', spent: '0', period: 'day' }, START).share).toBe(1)
  })

  it('that ends first stands first', () => {
    const all = ['1', '29000000000', '15000000000'].map((spent) => ({ ...month, spent }))
    expect(byEnd(all, START + 10 * DAY).map(({ budget }) => budget.spent)).toEqual(['29000000000', '15000000000', '1'])
  })
})
