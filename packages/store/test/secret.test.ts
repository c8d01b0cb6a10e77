import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecret } from '../src/index.ts'

const OLD = 'an-old-secret-that-is-long-enough-0123456789'
const NEW = 'a-new-secret-that-is-long-enough-9876543210'
const NOW = 1_800_000_000_000
const LATER = NOW / 1_000 + 60

/** The text with one bit of one character turned. */
function flipped(text: string, at: number, bit: number): string {
  const bytes = Buffer.from(text, 'latin1')
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
  return bytes.toString('latin1')
}

describe('What a secret seals', () => {
  it('is opened by the same secret in another process, and by one that has it as an older value', () => {
    const kept = { old: createSecret(OLD), rotating: createSecret(`${NEW},${OLD}`), rotated: createSecret(NEW) }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.string(), (plain, purpose, about) => {
        const sealed = kept.old.subKeys(purpose).seal(plain, about)
        expect(sealed).toMatch(/^[\w.-]+$/)
        const bytes = Buffer.from(plain)
        expect(createSecret(OLD).subKeys(purpose).open(sealed, about)).toEqual(bytes)
        const keys = kept.rotating.subKeys(purpose)
        expect([keys.open(sealed, about), keys.isOld(sealed)]).toEqual([bytes, true])
        const anew = keys.seal(plain, about)
        expect([kept.rotated.subKeys(purpose).open(anew, about), keys.isOld(anew)]).toEqual([bytes, false])
        expect(kept.rotated.subKeys(purpose).open(sealed, about)).toBeUndefined()
        expect(kept.old.subKeys(purpose).open(anew, about)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('is refused with any bit turned, cut short or lengthened', () => {
    const keys = createSecret(`${NEW},${OLD}`).subKeys('answers')
    const sealed = keys.seal(Buffer.from('a private answer'), 'row 1')
    for (let at = 0; at < sealed.length; at++) {
      for (let bit = 0; bit < 8; bit++) expect(keys.open(flipped(sealed, at, bit), 'row 1')).toBeUndefined()
      expect(keys.open(sealed.slice(0, at), 'row 1')).toBeUndefined()
    }
    for (const more of ['A', '=', '.', ' ']) expect(keys.open(sealed + more, 'row 1')).toBeUndefined()
  })

  it('opens for what it belongs to alone, and for its own purpose', () => {
    const secret = createSecret(NEW)
    const sealed = secret.subKeys('answers').seal(Buffer.from('x'), 'row 1')
    expect(secret.subKeys('answers').open(sealed, 'row 2')).toBeUndefined()
    expect(secret.subKeys('tasks').open(sealed, 'row 1')).toBeUndefined()
  })

  it('is never the same text twice', () => {
    const keys = createSecret(NEW).subKeys('answers')
    const texts = Array.from({ length: 100 }, () => keys.seal(Buffer.from('x'), ''))
    expect(new Set(texts).size).toBe(100)
  })
})

describe('What a secret signs', () => {
  it('is verified until it expires, also after the secret was rotated, and not once the old value is gone', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), (parts, purpose) => {
        const given = createSecret(OLD).subKeys(purpose).sign(parts, LATER)
        const verified = (secret: string, now = NOW) =>
          createSecret(secret).subKeys(purpose).verify(parts, LATER, given, now)
        expect([verified(OLD), verified(`${NEW},${OLD}`), verified(NEW)]).toEqual([true, true, false])
        expect([verified(OLD, LATER * 1_000 - 1), verified(OLD, LATER * 1_000)]).toEqual([true, false])
      }),
      { numRuns: 50 },
    )
  })

  it('is refused with any bit turned, another time, other parts, or parts that are cut elsewhere', () => {
    const keys = createSecret(NEW).subKeys('urls')
    const given = keys.sign(['task', '12'], LATER)
    const verify = (parts: string[], expires: number, signature: string) => keys.verify(parts, expires, signature, NOW)
    expect(verify(['task', '12'], LATER, given)).toBe(true)
    for (let at = 0; at < given.length; at++)
      for (let bit = 0; bit < 8; bit++) expect(verify(['task', '12'], LATER, flipped(given, at, bit))).toBe(false)
    for (const parts of [['task1', '2'], ['task', '1', '2'], ['task12'], []])
      expect(verify(parts, LATER, given)).toBe(false)
    for (const expires of [LATER + 1, LATER - 1, LATER + 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(verify(['task', '12'], expires, given)).toBe(false)
    expect(verify(['task', '12'], LATER, '')).toBe(false)
    expect(createSecret(NEW).subKeys('callbacks').verify(['task', '12'], LATER, given, NOW)).toBe(false)
  })
})

describe('A secret', () => {
  it.each([
    ['', 'The secret is empty.'],
    ['short-zebra', 'The secret is 11 characters long; at least 32 are required.'],
    [`${NEW},short-zebra`, 'The secret has a value (number 2) that is 11 characters long; at least 32 are required.'],
    [`${NEW},`, 'The secret has a value (number 2) that is empty.'],
    [`zebra ${NEW}`, 'The secret is not entirely visible ASCII.'],
    [`${NEW},${NEW}`, 'The secret has the same value twice.'],
    ['zebra'.repeat(300), 'The secret is 1500 characters long; the maximum is 1024.'],
    [Array.from({ length: 9 }, (_, index) => `${NEW}${index}`).join(), 'The secret has 9 values; the maximum is 8.'],
  ])('that is wrong is refused without being shown (%#)', (text, message) => {
    expect(() => createSecret(text)).toThrow(message)
  })

  it('shows nothing of itself to whatever prints it', () => {
    const secret = createSecret(NEW)
    const keys = secret.subKeys('answers')
    for (const shown of [
      inspect({ secret, keys }, { depth: 9, showHidden: true }),
      JSON.stringify({ secret, keys }),
      String(secret),
    ])
      expect(shown).not.toContain(NEW)
  })
})
