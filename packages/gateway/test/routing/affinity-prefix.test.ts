import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfBlock, prefixOf, tenantKeyOf } from '../../src/routing/affinity/prefix.ts'

const KEY = tenantKeyOf('secret', 'tenant')

/** Bytes that differ from block to block. */
function bytesOf(length: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + (i >> 8) * 7 + seed) & 0xff
  return bytes
}

describe('The prefix of a conversation', () => {
  it('is empty below 4 KiB, also with a session id', () => {
    expect(prefixOf(KEY, [bytesOf(4_095)], 'session')).toEqual({ hashes: [], bytes: 0 })
    expect(prefixOf(KEY, [bytesOf(4_096)]).hashes).toHaveLength(1)
  })

  it('keeps its hashes when turns are appended', () => {
    const turns = bytesOf(50_000)
    const before = prefixOf(KEY, ['[tools]', 'system', turns])
    const after = prefixOf(KEY, ['[tools]', 'system', turns, bytesOf(20_000, 5)])
    expect(after.hashes.slice(0, before.hashes.length)).toEqual(before.hashes)
    expect(after.hashes.length).toBeGreaterThan(before.hashes.length)
  })

  it('only depends on the bytes, not on the pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9_000), { maxLength: 6 }), (cuts) => {
        const text = 'naïve ✓ '.repeat(1_500)
        const whole = Buffer.from(text)
        const places = [0, ...cuts.map((cut) => cut % whole.length).toSorted((one, other) => one - other), whole.length]
        const pieces = places.slice(1).map((end, i) => whole.subarray(places[i], end))
        expect(prefixOf(KEY, pieces)).toEqual(prefixOf(KEY, [text]))
        expect(prefixOf(KEY, pieces.values())).toEqual(prefixOf(KEY, [text]))
      }),
    )
  })

  it('changes from the first block that differs', () => {
    const one = bytesOf(40_000)
    const other = Buffer.from(one)
    other[20_000] = (other[20_000] ?? 0) ^ 1
    const [a, b] = [prefixOf(KEY, [one]).hashes, prefixOf(KEY, [other]).hashes]
    const same = a.filter((hash, i) => hash === b[i]).length
    expect(same).toBe(4)
    expect(a.slice(4).some((hash) => b.includes(hash))).toBe(false)
  })

  it('never matches the prefix of another tenant, nor its session id', () => {
    const bytes = bytesOf(100_000)
    const one = prefixOf(tenantKeyOf('secret', 'one'), [bytes], 'session')
    const other = prefixOf(tenantKeyOf('secret', 'two'), [bytes], 'session')
    expect(one.hashes.filter((hash) => other.hashes.includes(hash))).toEqual([])
    expect(one.hint).not.toBe(other.hint)
  })

  it('never matches the prefix with another secret', () => {
    const bytes = bytesOf(10_000)
    const one = prefixOf(tenantKeyOf('secret', 'one'), [bytes])
    const other = prefixOf(tenantKeyOf('another', 'one'), [bytes])
    expect(one.hashes[0]).not.toBe(other.hashes[0])
  })

  it('contains 128 bits per block, and no text', () => {
    const { hashes, hint } = prefixOf(KEY, ['secret text '.repeat(1_000)], 'session-id')
    for (const hash of [...hashes, hint]) expect(hash).toMatch(/^[\w-]{22}$/)
  })

  it('has at most 256 blocks, whose size doubles after each 32', () => {
    expect([0, 1, 31, 32, 33, 64].map(endOfBlock)).toEqual([
      4_096,
      8_192,
      32 * 4_096,
      32 * 4_096 + 8_192,
      32 * 4_096 + 2 * 8_192,
      32 * 4_096 + 32 * 8_192 + 16_384,
    ])
    const bytes = endOfBlock(255) + 100_000
    expect(prefixOf(KEY, [Buffer.alloc(bytes)]).hashes).toHaveLength(256)
    expect(prefixOf(KEY, [Buffer.alloc(bytes)]).bytes).toBe(bytes)
  })

  it('consists of HMAC-SHA256 over the hash before and the block', () => {
    const bytes = bytesOf(8_192)
    const of = (before: string, block: Uint8Array, key: Uint8Array) =>
      createHmac('sha256', key).update(before).update(block).digest().toString('base64url', 0, 16)
    for (const key of [KEY, Buffer.alloc(64, 7), Buffer.alloc(100, 9)]) {
      const first = of('', bytes.subarray(0, 4_096), key)
      const { hashes, hint } = prefixOf(key, [bytes], 'session')
      expect(hashes).toEqual([first, of(first, bytes.subarray(4_096), key)])
      expect(hint).toBe(of('hint:', Buffer.from('session'), key))
    }
  })
})
