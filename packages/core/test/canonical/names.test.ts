import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitNames, invert } from '../../src/canonical/names.ts'

const TOOL = { illegal: /[^a-zA-Z0-9_-]/g, max: 64 }

describe('fitNames', () => {
  it('leaves names that fit as they are', () => {
    const fitted = fitNames(['a', 'b-c', 'd_e'], TOOL)
    expect([...fitted]).toEqual([
      ['a', 'a'],
      ['b-c', 'b-c'],
      ['d_e', 'd_e'],
    ])
    expect(invert(fitted).size).toBe(0)
  })

  it('case 35: keeps the first 55 characters of a long name and adds 8 hex digits', () => {
    const name = 'x'.repeat(80)
    expect(fitNames([name], TOOL).get(name)).toMatch(/^x{55}_[0-9a-f]{8}$/)
  })

  it('case 37: replaces characters that are not allowed', () => {
    expect(fitNames(['ns:tool.v1'], TOOL).get('ns:tool.v1')).toBe('ns_tool_v1')
  })

  it('case 39: keeps names apart that would collide', () => {
    const fitted = fitNames(['a.b', 'a_b', 'a:b'], TOOL)
    expect(fitted.get('a_b')).toBe('a_b')
    expect(new Set(fitted.values()).size).toBe(3)
  })

  it('makes a name start as it must', () => {
    expect(fitNames(['1st'], { ...TOOL, start: /^[a-zA-Z_]/ }).get('1st')).toBe('_1st')
  })

  it('always fits, never merges two names, and gives every name back', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 90 })), (names) => {
        const fitted = fitNames(names, TOOL)
        const sent = [...fitted.values()]
        expect(sent.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true)
        expect(new Set(sent).size).toBe(new Set(names).size)
        const back = invert(fitted)
        for (const [name, short] of fitted) expect(back.get(short) ?? short).toBe(name)
        expect(fitNames(names, TOOL)).toEqual(fitted)
      }),
    )
  })
})
