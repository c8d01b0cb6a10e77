import { describe, expect, it } from 'vitest'
import { COUNTS, type SeriesPoint } from '../src/usage/series.ts'
import { columnsOf, pointsOf } from '../src/usage/series-columns.ts'

const point = (number: number, change: Partial<SeriesPoint> = {}): SeriesPoint => ({
  start: number,
  names: [`model ${number}`],
  counts: Object.fromEntries(COUNTS.map((name, index) => [name, number * 100 + index])) as SeriesPoint['counts'],
  failed: number,
  cost: `${number}9223372036854775807`,
  charged: '0',
  held: `-${number}`,
  ...change,
})

describe('a series that passes between threads', () => {
  it.each([
    [
      'hours',
      [
        point(1),
        point(1, { names: ['other', null] }),
        point(2),
        point(2, { names: [''], failed: null }),
        point(2, { names: [null], isRest: true }),
      ],
    ],
    [
      'days',
      [
        point(1, { day: '2026-11-01' }),
        point(2, { day: '2026-11-02' }),
        point(2, { day: '2026-11-02', names: ['a b', '200'] }),
      ],
    ],
    ['nothing', []],
  ])('of %s is the same afterwards', (_, points) => {
    expect(pointsOf(structuredClone(columnsOf(points)))).toEqual(points)
  })
})
