import { describe, expect, it } from 'vitest'
import { createHealth, type Health, type HealthTarget } from '../../src/routing/health.ts'

const at = (endpoint: string, account = endpoint): HealthTarget => ({
  provider: 'p',
  endpoint,
  account: `p\n${account}`,
  model: 'm',
})

/** Without random parts of cooldowns. */
const exact = (): Health => createHealth(() => 0)

describe('Cooldowns for other processes', () => {
  it('are those that an upstream asked for, from 5 seconds on, once', () => {
    const health = exact()
    health.failed(at('a'), { kind: 'rate-limited', retryAfterMs: 20_000 }, 0)
    health.failed(at('b'), { kind: 'rate-limited', retryAfterMs: 4_000 }, 0)
    health.failed(at('c'), { kind: 'overloaded', retryAfterMs: 9_000 }, 1_000)
    expect(health.drain(2_000)).toEqual([
      { key: 'p\na\nm', kind: 'rate-limited', leftMs: 18_000 },
      { key: 'p\nc\nm', kind: 'overloaded', leftMs: 8_000 },
    ])
    expect(health.drain(2_000)).toEqual([])
  })

  it('are those of an account whose quota is used up, for all of its endpoints', () => {
    const health = exact()
    health.failed(at('a', 'group'), { kind: 'our-quota' }, 0)
    expect(health.drain(0).map(({ key }) => key)).toEqual(['p\ngroup', 'p\na'])
  })

  it('are neither own failures nor rejected credentials: these may be different in other processes', () => {
    const health = exact()
    for (let nth = 0; nth < 10; nth++) {
      health.failed(at('a'), { kind: 'timeout' }, nth * 100_000)
      health.failed(at('b'), { kind: 'upstream', code: 'ECONNREFUSED' }, nth * 100_000)
      health.failed(at('c'), { kind: 'our-credential' }, nth * 100_000)
    }
    expect(health.isHealthy(at('a'), 900_000)).toBe(false)
    expect(health.drain(900_000)).toEqual([])
  })

  it('apply as advice: until their end, never as a reason not to try the endpoint at all', () => {
    const health = exact()
    health.merge([{ key: 'p\na\nm', kind: 'our-quota', leftMs: 30_000 }], 1_000)
    expect(health.cooldownOf(at('a'), 1_000)).toMatchObject({ until: 31_000, isFinal: false })
    expect(health.isHealthy(at('b'), 1_000)).toBe(true)
    expect(health.isHealthy(at('a'), 31_000)).toBe(true)
    // One call tests it, and its load returns in steps.
    expect(health.admits(at('a'), 31_000)).toBe(1)
    health.served(at('a'), 31_000)
    expect(health.admits(at('a'), 31_000)).toBe(2)
    expect(health.drain(31_000)).toEqual([])
  })

  it('never shorten one that is known, and are ignored if they are over', () => {
    const health = exact()
    health.failed(at('a'), { kind: 'rate-limited', retryAfterMs: 60_000 }, 0)
    health.merge([{ key: 'p\na\nm', kind: 'rate-limited', leftMs: 10_000 }], 0)
    health.merge([{ key: 'p\nb\nm', kind: 'rate-limited', leftMs: 0 }], 0)
    health.merge([{ key: 'p\nc\nm', kind: 'rate-limited', leftMs: Number.NaN }], 0)
    expect(health.cooldownOf(at('a'), 0)?.until).toBe(60_000)
    expect(health.isHealthy(at('b'), 0)).toBe(true)
    expect(health.isHealthy(at('c'), 0)).toBe(true)
  })

  it('are bounded until they are drained', () => {
    const health = exact()
    for (let nth = 0; nth < 1_000; nth++)
      health.failed({ ...at('a'), model: `m${nth}` }, { kind: 'rate-limited', retryAfterMs: 60_000 }, 0)
    expect(health.drain(0)).toHaveLength(256)
  })
})
