import { describe, expect, it } from 'vitest'
import { mayUse } from '../../src/serve/permission.ts'

describe('A pattern of what may be used', () => {
  it.each<[string, string, boolean]>([
    ['small', 'small', true],
    ['small', 'small-2', false],
    ['*', '', true],
    ['a*', 'a', true],
    ['a*', 'ba', false],
    ['*a', 'ba', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['a*bc*c', 'abc', false],
    ['a.c', 'abc', false],
    ['a*', 'a\nb', true],
  ])('%j fits %j: %j', (pattern, text, fits) => {
    expect(mayUse([pattern], text)).toBe(fits)
  })
})
