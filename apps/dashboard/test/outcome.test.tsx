import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { OutcomeChip } from '../web/components/chip.tsx'
import { Money } from '../web/components/values.tsx'
import { DeliveryChip } from '../web/pages/budgets/alerts.tsx'
import { unknownAmount } from '../web/pages/requests/outcomes.ts'

const textOf = (html: string): string => html.replace(/<[^>]*>/g, '')

describe('The outcome of a request', () => {
  const shown = (row: { status: number; why: string; failure: string | null }) => {
    const html = renderToStaticMarkup(<OutcomeChip row={row} />)
    return [textOf(html), html.includes('bg-good')]
  }

  it('is green for whole responses only', () => {
    expect(shown({ status: 200, why: 'served', failure: null })).toEqual(['200', true])
    expect(shown({ status: 200, why: 'cut', failure: 'upstream' })).toEqual(['incomplete', false])
    expect(shown({ status: 200, why: 'failed', failure: 'timeout' })).toEqual(['incomplete', false])
    expect(shown({ status: 200, why: 'canceled', failure: null })).toEqual(['canceled', false])
    expect(shown({ status: 500, why: 'failed', failure: 'upstream' })).toEqual(['500', false])
  })
})

describe('An unknown amount', () => {
  const shown = (why: string) => textOf(renderToStaticMarkup(<Money nanos={null} unknown={unknownAmount(why)} />))

  it('names a missing price only if the price is missing', () => {
    expect(['price-unknown', 'usage-unknown', 'failed'].map(shown)).toEqual([
      'unknown cost',
      'usage unknown',
      'unknown',
    ])
  })
})

describe('The delivery of an alert', () => {
  const shown = (deliveredAt: number | undefined, nextAt: number | undefined, tries: number) =>
    textOf(renderToStaticMarkup(<DeliveryChip deliveredAt={deliveredAt} nextAt={nextAt} tries={tries} />))

  it('is not claimed without a destination', () => {
    expect(shown(undefined, undefined, 1)).toBe('not sent: no destination')
    expect(shown(1, undefined, 1)).toBe('delivered')
    expect(shown(undefined, 2, 0)).toBe('not sent yet')
    expect(shown(undefined, 2, 3)).toBe('retrying, 3 attempts')
    expect(shown(undefined, undefined, 12)).toBe('failed after 12 attempts')
  })
})
