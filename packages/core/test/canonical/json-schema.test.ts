import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import { checkDepth, isObjectSchema, optionalCount, resolve, subschemas } from '../../src/canonical/json-schema.ts'

const a: Json = { type: 'string' }
const b: Json = { type: 'number' }

describe('A JSON Schema', () => {
  it.each<[string, Json, Json | undefined]>([
    ['#/$defs/a', { $defs: { a } }, a],
    ['#/$defs/a~1b', { $defs: { 'a/b': a } }, a],
    ['#/$defs/a~0b', { $defs: { 'a~b': a } }, a],
    ['#/$defs/a%20b', { $defs: { 'a b': a } }, a],
    ['#/$defs/50%', { $defs: { '50%': a } }, a],
    ['#/anyOf/1', { anyOf: [a, b] }, b],
    ['#', { type: 'object' }, { type: 'object' }],
    ['#/$defs/none', { $defs: { a } }, undefined],
    ['#/constructor', { $defs: { a } }, undefined],
    ['#/__proto__', {}, undefined],
    ['https://x.test/a', { $defs: { a } }, undefined],
  ])('resolves the reference %s within %j', (reference, root, found) => {
    expect(resolve(reference, root)).toEqual(found)
  })

  it('has the schemas within it that are schemas, and no data', () => {
    const schema: Json = {
      properties: { default: a, enum: b },
      $defs: { c: a },
      items: b,
      anyOf: [a, true],
      additionalProperties: false,
      default: { type: 'x' },
      enum: [{ type: 'x' }],
      const: { type: 'x' },
      examples: [{ type: 'x' }],
      required: ['default'],
    }
    expect(subschemas(schema)).toEqual([a, b, a, b, a])
  })

  it('counts the properties that may be left out', () => {
    expect(optionalCount({ properties: { a, b }, required: ['a'] })).toBe(1)
    expect([optionalCount({}), optionalCount({ properties: { a }, required: 'a' })]).toEqual([0, 1])
  })

  it('is one of an object by its type or its properties', () => {
    expect([{ type: 'object' }, { type: ['null', 'object'] }, { properties: {} }].map(isObjectSchema)).toEqual([
      true,
      true,
      true,
    ])
    expect([{}, { type: 'string' }, { properties: [] }].map(isObjectSchema)).toEqual([false, false, false])
  })

  it('that is nested too deep is refused under its path', () => {
    expect(() => checkDepth(200, 'tools[0]')).not.toThrow()
    expect(() => checkDepth(201, 'tools[0]')).toThrow(
      expect.objectContaining({ param: 'tools[0]', message: expect.stringContaining('levels deep') }),
    )
  })
})
