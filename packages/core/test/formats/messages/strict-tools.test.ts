import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import type { FunctionTool, Tool } from '../../../src/canonical/request.ts'
import { at, OLD, write } from './support.ts'

const g: Tool = { type: 'function', name: 'g' }

describe('A strict tool in a messages request', () => {
  it('sends strict tools with a schema that can be enforced, where the model can', () => {
    const strict: Tool = {
      ...g,
      at: 'tools[0]',
      strict: true,
      schema: { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] },
    }
    expect(at(write({ tools: [strict] }).body, 'tools', 0)).toEqual({
      name: 'g',
      strict: true,
      input_schema: {
        type: 'object',
        properties: { a: { type: 'integer', description: 'minimum: 1.' } },
        required: ['a'],
        additionalProperties: false,
      },
    })
    const old = write({ tools: [strict] }, OLD)
    expect(at(old.body, 'tools', 0, 'input_schema')).toEqual(strict.schema)
    expect(old.lost).toEqual(['dropped tools[0].strict'])
  })

  describe('declares what of the schema of a strict tool is not enforced', () => {
    const strict = (a: Json, more: Json = {}): FunctionTool => ({
      type: 'function',
      name: 'f',
      at: 'tools[0]',
      strict: true,
      schema: { type: 'object', properties: { a }, required: ['a'], ...more },
    })
    const written = (a: Json, more?: Json) => {
      const { body, losses } = write({ tools: [strict(a, more)] })
      expect(at(body, 'tools', 0, 'strict')).toBe(true)
      return { a: at(body, 'tools', 0, 'input_schema', 'properties', 'a'), losses }
    }
    const loose = (...keywords: string[]) => [
      {
        path: 'tools[0].parameters',
        kind: 'changed',
        reason: `not enforced, only described: ${keywords.join(', ')}`,
      },
    ]
    const string = { type: 'string' }

    it.each<[string, Json, Json]>([
      ['a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
      ['several types', { type: ['string', 'number'], nullable: true }, { type: ['string', 'number', 'null'] }],
      ['members', { type: 'string', enum: ['x'], nullable: true }, { type: ['string', 'null'], enum: ['x', null] }],
      ['alternatives', { anyOf: [string], nullable: true }, { anyOf: [string, { type: 'null' }] }],
      ['a reference', { $ref: '#/$defs/A', nullable: true }, { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }] }],
      ['not at all', { type: 'string', nullable: false }, string],
    ])('nullable is a type, beside %s', (_, schema, expected) => {
      expect(written(schema, { $defs: { A: string } })).toEqual({ a: expected, losses: [] })
    })

    it.each<[string, Json, Json, string[]]>([
      [
        'conditions',
        { type: 'string', if: { minLength: 2 }, then: { pattern: 'x' } },
        { type: 'string', description: 'if: {"minLength":2}; then: {"pattern":"x"}.' },
        ['if', 'then'],
      ],
      [
        'bounds',
        { type: 'number', description: 'Age', minimum: 1 },
        { type: 'number', description: 'Age\nminimum: 1.' },
        ['minimum'],
      ],
      [
        'places of a list',
        { type: 'array', prefixItems: [string, { type: 'number' }], items: false },
        {
          type: 'array',
          items: { anyOf: [string, { type: 'number' }] },
          description: 'each item is of another kind, in this order.',
        },
        ['prefixItems', 'items'],
      ],
      [
        'what stands beside a reference',
        { $ref: '#/$defs/A', description: 'd', minLength: 1 },
        { $ref: '#/$defs/A' },
        ['description', 'minLength'],
      ],
      ['alternatives that exclude each other', { oneOf: [string] }, { anyOf: [string] }, ['oneOf']],
      [
        'alternatives of both kinds',
        { anyOf: [string], oneOf: [{ const: 'x' }] },
        { anyOf: [string], description: 'oneOf: [{"const":"x"}].' },
        ['oneOf'],
      ],
      [
        'words of others',
        { type: 'string', examples: ['x'], 'x-order': 1 },
        { type: 'string', description: 'examples: ["x"]; x-order: 1.' },
        ['examples', 'x-order'],
      ],
    ])('%s', (_, schema, expected, keywords) => {
      expect(written(schema, { $defs: { A: string } })).toEqual({ a: expected, losses: loose(...keywords) })
    })

    it('and nothing where all of it is', () => {
      const schema = { type: 'array', items: { type: 'string', format: 'date' }, minItems: 1 }
      expect(written(schema)).toEqual({ a: schema, losses: [] })
      expect(written({ const: null })).toEqual({ a: { const: null }, losses: [] })
    })

    it('and puts into the place of the root what it refers to', () => {
      const root = { type: 'object', properties: { a: string }, required: ['a'] }
      const { body, losses } = write({ tools: [{ ...strict({}), schema: { $ref: '#/$defs/R', $defs: { R: root } } }] })
      expect(at(body, 'tools', 0, 'input_schema')).toMatchObject({ ...root, additionalProperties: false })
      expect(losses).toEqual([])
    })
  })

  it('asks for no more strict tools than the vendor enforces at once, the first of them', () => {
    const properties = (count: number, value: Json): Json =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, value]))
    const tools = (count: number, schema: Json): Tool[] =>
      Array.from({ length: count }, (_, n) => ({
        type: 'function',
        name: `f${n}`,
        at: `tools[${n}]`,
        strict: true,
        schema,
      }))
    const stricts = (count: number, schema: Json) => {
      const { body, lost } = write({ tools: tools(count, { type: 'object', ...schema }) })
      return [JSON.stringify(body).match(/"strict":true/g)?.length ?? 0, lost.length, lost[0]]
    }
    expect(stricts(22, { properties: {} })).toEqual([20, 2, 'dropped tools[20].strict'])
    expect(stricts(4, { properties: properties(10, { type: 'string' }) })).toEqual([2, 2, 'dropped tools[2].strict'])
    const unions = properties(8, { type: ['string', 'null'] })
    expect(stricts(3, { properties: unions, required: Object.keys(unions) })).toEqual([2, 1, 'dropped tools[2].strict'])
  })
})
