import { describe, expect, it } from 'vitest'
import { leftOf } from '../web/budgets/budget-meter.tsx'
import { heldBy, heldOf } from '../web/pages/budgets/orphaned-leases.tsx'
import { changeSentence, endSentence, newSentence, termsOf } from '../web/pages/budgets/sentences.ts'

const NOW = Date.UTC(2026, 10, 22)
const DAY = 86_400_000
const DOLLAR = 1_000_000_000
const nanos = (dollars: number): string => String(dollars * DOLLAR)
const OF = { limit: nanos(50), spent: nanos(10), tiedUp: nanos(1), soft: false }

describe('What it means to change a budget', () => {
  it('is said of raising and lowering it', () => {
    expect(changeSentence(OF, nanos(80))).toBe('Raised by $30.00: $70.00 left. Never resets.')
    expect(changeSentence(OF, nanos(20))).toBe('Lowered by $30.00: $10.00 left. Never resets.')
    expect(changeSentence(OF, OF.limit)).toContain('Same limit')
  })

  it('is said of less than what is spent', () => {
    expect(changeSentence(OF, nanos(10))).toBe(
      '$10.00 is already spent. New requests are refused immediately. Gateways can still spend the $1.00 that they hold. Never resets.',
    )
    expect(changeSentence({ ...OF, tiedUp: '0' }, nanos(5), true)).toBe(
      '$10.00 is already spent. An alert is sent immediately; requests continue.',
    )
  })

  it('is said of a new one', () => {
    expect(newSentence(nanos(5), 'forever', false)).toContain(
      'in total. A request that could exceed the limit is refused',
    )
    expect(newSentence(nanos(5), 'day', true)).toBe('Sends an alert when $5.00 per day is spent. Requests continue.')
    expect(termsOf({ limit: nanos(5), period: 'month', zone: 'Europe/Berlin' })).toBe(
      '$5.00 per month in Europe/Berlin',
    )
  })
})

describe('When a budget ends', () => {
  it('is said of what only alerts and of what refuses', () => {
    const gone = { share: 1, atEnd: 1, endsAt: NOW }
    expect(endSentence(gone, { soft: true }, NOW)).toBe('Used up. Requests continue.')
    expect(endSentence(gone, { soft: false, resetAt: NOW + DAY }, NOW)).toMatch(
      /^Used up\. Requests are refused until reset /,
    )
    expect(
      endSentence({ share: 0.5, atEnd: 2, endsAt: NOW + DAY }, { soft: false, resetAt: NOW + 2 * DAY }, NOW),
    ).toMatch(/^Runs out .* at this rate/)
    expect(endSentence({ share: 0.5, atEnd: undefined, endsAt: undefined }, { soft: false }, NOW)).toBe('Never resets.')
  })

  it('leaves nothing, and never less', () => {
    expect(leftOf({ limit: '10', spent: '12' })).toBe(0n)
    // One gateway leases all of it at its first request.
    const leased = { limit: '10', spent: '4', tiedUp: '6' }
    expect(leftOf(leased)).toBe(6n)
  })
})

describe('What a process held that is gone', () => {
  it('is what it was granted and has not used, and never less than nothing', () => {
    expect(heldOf({ granted: '500', used: '80' })).toBe(420n)
    expect(
      heldBy([
        { granted: '500', used: '80' },
        { granted: '5', used: '9' },
      ]),
    ).toBe(420n)
  })
})
