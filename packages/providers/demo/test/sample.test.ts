import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sample } from '../src/sample.ts'

const node = {
  type: 'object',
  properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
  required: ['next'],
}

const SCHEMAS: readonly [string, Record<string, unknown>, unknown][] = [
  [
    'required members only',
    { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] },
    { a: 'demo' },
  ],
  ['enumerations and constants', { type: 'array', items: { enum: ['x', 'y'] }, minItems: 2 }, ['x', 'x']],
  ['lengths', { type: 'string', minLength: 6, maxLength: 6 }, 'demo..'],
  ['formats', { type: 'string', format: 'date' }, '2000-01-01'],
  ['bounds', { type: 'integer', exclusiveMinimum: 3, maximum: 9, multipleOf: 4 }, 4],
  ['bounds below zero', { type: 'number', maximum: -2.5 }, -3],
  ['several types', { type: ['string', 'null'] }, 'demo'],
  ['options', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, 0],
  [
    'parts',
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'null' } }, required: ['a'] },
        { properties: { b: { const: 7 } }, required: ['b'] },
      ],
    },
    { a: null, b: 7 },
  ],
  ['references to itself', { $ref: '#/$defs/node', $defs: { node } }, { next: null }],
]

describe('The smallest value of a schema', () => {
  it.each(SCHEMAS)('has %s', (_, schema, expected) => {
    expect(sample(schema)).toEqual(expected)
    expect(z.fromJSONSchema(schema).safeParse(expected).error).toBeUndefined()
  })

  it('lies between bounds that leave no integer', () => {
    expect(sample({ type: 'number', exclusiveMinimum: 2, exclusiveMaximum: 3 })).toBe(2.5)
  })

  it.each([
    ['repeats itself without end', { $ref: '#' }],
    [
      'needs itself twice',
      { type: 'object', properties: { a: { $ref: '#' }, b: { $ref: '#' } }, required: ['a', 'b'] },
    ],
    ['asks for endless lists', { type: 'array', minItems: 1e12, items: { type: 'array', minItems: 1e12 } }],
    ['refers to nothing', { $ref: '#/$defs/%E0%A4%A/constructor' }],
    ['is no schema', { type: 7, required: 'x', properties: [], enum: {}, anyOf: [], format: 'constructor' }],
  ])('ends where a schema %s', (_, schema) => {
    expect(JSON.stringify(sample(schema)).length).toBeLessThan(100_000)
  })
})
