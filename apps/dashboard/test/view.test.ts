import { describe, expect, it } from 'vitest'
import { FILTERS, REQUESTS_SEARCH } from '../web/pages/requests/search.ts'
import { before, inRange, periodBefore, rangeOf, rangeText, readRange, titleOf } from '../web/view/ranges.ts'
import { linkAddress, returnAddress, tokenOf } from '../web/view/return.ts'
import { droppedOf, pageSearch, parseSearch, SHARED, searchOf, writeSearch } from '../web/view/search.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 22, 14, 3, 12)

describe('An address', () => {
  it('holds the whole view, as text that can be read', () => {
    const view = { range: '2026-11-01..2026-11-08', model: 'openai/gpt:1 +x', status: '429', row: 'req_1' }
    const text = writeSearch({ ...view, project: undefined })
    expect(text).toBe('?range=2026-11-01..2026-11-08&model=openai/gpt:1+%2Bx&status=429&row=req_1')
    expect(searchOf({ ...SHARED, ...REQUESTS_SEARCH })(parseSearch(text))).toEqual(view)
  })

  it('leaves out what is unknown or not valid, and says so', () => {
    const search = pageSearch(FILTERS)(parseSearch('?minMs=abc&bogus=1&model=demo&range=7d'))
    expect(search).toEqual({ minMs: undefined, bogus: undefined, model: 'demo' })
    expect(droppedOf('?minMs=abc&bogus=1&model=demo', search)).toEqual(['minMs', 'bogus'])
  })

  it('takes no text without end', () => {
    expect(searchOf(FILTERS)({ model: 'x'.repeat(4_001) })).toEqual({ model: undefined })
  })
})

describe('A range', () => {
  it('of an hour covers the last 60 minutes, by minutes', () => {
    expect(rangeOf('1h', NOW)).toEqual({
      from: Date.UTC(2026, 10, 22, 13, 3),
      to: Date.UTC(2026, 10, 22, 14, 4),
      step: 'minute',
    })
    expect(rangeOf('1h', NOW).from).toBeLessThanOrEqual(NOW - HOUR)
    expect(rangeOf('2026-11-22T08:00:00Z..2026-11-22T14:00:00Z', NOW).step).toBe('minute')
    expect(rangeOf('2026-11-22T08:00:00Z..2026-11-22T14:00:01Z', NOW).step).toBe('hour')
  })

  it('until now covers its whole span and ends with the hour, so that the query stays the same for a while', () => {
    expect(rangeOf('24h', NOW)).toEqual({
      from: Date.UTC(2026, 10, 21, 14),
      to: Date.UTC(2026, 10, 22, 15),
      step: 'hour',
    })
    expect(rangeOf('24h', NOW + 60_000)).toEqual(rangeOf('24h', NOW))
    expect(rangeOf('30d', NOW).step).toBe('day')
  })

  it('between two times is what its address says', () => {
    const range = { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 2, 12, 30) }
    expect(rangeText(range)).toBe('2026-11-01..2026-11-02T12:30:00Z')
    expect(rangeOf(rangeText(range), NOW)).toEqual({ ...range, step: 'hour' })
  })

  it('that ends before it begins, or is none, is not taken', () => {
    expect(['2026-11-08..2026-11-01', '2026-13-01..2026-14-01', 'x', '7d'].map(readRange)).toEqual([
      undefined,
      undefined,
      undefined,
      '7d',
    ])
  })

  it('is compared with as long before', () => {
    const range = rangeOf('24h', NOW)
    expect(before(range)).toEqual({ from: range.from - 25 * HOUR, to: range.from, step: 'hour' })
  })
})

describe('A calendar period', () => {
  const between = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) })

  it('is that of the time zone, also where clocks change', () => {
    expect(rangeOf('2026-11', NOW, 'America/Los_Angeles')).toEqual({
      ...between('2026-11-01T07:00Z', '2026-11-22T15:00Z'),
      step: 'day',
    })
    expect(rangeOf('2026-10', NOW, 'America/Los_Angeles')).toMatchObject(
      between('2026-10-01T07:00Z', '2026-11-01T07:00Z'),
    )
    expect(rangeOf('2026-11', NOW + 30 * 24 * HOUR, 'America/Los_Angeles')).toMatchObject(
      between('2026-11-01T07:00Z', '2026-12-01T08:00Z'),
    )
    expect(rangeOf('last-month', NOW, 'Asia/Kolkata')).toMatchObject(between('2026-09-30T18:30Z', '2026-10-31T18:30Z'))
  })

  it('begins a week on Monday, and the current one ends now', () => {
    expect(rangeOf('this-week', NOW, 'UTC')).toMatchObject(between('2026-11-16', '2026-11-22T15:00Z'))
    expect(rangeOf('last-week', NOW, 'UTC')).toMatchObject(between('2026-11-09', '2026-11-16'))
    expect(rangeOf('today', NOW, 'Europe/Berlin')).toMatchObject(between('2026-11-21T23:00Z', '2026-11-22T15:00Z'))
    expect(rangeOf('yesterday', NOW, 'UTC')).toMatchObject(between('2026-11-21', '2026-11-22'))
  })

  it('is compared with the period before, for as long as it has lasted', () => {
    expect(periodBefore('last-month', NOW)).toEqual(between('2026-09-01', '2026-10-01'))
    expect(periodBefore('this-month', NOW)).toEqual(between('2026-10-01', '2026-10-22T15:00Z'))
    expect(periodBefore('2026-03', NOW)).toEqual(between('2026-02-01', '2026-03-01'))
    expect(periodBefore('7d', NOW)).toBeUndefined()
  })

  it('has a name in addresses and sentences', () => {
    expect(['this-month', '2026-11', '2026-13', 'next-month'].map(readRange)).toEqual([
      'this-month',
      '2026-11',
      undefined,
      undefined,
    ])
    expect([titleOf('2026-11', ['en-US']), inRange('this-week')]).toEqual(['November 2026', 'this week'])
    expect(searchOf(SHARED)({ zone: 'Europe/Berlin' })).toEqual({ zone: 'Europe/Berlin' })
    expect(searchOf(SHARED)({ zone: 'Mars/Olympus' })).toEqual({ zone: undefined })
  })
})

describe('A way back', () => {
  it('leads to an address of ours, and nowhere else', () => {
    const given = [
      '/requests?row=req_1',
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/sign-in?return=/',
      undefined,
    ]
    expect(given.map(returnAddress)).toEqual(['/requests?row=req_1', '/', '/', '/', '/', '/'])
  })
})

describe('A link with a token', () => {
  it('leads to its page, and keeps the token in the fragment', () => {
    expect(linkAddress('#/first?token=abc-DEF_1')).toBe('/first#token=abc-DEF_1')
    expect(tokenOf('#token=abc-DEF_1')).toBe('abc-DEF_1')
    expect(tokenOf('token=abc')).toBe('abc')
    expect([
      linkAddress('#/keys?token=abc'),
      linkAddress('#/first?token=a b'),
      linkAddress(''),
      tokenOf('#token='),
    ]).toEqual([...[undefined, undefined, undefined, undefined]])
  })
})
