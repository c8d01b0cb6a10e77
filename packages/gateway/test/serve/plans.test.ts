import { describe, expect, it } from 'vitest'
import { type PlansGiven, plansInTurn } from '../../src/serve/plans.ts'
import { createTurns } from '../../src/serve/turns.ts'

/** Plans are the candidates themselves: `b2` lacks 2. */
function turns(candidates: string[], changes: Partial<PlansGiven<string, string>> = {}) {
  const planned: string[] = []
  const plans = plansInTurn({
    candidates,
    isWell: () => true,
    planOf(candidate) {
      planned.push(candidate)
      return candidate
    },
    lacks: (plan) => Number(plan.slice(1)),
    ...changes,
  })
  return { planned, plans }
}

describe('Candidates', () => {
  it('are planned one at a time while the first lacks nothing', () => {
    const { planned, plans: all } = turns(['a0', 'b0', 'c1'])
    const plans = createTurns(all)
    expect(plans.take()).toBe('a0')
    expect(planned).toEqual(['a0'])
    expect([...plans]).toEqual(['b0', 'c1'])
  })

  it('are asked in the order of what they lack', () => {
    expect([...turns(['a2', 'b1', 'c0', 'd1']).plans]).toEqual(['c0', 'b1', 'd1', 'a2'])
  })

  it('keep their order where that is the caller’s', () => {
    const { planned, plans } = turns(['a2', 'b0'], { lacks: undefined } as object)
    expect(createTurns(plans).take()).toBe('a2')
    expect(planned).toEqual(['a2'])
  })

  it('that failed lately come last, whatever the others lack', () => {
    expect([...turns(['a0', 'b2'], { isWell: (one) => one !== 'a0' }).plans]).toEqual(['b2', 'a0'])
  })

  it('that can not carry the request are left out; what keeps the first is said when none can', () => {
    const only = (name: string) => (candidate: string) => {
      if (candidate !== name) throw new Error(`not ${candidate}`)
      return candidate
    }
    expect([...turns(['a0', 'b0'], { planOf: only('b0') }).plans]).toEqual(['b0'])
    expect(() => [...turns(['a0', 'b0'], { planOf: only('c0') }).plans]).toThrow('not a0')
    const single = turns(['a0'], { planOf: only('c0') }).plans
    expect(() => [...single]).toThrow('not a0')
  })
})
