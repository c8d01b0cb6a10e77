import { describe, expect, it } from 'vitest'
import { createAffinity, type Prefix, prefixOf, tenantKeyOf } from '../../src/routing/affinity/index.ts'

const KEY = tenantKeyOf('secret', 'tenant')
const MINUTE = 60_000
/** Four bytes of a request are one token. */
const TOKENS = 10_240
const NOW = 1_700_000_000_000

function conversation(name: string, bytes = 40_960, key = KEY, hint?: string): Prefix {
  return prefixOf(key, [`${name} `.repeat(Math.ceil(bytes / (name.length + 1))).slice(0, bytes)], hint)
}

const FIRST = { input: TOKENS, cacheRead: 0 }

describe('The index of prompt caches', () => {
  it('expects the tokens of a served conversation at its target, and nowhere else', () => {
    const affinity = createAffinity()
    const prefix = conversation('a')
    affinity.record(prefix, 'eu', FIRST, undefined, NOW)
    const [us, eu] = affinity.lookup(prefix, ['us', 'eu'], NOW + MINUTE)
    expect(us).toBeUndefined()
    expect(eu?.tokens).toBe(TOKENS)
    expect(eu?.probability).toBeGreaterThan(0.9)
  })

  it('matches the beginning that two conversations share', () => {
    const affinity = createAffinity()
    const head = 'system '.repeat(3_000)
    const one = prefixOf(KEY, [head, 'one '.repeat(5_000)])
    const other = prefixOf(KEY, [head, 'two '.repeat(5_000)])
    affinity.record(one, 'eu', { input: one.bytes / 4, cacheRead: 0 }, undefined, NOW)
    const [warm] = affinity.lookup(other, ['eu'], NOW)
    const shared = Math.floor(head.length / 4_096) * 1_024
    expect(warm?.tokens).toBe(shared)
  })

  it('expects nothing for the same conversation of another tenant', () => {
    const affinity = createAffinity()
    affinity.record(conversation('a', 40_960, tenantKeyOf('secret', 'one'), 'session'), 'eu', FIRST, undefined, NOW)
    const other = conversation('a', 40_960, tenantKeyOf('secret', 'two'), 'session')
    expect(affinity.lookup(other, ['eu'], NOW)).toEqual([])
  })

  it('expects less from entries that are older than the lifetime of the cache', () => {
    const affinity = createAffinity()
    const prefix = conversation('a')
    affinity.record(prefix, 'eu', FIRST, { lifetimeMs: 5 * MINUTE }, NOW)
    const at = (minutes: number) => affinity.lookup(prefix, ['eu'], NOW + minutes * MINUTE)[0]?.probability ?? 0
    expect(at(4)).toBeGreaterThan(0.8)
    expect(at(6)).toBeLessThan(0.5)
    expect(at(21)).toBe(0)
  })

  it('uses the longer lifetime for requests that ask for it', () => {
    const affinity = createAffinity()
    const prefix = conversation('a')
    const facts = { lifetimeMs: 5 * MINUTE, longLifetimeMs: 60 * MINUTE }
    affinity.record(prefix, 'eu', { ...FIRST, isLong: true }, facts, NOW)
    expect(affinity.lookup(prefix, ['eu'], NOW + 40 * MINUTE)[0]?.probability).toBeGreaterThan(0.8)
  })

  it('prefers a fresh shorter prefix to an expired longer one', () => {
    const affinity = createAffinity()
    const head = 'system '.repeat(3_000)
    const one = prefixOf(KEY, [head, 'one '.repeat(5_000)])
    const other = prefixOf(KEY, [head, 'two '.repeat(5_000)])
    affinity.record(one, 'eu', { input: one.bytes / 4, cacheRead: 0 }, undefined, NOW)
    affinity.record(other, 'eu', { input: other.bytes / 4 }, undefined, NOW + 10 * MINUTE)
    const [warm] = affinity.lookup(one, ['eu'], NOW + 11 * MINUTE)
    expect(warm?.tokens).toBe(Math.floor(head.length / 4_096) * 1_024)
    expect(warm?.probability).toBeGreaterThan(0.9)
  })

  it('learns that a target keeps its cache for longer or shorter than stated', () => {
    const affinity = createAffinity()
    const expected = (name: string) =>
      affinity.lookup(conversation(name), ['eu'], NOW + 7 * MINUTE)[0]?.probability ?? 0
    affinity.record(conversation('a'), 'eu', FIRST, undefined, NOW)
    const before = expected('a')
    for (let i = 0; i < 30; i++) {
      const prefix = conversation(`learned ${i}`)
      affinity.record(prefix, 'eu', FIRST, undefined, NOW)
      affinity.record(prefix, 'eu', { input: TOKENS, cacheRead: TOKENS }, undefined, NOW + 7 * MINUTE)
    }
    expect(before).toBeLessThan(0.5)
    expect(expected('a')).toBeGreaterThan(0.8)
    for (let i = 0; i < 60; i++) {
      const prefix = conversation(`missed ${i}`)
      affinity.record(prefix, 'eu', FIRST, undefined, NOW)
      affinity.record(prefix, 'eu', FIRST, undefined, NOW + 7 * MINUTE)
    }
    expect(expected('a')).toBeLessThan(0.4)
  })

  it('forgets a conversation whose expected tokens were not cached', () => {
    const affinity = createAffinity()
    const prefix = conversation('a')
    const facts = { onRequest: true }
    affinity.record(prefix, 'eu', { input: TOKENS, cacheRead: 0, cacheWrite: TOKENS }, facts, NOW)
    expect(affinity.lookup(prefix, ['eu'], NOW)[0]?.tokens).toBe(TOKENS)
    // A request without a mark: nothing was read, and nothing is stored.
    affinity.record(prefix, 'eu', { input: TOKENS, cacheRead: 0, cacheWrite: 0 }, facts, NOW + MINUTE)
    expect(affinity.lookup(prefix, ['eu'], NOW + MINUTE)).toEqual([])
    expect(affinity.size).toBe(0)
  })

  it('only remembers the marked part of a request', () => {
    const affinity = createAffinity()
    const prefix = conversation('a')
    affinity.record(prefix, 'eu', { input: TOKENS, cacheRead: 0, cacheWrite: 4_200 }, { onRequest: true }, NOW)
    const tokens = affinity.lookup(prefix, ['eu'], NOW)[0]?.tokens ?? 0
    expect(tokens).toBeGreaterThan(3_000)
    expect(tokens).toBeLessThanOrEqual(4_200)
  })

  it('ignores prefixes below the minimum of the cache', () => {
    const affinity = createAffinity()
    const prefix = conversation('a', 8_192)
    affinity.record(prefix, 'eu', { input: 2_000, cacheRead: 0 }, { least: 4_096 }, NOW)
    expect(affinity.size).toBe(0)
  })

  it('uses the session id if no block is known', () => {
    const affinity = createAffinity()
    affinity.record(conversation('line 1', 40_960, KEY, 'session'), 'eu', FIRST, undefined, NOW)
    const changed = conversation('line 2', 40_960, KEY, 'session')
    expect(affinity.lookup(changed, ['us', 'eu'], NOW)[1]?.tokens).toBe(TOKENS)
    expect(affinity.lookup(conversation('line 2', 40_960, KEY, 'another'), ['us', 'eu'], NOW)).toEqual([])
  })

  it('changes nothing when it is read', () => {
    const affinity = createAffinity({ isShared: true })
    const prefix = conversation('a')
    affinity.record(prefix, 'eu', FIRST, undefined, NOW)
    affinity.drain()
    const before = affinity.lookup(prefix, ['eu'], NOW)
    for (let i = 0; i < 100; i++) affinity.lookup(prefix, ['eu', `other ${i}`], NOW + i)
    expect(affinity.lookup(prefix, ['eu'], NOW)).toEqual(before)
    expect(affinity.drain()).toEqual([])
    expect(affinity.size).toBe(10)
  })

  it('has limited memory, and forgets what was not used for longest', () => {
    const affinity = createAffinity({ most: 100 })
    const used = conversation('used')
    affinity.record(used, 'eu', FIRST, undefined, NOW)
    for (let i = 1; i <= 500; i++) {
      affinity.record(conversation(`conversation ${i}`), `target ${i % 20}`, FIRST, undefined, NOW + i * 5_000)
      affinity.record(used, 'eu', { input: TOKENS, cacheRead: TOKENS }, undefined, NOW + i * 5_000)
      expect(affinity.size).toBeLessThanOrEqual(100)
    }
    const now = NOW + 500 * 5_000
    expect(affinity.lookup(used, ['eu'], now)[0]?.tokens).toBe(TOKENS)
    expect(affinity.lookup(conversation('conversation 1'), ['target 1'], now)).toEqual([])
  })

  it('limits the targets of one conversation', () => {
    const affinity = createAffinity()
    const prefix = conversation('a')
    for (let i = 0; i < 50; i++) affinity.record(prefix, `target ${i}`, FIRST, undefined, NOW + i)
    expect(affinity.size).toBe(80)
    const targets = Array.from({ length: 50 }, (_, i) => `target ${i}`)
    const warm = affinity.lookup(prefix, targets, NOW + 50).flatMap((one, i) => (one ? [i] : []))
    expect(warm).toEqual([42, 43, 44, 45, 46, 47, 48, 49])
  })

  it('shares what it records, as JSON', () => {
    const [one, other] = [createAffinity({ isShared: true }), createAffinity({ isShared: true })]
    const prefix = conversation('a', 40_960, KEY, 'session')
    one.record(prefix, 'eu', FIRST, { lifetimeMs: 5 * MINUTE }, NOW)
    const sent = JSON.parse(JSON.stringify(one.drain()))
    expect(JSON.stringify(sent)).not.toContain('a a a')
    other.merge(sent)
    expect(other.lookup(prefix, ['eu'], NOW)).toEqual(one.lookup(prefix, ['eu'], NOW))
    // What came from another process is not sent again.
    expect(other.drain()).toEqual([])
    for (let i = 0; i < 300; i++) one.record(conversation(`c ${i}`), 'eu', FIRST, undefined, NOW)
    expect(one.drain()).toHaveLength(256)
    expect(one.drain()).toEqual([])
  })
})
