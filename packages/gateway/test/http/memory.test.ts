import { describe, expect, it } from 'vitest'
import { createMemoryQuota, defaultMemory, defaultWaiting, type MemoryQuota } from '../../src/http/memory.ts'

const refusal = (run: () => void): unknown => {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}

const leaseOf = (quota: MemoryQuota, key: string) => Object.assign(quota.lease(), { key })

describe('The memory quota', () => {
  it('covers all requests, and returns their memory when they end', () => {
    const quota = createMemoryQuota({ total: 100, perKey: 100 })
    const [one, other] = [leaseOf(quota, 'a'), leaseOf(quota, 'a')]
    one.take(30)
    expect(refusal(() => other.take(41))).toMatchObject({ kind: 'over-limit', status: 429, retryAfterMs: 1000 })
    other.take(20)
    expect(quota.held).toBe(50)
    one.take(-20)
    expect(quota.held).toBe(30)
    one.keep(70)
    expect(quota.held).toBe(90)
    one.release()
    one.release()
    other.release()
    expect(quota.held).toBe(0)
  })

  it('has a limit per key, and leaves memory for other keys', () => {
    const quota = createMemoryQuota({ total: 1_000, perKey: 400 })
    const large = leaseOf(quota, 'large')
    expect(refusal(() => large.take(401))).toMatchObject({ kind: 'over-limit' })
    large.take(400)
    const second = leaseOf(quota, 'second')
    expect(refusal(() => second.take(301))).toBeUndefined()
    expect(refusal(() => leaseOf(quota, 'second').take(1))).toMatchObject({ kind: 'over-limit' })
    leaseOf(quota, 'third').take(10)
  })

  it('is an eighth of the memory by default, and has room for four bodies', () => {
    expect(defaultMemory(1)).toBeGreaterThan(8 * 1024 * 1024)
    expect(defaultMemory(2 ** 40)).toBe(2 ** 42)
    expect(defaultWaiting(512 * 1024 * 1024)).toBe(8_192)
    expect(defaultWaiting(1)).toBe(2_000)
  })
})
