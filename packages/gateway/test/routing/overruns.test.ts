import { describe, expect, it } from 'vitest'
import { createOverruns } from '../../src/routing/overruns.ts'

const model = { provider: 'alpha', model: 'small' }
const DAY = 86_400_000

describe('Outputs beyond their limits', () => {
  it('widen by the largest excess, and by the largest ratio of limits that are not small', () => {
    const overruns = createOverruns()
    expect([overruns.record(model, 100, 100), overruns.widened(model, 100, Infinity)]).toEqual([undefined, 100])
    expect([overruns.record(model, 16, 1_016), overruns.record(model, 100, 200)]).toEqual([true, false])
    expect(overruns.widened(model, 4_000, Infinity)).toBe(5_000)
    overruns.record(model, 1_000, 3_000)
    expect([overruns.widened(model, 4_000, Infinity), overruns.widened(model, 10, Infinity)]).toEqual([12_000, 2_010])
    expect(overruns.of(model)).toMatchObject({ count: 3, limit: 1_000, output: 3_000 })
    expect(overruns.widened({ ...model, model: 'other' }, 4_000, Infinity)).toBe(4_000)
  })

  it('widen no further than the model writes, or wrote', () => {
    const overruns = createOverruns()
    overruns.record(model, 1_000, 3_000)
    expect([overruns.widened(model, 2_000, 4_000), overruns.widened(model, 2_000, 1_500)]).toEqual([4_000, 3_000])
    expect(overruns.widened(model, 8_000, 4_000)).toBe(8_000)
  })

  it('are forgotten a day after the last one, and are remembered of a thousand models', () => {
    let now = 0
    const overruns = createOverruns(() => now)
    overruns.record(model, 100, 300)
    now = DAY - 1
    expect(overruns.widened(model, 100, Infinity)).toBe(300)
    now = DAY
    expect([overruns.widened(model, 100, Infinity), overruns.known.size]).toEqual([100, 0])
    for (let index = 0; index < 1_001; index++) overruns.record({ ...model, model: `m${index}` }, 1, 2)
    expect([overruns.known.size, overruns.of({ ...model, model: 'm0' })]).toEqual([1_000, undefined])
  })
})
