import { describe, expect, it } from 'vitest'
import { parseBody, requireString } from '../../src/edge/body.ts'
import { lostHeader } from '../../src/edge/lost.ts'

const problem = (text: string): string => {
  try {
    parseBody(Buffer.from(text))
    return 'none'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('A body', () => {
  it.each([
    ['', 'The body is empty. Send a JSON object.'],
    ['[1]', 'The body is an array. Send a JSON object.'],
    ['null', 'The body is null. Send a JSON object.'],
    ['"secret"', 'The body is a string. Send a JSON object.'],
    ['12', 'The body is a number. Send a JSON object.'],
  ])('must be an object: %j', (text, message) => {
    expect(problem(text)).toBe(message)
  })

  it.each(['{', '{"a":1}}', '{"a":secret}', 'secret', '{"a":1,}', '\u0000'])(
    'must be JSON, and is not repeated where it is none: %j',
    (text) => {
      expect(problem(text)).toMatch(/^The body is not valid JSON( \(at position \d+\))?\. Send a JSON object\.$/)
    },
  )

  it('may be nested 512 levels deep and no deeper, whatever its size', () => {
    const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)},"b":1}`
    expect(parseBody(Buffer.from(nested(512))).spans.get('b')).toBeDefined()
    expect(problem(nested(513))).toContain('nested deeper than 512 levels')
    expect(problem(nested(1_000_000))).toContain('nested deeper than 512 levels')
  })

  it.each([
    [{}, 'The field model is missing.'],
    [{ model: '' }, 'The field model must be a non-empty string; found an empty one.'],
    [{ model: null }, 'The field model must be a non-empty string; found null.'],
    [{ model: ['a'] }, 'The field model must be a non-empty string; found an array.'],
    [{ model: 1 }, 'The field model must be a non-empty string; found a number.'],
  ])('must have the text that is required: %j', (json, message) => {
    expect(() => requireString(json, 'model')).toThrow(message)
  })
})

describe('The header of losses', () => {
  const dropped = (path: string) => ({ path, kind: 'dropped', reason: '' }) as const

  it('names each path once, its indices folded, and marks what was changed', () => {
    const losses = [
      dropped('messages[0].content[1].cache_control'),
      dropped('messages[7].content[0].cache_control'),
      { path: 'temperature', kind: 'changed', reason: '' } as const,
    ]
    expect(lostHeader(losses)).toBe('messages[*].content[*].cache_control, temperature;changed')
    expect(lostHeader([])).toBeUndefined()
  })

  it('is ASCII whatever the caller called its fields', () => {
    expect(lostHeader([dropped('größe'), dropped('a,b;c'), dropped('x\r\ny'), dropped('\ud800')])).toBe(
      'gr%C3%B6%C3%9Fe, a%2Cb%3Bc, x%0D%0Ay, %EF%BF%BD',
    )
  })

  it('has at most 2 KB, then the number of those it does not name', () => {
    const many = Array.from({ length: 1000 }, (_, index) => dropped(`field_${index}`))
    const value = lostHeader(many) ?? ''
    expect(value.length).toBeLessThanOrEqual(2048)
    const [, rest] = /\+(\d+)$/.exec(value) ?? []
    expect(value.split(', ').length - 1 + Number(rest)).toBe(1000)
    expect(lostHeader([dropped('x'.repeat(3000))])).toBe('+1')
  })
})
