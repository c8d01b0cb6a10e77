import { describe, expect, it } from 'vitest'
import { duration } from '../web/formats/durations.ts'
import { change, count, counted, percent, shortCount } from '../web/formats/numbers.ts'
import { comingTime, fullTime, shortTime } from '../web/formats/times.ts'

const US = ['en-US']
const NOW = Date.UTC(2026, 10, 22, 14, 3, 12)
const HOUR = 3_600_000

describe('A number', () => {
  it('is short in lists and full on hover', () => {
    expect([shortCount(12_345, US), shortCount(999, US), count(12_345, US)]).toEqual(['12.3K', '999', '12,345'])
  })

  it('that nobody knows is no zero', () => {
    expect([shortCount(null, US), count(null, US), percent(null, US), duration(null, US)]).toEqual([
      'unknown',
      'unknown',
      'unknown',
      'unknown',
    ])
  })

  it('of a share has one decimal, and a sign where it is a change', () => {
    expect([percent(0.0345, US), change(0.12, US), change(-0.0512, US), change(0, US), change(153.998, US)]).toEqual([
      '3.5%',
      '+12%',
      '-5.1%',
      '0%',
      '×155',
    ])
  })

  it('goes with the right word', () => {
    expect([counted(1, 'request', 'requests', US), counted(1_200, 'request', 'requests', US)]).toEqual([
      '1 request',
      '1,200 requests',
    ])
  })
})

describe('A duration', () => {
  it('is in the units that a reader takes in', () => {
    expect([0, 812, 999.6, 2_310, 12_340, 72_000, 60_000, 26 * HOUR, 80 * HOUR].map((ms) => duration(ms, US))).toEqual([
      ...['0 ms', '812 ms', '1.00 s', '2.31 s', '12.3 s'],
      ...['1 m 12 s', '1 m', '26 h', '3 d 8 h'],
    ])
  })
})

describe('A time', () => {
  it('is told by how long ago it was, within a day', () => {
    expect([
      shortTime(NOW - 5_000, NOW, US),
      shortTime(NOW - 11 * 60_000, NOW, US),
      shortTime(NOW - 3 * HOUR, NOW, US),
    ]).toEqual(['5s ago', '11m ago', '3h ago'])
    expect(shortTime(NOW - 41 * 24 * HOUR, NOW, US)).toMatch(/^Oct 1\d, /)
  })

  it('names its zone in full', () => {
    expect(fullTime(NOW, US, 'Europe/Berlin')).toBe('Nov 22, 2026, 03:03:12 PM GMT+1')
  })

  it('that comes within a week is told by its day', () => {
    expect(comingTime(NOW + 30 * HOUR, NOW, US)).toMatch(/^Mon /)
    expect(comingTime(NOW + 30 * 24 * HOUR, NOW, US)).toBe('Dec 22')
  })
})
