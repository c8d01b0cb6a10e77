import { describe, expect, it } from 'vitest'
import { alignedMoney } from '../web/formats/money.ts'
import { readColumns, USUAL_COLUMNS, writeColumns } from '../web/pages/requests/columns.tsx'
import { failuresRange, filtersOfGroup, overTime, since, startOfDay } from '../web/pages/requests/failure-groups.ts'
import { activeKinds, valueError, without } from '../web/pages/requests/filter-fields.ts'
import {
  canonicalList,
  outcomesOf,
  readList,
  typedCount,
  typedDollars,
  typedDuration,
  writeList,
} from '../web/pages/requests/filters.ts'
import { barsRange, summedFilters } from '../web/pages/requests/histogram.tsx'
import { missingReasons, startOfRequest } from '../web/pages/requests/request-id.ts'
import { sortedRange } from '../web/pages/requests/sorted-range.ts'
import { unitText, usageText } from '../web/pages/requests/usage-text.ts'
import { readView, writeView } from '../web/pages/requests/views.ts'
import { requestIdIn } from '../web/shell/found-items.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const EN = ['en-US']

describe('A filter with several values', () => {
  it('is read and written: one of them, or none of them', () => {
    expect(readList('a, b,a,')).toEqual({ values: ['a', 'b'], isNot: false })
    expect(readList('!a,b')).toEqual({ values: ['a', 'b'], isNot: true })
    expect(writeList({ values: ['a,b', 'c'], isNot: true })).toBe('!a%2Cb,c')
    expect(readList('!a%2Cb,c').values).toEqual(['a,b', 'c'])
    expect([canonicalList('!'), canonicalList(' a ,, b '), canonicalList('x'.repeat(5_000))]).toEqual([
      undefined,
      'a,b',
      undefined,
    ])
    const many = Array.from({ length: 80 }, (_, index) => `m${index}`).join(',')
    expect(readList(many).values).toHaveLength(50)
  })

  it('of outcomes selects them, also by exclusion', () => {
    expect(outcomesOf('cut,failed')).toEqual(['cut', 'failed'])
    expect(outcomesOf('!served,failed-over')).toEqual(['refused', 'cut', 'canceled', 'failed'])
    expect([outcomesOf(undefined), outcomesOf('other')]).toEqual([[], []])
  })

  it('refuses what cannot match', () => {
    expect(valueError('status', ['5'])).toMatch(/three digits/)
    expect(valueError('status', ['429', '500'])).toBeUndefined()
    expect(valueError('tag', ['Team'])).toMatch(/team=search/)
    expect(valueError('tag', ['team=A b'])).toBeUndefined()
  })

  it('is removed whole: both bounds of an amount', () => {
    expect(activeKinds({ model: 'a', maxMs: 5 })).toEqual(['model', 'duration'])
    expect(without('duration')).toEqual({ minMs: undefined, maxMs: undefined })
  })
})

describe('A typed bound', () => {
  it('is a duration in seconds without a unit, an amount with a point or a comma, or a count', () => {
    expect(['5', '800 ms', '2,5 s', '1m', 'fast', '-1', ''].map(typedDuration)).toEqual([
      5_000,
      800,
      2_500,
      60_000,
      undefined,
      undefined,
      undefined,
    ])
    expect(['0.01', '$2', '0,5', '1e3', 'abc'].map(typedDollars)).toEqual(['0.01', '2', '0.5', undefined, undefined])
    expect(['1000', '1,000', '20k', '1.5', '2m', 'x'].map(typedCount)).toEqual([
      1_000,
      1_000,
      20_000,
      undefined,
      2_000_000,
      undefined,
    ])
  })
})

describe('The usage of a request', () => {
  const none = { input: null, output: null, units: null, outcome: 'served' } as const

  it('is in its own unit, with the right plural', () => {
    expect(usageText({ ...none, input: 0, output: 0, units: { searches: 3 } })).toMatchObject({ text: '3 searches' })
    expect(usageText({ ...none, units: { searches: 1 } })).toMatchObject({ text: '1 search' })
    expect(usageText({ ...none, units: { seconds: 5 } })).toMatchObject({ text: '5 s' })
    expect(usageText({ ...none, input: 1, output: 2, units: { searches: 1 } })).toEqual({
      text: '1 / 2 + 1 search',
      exact: '1 input token, 2 output tokens, 1 search',
    })
    expect(unitText('lumens', 2)).toBe('2 lumens')
  })

  it('is none for a refused request, and unknown if it was not reported', () => {
    expect(usageText({ ...none, outcome: 'refused' })).toBe('none')
    expect(usageText(none)).toBe('unknown')
    expect(usageText({ ...none, input: 0, output: 0 })).toBe('none')
  })
})

describe('Amounts of a column', () => {
  it('all have six decimals, and are never 0 if they are not', () => {
    expect(['0', '795000', '1234567890000', '999', '-5000'].map((nanos) => alignedMoney(nanos, EN))).toEqual([
      '$0.000000',
      '$0.000795',
      '$1,234.567890',
      '<$0.000001',
      '-$0.000005',
    ])
  })
})

describe('Columns', () => {
  it('are those that are named and known, in the order of the table, always with the model', () => {
    expect(readColumns('cost,format,nope,at')).toEqual(['at', 'model', 'format', 'cost'])
    expect([readColumns(undefined), readColumns(''), readColumns('nope')]).toEqual([
      USUAL_COLUMNS,
      USUAL_COLUMNS,
      USUAL_COLUMNS,
    ])
    expect(writeColumns([...USUAL_COLUMNS])).toBeUndefined()
    expect(writeColumns(['cost'])).toBe('model,cost')
  })
})

describe('The chart of requests', () => {
  it('has hours up to 8 days', () => {
    expect(barsRange({ from: 0, to: 7 * DAY, step: 'day' }).step).toBe('hour')
    expect(barsRange({ from: 0, to: 30 * DAY, step: 'day' }).step).toBe('day')
    expect(barsRange({ from: 0, to: HOUR, step: 'minute' }).step).toBe('minute')
  })

  it('exists for filters that have sums', () => {
    expect(summedFilters({ model: 'a', project: undefined, key: 'k' })).toEqual({ model: 'a', key: 'k' })
    for (const filters of [{ model: 'a,b' }, { model: '!a' }, { outcome: 'failed' }, { minMs: 5 }, { tag: 'a' }])
      expect(summedFilters(filters)).toBeUndefined()
  })
})

describe('Groups of failures', () => {
  it('are counted over time and today', () => {
    const hours = [
      { start: 0, requests: 2 },
      { start: 3 * HOUR, requests: 5 },
      { start: 90 * DAY, requests: 9 },
    ]
    expect(overTime(hours, { from: 0, to: 5 * HOUR })).toEqual([2, 0, 0, 5, 0])
    const month = overTime(hours, { from: 0, to: 30 * DAY })
    expect([month.length, month[0]]).toEqual([180, 7])
    expect(since(hours, 3 * HOUR)).toBe(14)
    expect(new Date(startOfDay(Date.now())).getHours()).toBe(0)
  })

  it('cover at most 35 days, and a sorted list 7', () => {
    expect(failuresRange({ from: 0, to: 90 * DAY })).toEqual({ from: 55 * DAY, to: 90 * DAY })
    expect(sortedRange({ from: 0, to: 90 * DAY, step: 'day' }).from).toBe(83 * DAY)
    expect(sortedRange({ from: 0, to: HOUR, step: 'minute' }).from).toBe(0)
  })

  it('select their requests', () => {
    expect(filtersOfGroup({ failure: 'upstream', name: 'east' }, 'provider')).toEqual({
      failure: 'upstream',
      provider: 'east',
    })
    expect(filtersOfGroup({ failure: 'over-budget', name: '' }, 'provider')).toEqual({
      failure: 'over-budget',
      outcome: 'refused',
    })
    expect(filtersOfGroup({ failure: 'timeout', name: 'key_1' }, 'key')).toEqual({ failure: 'timeout', key: 'key_1' })
  })
})

describe('An ID without a record', () => {
  const id = `req_01932c07209c${'0'.repeat(20)}`

  it('is explained by its time and its form', () => {
    expect(startOfRequest(id)).toBe(1_731_610_484_892)
    expect(missingReasons('req_0193', 0, true).reasons).toEqual([expect.stringContaining('not a complete request ID')])
    expect(missingReasons(id, 1_731_610_484_892 + 5_000, true).reasons[0]).toMatch(/still running/)
    expect(missingReasons(id, 1_731_610_484_892 + DAY, true).reasons.join()).not.toMatch(/still running|another person/)
    expect(missingReasons(id, 1_731_610_484_892 + DAY, false).reasons.join()).toMatch(/another person/)
  })

  it('is found within a pasted line', () => {
    expect(requestIdIn(`< X-Request-Id: ${id}`)).toBe(id)
    expect(requestIdIn('row 01990000-0000-7000-8000-000000000000.')).toBe('01990000-0000-7000-8000-000000000000')
    expect(requestIdIn('overview')).toBeUndefined()
  })
})

describe('A saved view', () => {
  it('has the filters, the order, the columns and the range of an address, and nothing else', () => {
    const search = writeView({ model: '!a,b', sort: 'cost', range: '7d', row: 'req_1', tab: 'errors', project: 'p' })
    expect(search).toBe('model=%21a%2Cb&sort=cost&range=7d')
    expect(readView({ search })).toEqual({ model: '!a,b', sort: 'cost', range: '7d' })
    expect(readView({ search: 'sort=nope&range=x&row=1&__proto__=1' })).toEqual({ sort: undefined, range: undefined })
  })
})
