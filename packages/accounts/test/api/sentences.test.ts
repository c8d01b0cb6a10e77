import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { fieldErrors } from '../../src/api/problem.ts'
import { ROUTES } from '../../src/api/routes.ts'

/** What only a developer understands, or a validator writes. */
const DEVELOPERS =
  /expected|received|invalid|too (?:small|big)|[<>]=|\bNaN\b|undefined|regex|pattern|zod|string to|union|refine/i

/** Values that fit few fields. */
const WRONG: readonly unknown[] = [
  '',
  'x',
  ' \n',
  'x'.repeat(100_000),
  -1,
  0.5,
  1e30,
  true,
  null,
  [],
  ['', 1],
  {},
  { a: null },
]

describe('A field that is not valid', () => {
  it('is told in our own sentence, whatever is sent to whichever route', () => {
    const seen = new Set<string>()
    for (const { body, query, params } of ROUTES)
      for (const schema of [body, query, params]) {
        if (!schema) continue
        const names = Object.keys(schema.shape)
        for (const value of [...WRONG, undefined]) {
          const { error } = schema.safeParse(Object.fromEntries(names.map((name) => [name, value])))
          if (error) for (const { message } of fieldErrors(error, 'body').errors) seen.add(message)
        }
      }
    expect(seen.size).toBeGreaterThan(10)
    for (const message of seen) {
      expect(message).not.toMatch(DEVELOPERS)
      expect(message).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('has the words of a form', () => {
    const schema = z.strictObject({
      name: z.string().min(1).max(3),
      count: z.int().min(2),
      share: z.number().gt(0),
      tags: z.array(z.string()).max(1),
      role: z.enum(['a', 'b']),
      page: z.url(),
      own: z.string().refine(() => false, 'Enter another word.'),
    })
    const told = (given: unknown) => {
      const { error } = schema.safeParse(given)
      return error && fieldErrors(error, 'body').errors.map(({ field, message }) => `${field}: ${message}`)
    }
    expect(told({ name: '', count: 1.5, share: 0, tags: ['a', 'b'], role: 'c', page: 'x', own: 'x' })).toEqual([
      'name: This field cannot be empty.',
      'count: Enter a whole number.',
      'share: Enter a number above 0.',
      'tags: Enter at most 1 value.',
      'role: Choose one of: a, b.',
      'page: Enter a URL, such as https://example.com.',
      'own: Enter another word.',
    ])
    expect(told({ name: 'long', count: 1, share: 'x', tags: 1, role: 'a', page: 'https://a.example' })).toEqual([
      'name: Enter at most 3 characters.',
      'count: Enter a number of at least 2.',
      'share: Enter a number.',
      'tags: Enter a list.',
      'own: This field is required.',
    ])
  })
})
