import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { windowAt } from '../../src/budgets/window.ts'
import { dateAt } from '../../src/database/zone.ts'

const zones = Intl.supportedValuesOf('timeZone')
const periods = ['day', 'week', 'month'] as const

/** 2020 to 2035. */
const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2035, 0) })

function hours({ start, end = 0 }: { start: number; end?: number }): number {
  return (end - start) / 3_600_000
}

describe('The window of a budget', () => {
  it.each(periods)(
    'of a %s has every instant in one, from the first whose date is its first one or later, in all time zones',
    (period) => {
      for (const zone of zones)
        fc.assert(
          fc.property(instant, (at) => {
            const { id, start, end = 0 } = windowAt(period, zone, at)
            expect(start <= at && at < end).toBe(true)
            const first = dateAt(zone, start)
            expect(dateAt(zone, start - 1) < first).toBe(true)
            expect(windowAt(period, zone, end).start).toBe(end)
            expect(windowAt(period, zone, end - 1)).toEqual({ id, start, end })
            expect(id.endsWith(`@${zone}`)).toBe(true)
          }),
          { numRuns: 4, seed: 1 },
        )
    },
  )

  it.each([
    ['Africa/Cairo', '2026-04-24T10:00:00Z', 23],
    ['Europe/Berlin', '2026-03-29T10:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25T10:00:00Z', 25],
    ['Australia/Lord_Howe', '2026-04-05T00:00:00Z', 24.5],
    ['Asia/Kolkata', '2026-04-05T00:00:00Z', 24],
    ['America/Santiago', '2026-09-06T12:00:00Z', 23],
  ])('in %s is as long as its day: around %s, %d hours', (zone, at, length) => {
    expect(hours(windowAt('day', zone, Date.parse(at)))).toBe(length)
  })

  it('begins where the day does that has no midnight', () => {
    const { id, start } = windowAt('day', 'Africa/Cairo', Date.parse('2026-04-24T10:00:00Z'))
    expect([id, new Date(start).toISOString()]).toEqual(['2026-04-24@Africa/Cairo', '2026-04-23T22:00:00.000Z'])
  })

  it('ends where the next day begins also where a whole day is left out', () => {
    const { start, end } = windowAt('day', 'Pacific/Apia', Date.parse('2011-12-29T12:00:00Z'))
    expect(hours({ start, ...(end && { end }) })).toBe(24)
    expect(windowAt('day', 'Pacific/Apia', end ?? 0).id).toBe('2011-12-31@Pacific/Apia')
  })

  it('begins on Monday where it is a week, and has the name of its first day', () => {
    const { id, start } = windowAt('week', 'Europe/Berlin', Date.parse('2026-11-22T22:00:00Z'))
    expect([id, new Date(start).toISOString()]).toEqual(['week-2026-11-16@Europe/Berlin', '2026-11-15T23:00:00.000Z'])
    expect(windowAt('week', 'Europe/Berlin', Date.parse('2026-11-22T23:00:00Z')).id).toBe(
      'week-2026-11-23@Europe/Berlin',
    )
  })

  it('is one for ever, or a month', () => {
    expect(windowAt('forever', 'UTC', 5)).toEqual({ id: 'forever', start: 0 })
    expect(windowAt('month', 'Europe/Berlin', Date.parse('2026-10-31T23:30:00Z')).id).toBe('2026-11@Europe/Berlin')
  })
})
