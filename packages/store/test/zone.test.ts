import { describe, expect, it } from 'vitest'
import { dateAt, dayAt, hourAt, startOfDay } from '../src/database/zone.ts'

const HOUR = 3_600_000
const at = (text: string) => Date.parse(text)

describe('a day of a time zone', () => {
  it.each([
    ['UTC', '2026-11-01T12:00Z', '2026-11-01', '2026-11-01T00:00Z', 24],
    ['Europe/Berlin', '2026-03-29T12:00Z', '2026-03-29', '2026-03-28T23:00Z', 23],
    ['Europe/Berlin', '2026-10-25T12:00Z', '2026-10-25', '2026-10-24T22:00Z', 25],
    ['Australia/Lord_Howe', '2026-04-04T20:00Z', '2026-04-05', '2026-04-04T13:00Z', 24.5],
    ['Asia/Kolkata', '2026-05-05T18:30Z', '2026-05-06', '2026-05-05T18:30Z', 24],
    // It has no midnight.
    ['Africa/Cairo', '2026-04-24T10:00Z', '2026-04-24', '2026-04-23T22:00Z', 23],
  ])('in %s at %s is %s, from %s on, %s hours long', (zone, instant, date, start, hours) => {
    expect(dayAt(zone, at(instant))).toEqual({ date, start: at(start), end: at(start) + hours * HOUR })
    expect(startOfDay(zone, date)).toBe(at(start))
    expect([dateAt(zone, at(start) - 1) < date, dateAt(zone, at(start))]).toEqual([true, date])
  })

  it('that a zone has left out begins with the next one', () => {
    expect(startOfDay('Pacific/Apia', '2011-12-30')).toBe(startOfDay('Pacific/Apia', '2011-12-31'))
    expect(dayAt('Pacific/Apia', startOfDay('Pacific/Apia', '2011-12-30') - 1)).toMatchObject({
      date: '2011-12-29',
      end: at('2011-12-30T10:00Z'),
    })
  })

  it('is found for instants that no calendar holds', () => {
    for (const odd of [-1, 0, 2 ** 53, 2 ** 63]) {
      const { start, end } = dayAt('Asia/Tokyo', odd)
      expect([start <= end, Number.isSafeInteger(start), Number.isSafeInteger(hourAt(odd))]).toEqual([true, true, true])
    }
  })
})
