import type { UsageRow } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { routingText } from '../../src/usage/row-routing.ts'

type Decision = NonNullable<UsageRow['routing']>

function decision(count: number, why: string): Decision {
  const considered = Array.from({ length: count }, (_, number) => ({
    provider: 'mine',
    endpoint: `e${number}`,
    model: 'm',
    why,
  }))
  return { policy: 'fastest', considered }
}

describe('A routing decision in the store', () => {
  it('has the endpoints in their order, and only their known fields', () => {
    const one = { provider: 'mine', endpoint: undefined, model: 'm', why: 'w', secret: 's' }
    const text = routingText({ policy: 'fastest', considered: [one, ...decision(1, 'x').considered] })
    expect(JSON.parse(String(text))).toEqual({
      policy: 'fastest',
      considered: [
        { provider: 'mine', model: 'm', why: 'w' },
        { provider: 'mine', endpoint: 'e0', model: 'm', why: 'x' },
      ],
    })
  })

  it('has at most 16 endpoints and 4 KB: the last endpoints are dropped', () => {
    const many = JSON.parse(String(routingText(decision(40, 'w'))))
    expect(many.considered.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(
      Array.from({ length: 16 }, (_, number) => `e${number}`),
    )
    const long = String(routingText(decision(10, 'é'.repeat(400))))
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(4_096)
    expect(JSON.parse(long).considered).toHaveLength(4)
    expect(JSON.parse(String(routingText(decision(2, 'é'.repeat(4_000))))).considered).toEqual([])
  })

  it('is null without one, also if another version wrote something else', () => {
    expect(routingText(undefined)).toBeNull()
    expect(routingText({ policy: 'fastest' } as Decision)).toBeNull()
    expect(routingText({ policy: 'x'.repeat(5_000), considered: [] } as unknown as Decision)).toBeNull()
  })
})
