import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { OutcomeChip } from '../web/components/chip.tsx'
import { Money } from '../web/components/values.tsx'
import { OUTCOMES, type OutcomeName } from '../web/labels.ts'
import { DeliveryChip } from '../web/pages/budgets/alerts.tsx'
import { OutcomeMark } from '../web/pages/requests/outcome-mark.tsx'
import { unknownAmount } from '../web/pages/requests/outcomes.ts'

const textOf = (html: string): string => html.replace(/<[^>]*>/g, '')

describe('The outcome of a request', () => {
  const shown = (status: number, outcome: OutcomeName) => {
    const html = renderToStaticMarkup(<OutcomeChip row={{ status, outcome }} />)
    return [textOf(html), html.includes('bg-good')]
  }
  const marked = (status: number, outcome: OutcomeName) => {
    const html = renderToStaticMarkup(<OutcomeMark row={{ status, outcome }} />)
    return [textOf(html), html.includes('bg-outcome-served')]
  }

  it('is green for whole responses only', () => {
    expect(shown(200, 'served')).toEqual(['200', true])
    expect(shown(200, 'cut')).toEqual(['cut off', false])
    expect(shown(200, 'canceled')).toEqual(['canceled', false])
    expect(shown(500, 'failed')).toEqual(['failed', false])
    expect(shown(429, 'refused')).toEqual(['refused', false])
  })

  it('is a word beside the dot, unless the request was served', () => {
    expect(marked(200, 'served')).toEqual(['200', true])
    expect(marked(200, 'failed-over')).toEqual(['failed over200', false])
    expect(marked(200, 'cut')).toEqual(['cut off200', false])
    expect(marked(499, 'canceled')).toEqual(['canceled', false])
    expect(marked(429, 'refused')).toEqual(['refused429', false])
    expect(marked(0, 'failed')).toEqual(['failed', false])
  })

  it('has its own label and color', () => {
    const looks = Object.values(OUTCOMES)
    for (const field of ['label', 'color', 'dot'] as const)
      expect(new Set(looks.map((look) => look[field])).size).toBe(looks.length)
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
