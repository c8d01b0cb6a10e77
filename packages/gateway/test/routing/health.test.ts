import { describe, expect, it } from 'vitest'
import { createHealth, type Health, type HealthTarget, plainTarget } from '../../src/routing/health.ts'

const about = (model: string): HealthTarget => plainTarget('p', model)
const at = (endpoint: string, account = endpoint): HealthTarget => ({
  provider: 'p',
  endpoint,
  account: `p\n${account}`,
  model: 'm',
})

/** Without random parts of cooldowns. */
const exact = (): Health => createHealth(() => 0)

/** Length of the cooldown that begins now, in milliseconds. */
function cooldownOf(health: Health, target: HealthTarget, now = 0): number {
  return (health.cooldownOf(target, now)?.until ?? now) - now
}

describe('Health', () => {
  it('ejects a target after five failures in a row', () => {
    const health = exact()
    const minutes = (nth: number): number => nth * 60_000
    for (let nth = 0; nth < 4; nth++) health.failed(about('a'), { kind: 'upstream' }, minutes(nth))
    health.served(about('a'), minutes(4))
    for (let nth = 5; nth < 9; nth++) health.failed(about('a'), { kind: 'upstream' }, minutes(nth))
    expect(health.isHealthy(about('a'), minutes(9))).toBe(true)
    health.failed(about('a'), { kind: 'upstream' }, minutes(9))
    expect([about('a'), about('b')].map((one) => health.isHealthy(one, minutes(9)))).toEqual([false, true])
  })

  it('ejects a target of whose recent calls half failed, but not one that fails three of ten', () => {
    const health = exact()
    for (let nth = 0; nth < 1_000; nth++) {
      const isFailure = nth % 10 < 3
      if (isFailure) health.failed(about('a'), { kind: 'upstream' }, nth * 100)
      else health.served(about('a'), nth * 100)
      expect(health.isHealthy(about('a'), nth * 100)).toBe(true)
    }
    for (let nth = 0; nth < 10; nth++) {
      health.served(about('b'), nth)
      health.failed(about('b'), { kind: 'upstream' }, nth)
    }
    expect(health.isHealthy(about('b'), 10)).toBe(false)
  })

  it('ejects a target at once if it cannot be reached, was too slow or is rate-limited', () => {
    for (const failure of [
      { kind: 'upstream', code: 'ECONNREFUSED' },
      { kind: 'timeout' },
      { kind: 'rate-limited', upstreamStatus: 429 },
    ] as const) {
      const health = exact()
      health.failed(about('a'), failure, 0)
      expect(cooldownOf(health, about('a'))).toBe(2_000)
    }
  })

  it('doubles the cooldown of a target that fails again after it, up to a minute', () => {
    const health = exact()
    let now = 0
    const cooldowns = Array.from({ length: 7 }, () => {
      health.failed(about('a'), { kind: 'timeout' }, now)
      const length = cooldownOf(health, about('a'), now)
      now += length
      return length
    })
    expect(cooldowns).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  })

  it('obeys the wait that an upstream states, up to a day', () => {
    for (const [requested, expected] of [
      [10_000, 10_000],
      [1_500, 1_500],
      [68_400_000, 68_400_000],
      [999_000_000, 86_400_000],
    ] as const) {
      const health = exact()
      health.failed(about('a'), { kind: 'rate-limited', retryAfterMs: requested }, 0)
      expect(cooldownOf(health, about('a'))).toBe(expected)
    }
  })

  it('does not call what is pointless to call: long stated waits, and used-up quotas', () => {
    const health = exact()
    health.failed(about('a'), { kind: 'rate-limited', retryAfterMs: 30_000 }, 0)
    health.failed(about('b'), { kind: 'rate-limited', retryAfterMs: 3_600_000 }, 0)
    expect([about('a'), about('b')].map((one) => health.cooldownOf(one, 1)?.isFinal)).toEqual([false, true])
    health.failed(at('x'), { kind: 'our-quota' }, 0)
    expect(health.cooldownOf(at('x'), 1)).toMatchObject({ isFinal: true, until: 1_800_000 })
    const successor = exact()
    successor.copyFrom(health, 'p')
    expect([about('a'), about('b'), at('x')].map((one) => successor.isHealthy(one, 1))).toEqual([false, true, true])
  })

  it('keeps account failures of one account, and rate limits of one endpoint and model', () => {
    const health = exact()
    health.failed(at('a', 'one'), { kind: 'our-credential' }, 0)
    expect([at('a', 'one'), at('b', 'one'), at('c', 'two')].map((one) => health.isHealthy(one, 1))).toEqual([
      false,
      false,
      true,
    ])
    health.served(at('b', 'one'), 1)
    expect([at('a', 'one'), at('b', 'one')].map((one) => health.isHealthy(one, 1))).toEqual([false, true])
    health.failed(at('c', 'two'), { kind: 'rate-limited' }, 0)
    expect([at('c', 'two'), at('d', 'two')].map((one) => health.isHealthy(one, 1))).toEqual([false, true])
  })

  it('admits one call after a cooldown, and twice as many after each success', () => {
    const health = exact()
    health.failed(about('a'), { kind: 'timeout' }, 0)
    const admitted = Array.from({ length: 7 }, () => {
      const most = health.admits(about('a'), 2_000)
      health.served(about('a'), 2_000)
      return most
    })
    expect(admitted).toEqual([1, 2, 4, 8, 16, 32, Number.POSITIVE_INFINITY])
    expect(health.isHealthy(about('a'), 2_000)).toBe(true)
  })

  it('ejects a target again if the call after its cooldown fails', () => {
    const health = exact()
    health.failed(about('a'), { kind: 'timeout' }, 0)
    health.failed(about('a'), { kind: 'upstream' }, 2_500)
    expect(cooldownOf(health, about('a'), 2_500)).toBe(4_000)
  })

  it('ignores failures that the request caused', () => {
    const health = exact()
    for (const kind of ['invalid-request', 'unknown-model', 'context-too-long', 'canceled', 'cut'] as const)
      for (let nth = 0; nth < 10; nth++) health.failed(about('a'), { kind }, 0)
    expect(health.isHealthy(about('a'), 0)).toBe(true)
    expect(health.report(0)).toEqual([])
  })

  it('reports cooldowns, errors, and the calls of 30 minutes', () => {
    const health = exact()
    health.failed(at('x'), { kind: 'rate-limited', upstreamStatus: 429, code: 'slow', retryAfterMs: 10_000 }, 0)
    health.served(at('x'), 0)
    health.failed(at('x'), { kind: 'rate-limited', retryAfterMs: 10_000 }, 0)
    health.failed(at('y'), { kind: 'our-quota' }, 0)
    const reports = health.report(4_000)
    expect(reports.map(({ endpoint, model, account }) => [endpoint, model, account])).toEqual(
      expect.arrayContaining([
        ['x', 'm', undefined],
        [undefined, undefined, 'p\ny'],
      ]),
    )
    const x = reports.find(({ endpoint, model }) => endpoint === 'x' && model === 'm')
    expect(x).toMatchObject({ recent: { calls: 3, failures: 2 }, lastError: { kind: 'rate-limited' } })
    expect((x?.restsUntil ?? 0) - Date.now()).toBeLessThanOrEqual(6_000)
    expect(health.report(2_000_000).find(({ endpoint, model }) => endpoint === 'x' && model)?.recent).toBeUndefined()
  })

  it('has bounded memory, whatever models callers invent', () => {
    const health = exact()
    for (let n = 0; n < 25_000; n++) health.failed(about(`m${n}`), { kind: 'rate-limited' }, n)
    expect(health.isHealthy(about('m24999'), 24_999)).toBe(false)
    expect(health.isHealthy(about('m0'), 0)).toBe(true)
    expect([health.state.errors.size, health.state.cooldowns.size, health.state.outcomes.size]).toEqual([
      500, 10_000, 10_000,
    ])
  })
})
