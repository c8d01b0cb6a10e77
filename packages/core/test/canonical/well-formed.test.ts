import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject, type Json } from '../../src/canonical/json.ts'
import type { Loss } from '../../src/canonical/loss.ts'
import { wellFormed, wellFormedJson } from '../../src/canonical/well-formed.ts'

const HIGH = '\ud83d'
const LOW = '\ude00'

const lostOf = (body: Json): string[] => {
  const losses: Loss[] = []
  wellFormed(body, body, losses)
  return losses.map(({ path, kind }) => `${path} ${kind}`)
}

/** Every text and key of a value. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]) : []
}

describe('A body without half characters', () => {
  it('is the same where it has none, whole characters beyond the first plane included', () => {
    const body = { messages: [{ content: `${HIGH}${LOW} naïve` }], [`${HIGH}${LOW}`]: null }
    const losses: Loss[] = []
    expect(wellFormed(body, body, losses)).toBe(body)
    expect(losses).toEqual([])
  })

  it('has U+FFFD in the place of each, in texts and keys, and names where they stood', () => {
    const body = { a: [{ b: `x${HIGH}` }, `${LOW}y`], c: { [`k${HIGH}`]: 1, d: 2 }, e: 'whole' }
    const kept = structuredClone(body)
    expect(wellFormed(body, body, [])).toEqual({
      a: [{ b: 'x\ufffd' }, '\ufffdy'],
      c: { d: 2, 'k\ufffd': 1 },
      e: 'whole',
    })
    expect(body).toEqual(kept)
    expect(lostOf(body)).toEqual(['a[0].b changed', 'a[1] changed', 'c.k\ufffd changed'])
  })

  it('names those that stand in a JSON text, where that became part of the body', () => {
    const given = { arguments: '{"a":"\\ud83d"}', content: 'The escape \\ud83d is half of one.' }
    const losses: Loss[] = []
    wellFormed({ input: { a: HIGH } }, given, losses)
    expect(losses).toMatchObject([{ path: 'arguments', kind: 'changed' }])
  })

  it('names no more than a hundred', () => {
    expect(lostOf({ a: Array.from({ length: 1000 }, () => HIGH) })).toHaveLength(100)
  })

  it('has none left, whatever it held', () => {
    const body = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }))
    const half = fc.constantFrom(HIGH, LOW, `a${HIGH}`, `${LOW}${HIGH}`)
    fc.assert(
      fc.property(body, half, half, (value, text, key) => {
        const broken = { ...value, [key]: [value, text] }
        const losses: Loss[] = []
        expect(textsOf(wellFormed(broken, broken, losses)).every((one) => one.isWellFormed())).toBe(true)
        expect(losses.length).toBeGreaterThan(0)
      }),
    )
  })
})

describe('A JSON text without half characters', () => {
  it.each([
    ['{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d\\ude00"}'],
    ['{"a":"\\uD83D x"}', '{"a":"\ufffd x"}'],
    ['{"a":"\\ude00\\ud83d"}', '{"a":"\ufffd\ufffd"}'],
    ['{"a":"\\\\ud83d is an escape"}', '{"a":"\\\\ud83d is an escape"}'],
    ['{"a":"\\\\\\ud83d"}', '{"a":"\\\\\ufffd"}'],
    [`{"${HIGH}":1.0}`, '{"\ufffd":1.0}'],
    ['no JSON, \\', 'no JSON, \\'],
  ])('%s is %s', (text, mended) => {
    expect(wellFormedJson(text)).toBe(mended)
  })
})
