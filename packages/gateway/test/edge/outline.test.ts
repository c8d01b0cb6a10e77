import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOutline } from '../../src/edge/outline.ts'

const LEFT = 4_096

/** The outline of a text that arrives in pieces of a size. */
function outlineOf(text: string | Buffer, size: number): string {
  const bytes = Buffer.from(text)
  const outline = createOutline()
  for (let at = 0; at < bytes.length; at += size) outline.add(bytes.subarray(at, at + size))
  expect(outline.size).toBe(outline.whole().length)
  return outline.whole().toString()
}

/** The value with what an outline may leave of its strings. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LEFT ? value.slice(0, LEFT) : value
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const LONG = 'x'.repeat(LEFT - 3)

describe('The outline of a JSON text', () => {
  it('is the text without the ends of its long strings, in whatever pieces it arrives', () => {
    // A character of a short string may take six bytes.
    const short = fc.string({ maxLength: 20, unit: 'binary' })
    const long = fc.string({ maxLength: 12, unit: 'grapheme-ascii' }).map((text) => LONG + text + '\n\\"]}'.repeat(3))
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(short, long, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(
          short.filter((key) => key !== '__proto__'),
          tie('any'),
          { maxKeys: 4 },
        ),
      ),
    })).any
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 9_000 }), (given, size) => {
        const outlined: unknown = JSON.parse(outlineOf(JSON.stringify(given), size))
        // An escape sequence counts as one byte, so that cuts are at the same characters.
        expect(shortened(outlined)).toEqual(shortened(JSON.parse(JSON.stringify(given))))
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    ['a control character', `"${LONG}abcdef\n"`],
    ['an unknown escape sequence', `"${LONG}abcdef\\x00"`],
    ['a character code that is none', `"${LONG}abcdef\\u12g4"`],
    ['a character code that is cut off', `"${LONG}abcdef\\u12"`],
    ['no end', `"${LONG}abcdef`],
    ['an end that is escaped', `"${LONG}abcdef\\"`],
    ['something after it', `"${LONG}abcdef" 1`],
    ['a control character at the cut', `"${LONG}abc\u0001"`],
  ])('is no JSON if a long string has %s', (_, text) => {
    for (const size of [1, 7, 100_000])
      expect([isJson(text), isJson(outlineOf(text, size)), isJson(outlineOf(`{"a":${text}}`, size))]).toEqual([
        false,
        false,
        false,
      ])
  })

  it('is JSON if the text is, and only then, whatever byte is replaced', () => {
    const text = Buffer.from(`{"a":"${LONG}abcdef\\u00e9\\n é","b":[1,true,"\\\\"],"usage":{"total_tokens":7}}`)
    const change = fc.tuple(fc.integer({ min: 0, max: text.length - 1 }), fc.integer({ min: 0, max: 127 }))
    const near = change.map(([at, byte]) => [at % 120 < 60 ? at : LEFT + (at % 60), byte] as const)
    fc.assert(
      fc.property(fc.array(near, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 5_000 }), (all, size) => {
        const changed = Buffer.from(text)
        for (const [at, byte] of all) changed[at] = byte
        expect(isJson(outlineOf(changed, size))).toBe(isJson(changed.toString()))
      }),
      { numRuns: 300 },
    )
  })
})
