import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import { writeOpenApiSchema } from '../../../src/formats/generate-content/openapi-schema.ts'
import { readSchema } from '../../../src/formats/generate-content/schema-read.ts'
import { writeJsonSchema } from '../../../src/formats/generate-content/schema-write.ts'
import { errorOf, GEMINI, read, write } from './values.ts'

const json = (schema: Json): Json => writeJsonSchema(schema, 'tools[0].parameters').schema
const openApi = (schema: Json): Json => writeOpenApiSchema(schema, 'tools[0].parameters').schema
const object = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more })

/** Freezes a value to its depth, so that writing to it throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) frozen(inner)
    Object.freeze(value)
  }
  return value
}

const CAREFUL = frozen({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    title: { type: 'string' },
    const: { const: 'x' },
    ref: { $ref: '#/$defs/Id' },
    additionalProperties: {
      type: 'array',
      items: { anyOf: [object({ z: { type: 'integer' } }, { additionalProperties: false }), { type: 'null' }] },
    },
    $schema: { type: 'string' },
  },
  required: ['title', 'gone'],
  additionalProperties: false,
  $defs: { Id: { type: 'string', description: 'an id' } },
}) as Json

describe('JSON Schema for models that know it', () => {
  it('case 68, 69: keeps additionalProperties and drops $schema', () => {
    const written = json(CAREFUL)
    expect(written).not.toHaveProperty('$schema')
    expect(written).toMatchObject({
      additionalProperties: false,
      properties: { additionalProperties: { items: { anyOf: [{ additionalProperties: false }, {}] } } },
    })
  })

  it('case 73: a constant is an enum of one', () => {
    expect(json({ const: 'x' })).toEqual({ enum: ['x'] })
    expect(writeJsonSchema({ type: 'boolean', const: true }, 'p')).toEqual({
      schema: { type: 'boolean' },
      lost: ['const'],
    })
  })

  it('case 85, 89: properties keep names and order', () => {
    expect(Object.keys(json(CAREFUL)['properties'] as Json)).toEqual([
      'title',
      'const',
      'ref',
      'additionalProperties',
      '$schema',
    ])
  })

  it('case 71, 72: references stay, also to themselves, and beside nothing but keywords with $', () => {
    const schema = object(
      { next: { $ref: '#/definitions/Node', description: 'd' } },
      { definitions: { Node: object({ next: { $ref: '#/definitions/Node' } }) } },
    )
    expect(json(schema)).toEqual({
      ...object({ next: { description: 'd', anyOf: [{ $ref: '#/$defs/Node' }] } }),
      $defs: { Node: object({ next: { $ref: '#/$defs/Node' } }) },
    })
  })

  it('case 78: allOf is merged, with what its references name', () => {
    const schema = {
      allOf: [object({ a: { type: 'string' } }, { required: ['a'] }), { $ref: '#/$defs/B' }],
      $defs: { B: object({ b: { type: 'number' } }, { required: ['b'] }) },
    }
    expect(json(schema)).toMatchObject(
      object({ a: { type: 'string' }, b: { type: 'number' } }, { required: ['a', 'b'] }),
    )
  })

  it('says null by a type', () => {
    const nullable = object({
      a: { type: 'string', nullable: true },
      b: { $ref: '#/$defs/B', nullable: true },
      c: { nullable: false },
    })
    expect(writeJsonSchema({ ...nullable, $defs: { B: { type: 'number' } } }, 'p')).toEqual({
      schema: {
        ...object({ a: { type: ['string', 'null'] }, b: { anyOf: [{ $ref: '#/$defs/B' }, { type: 'null' }] }, c: {} }),
        $defs: { B: { type: 'number' } },
      },
      lost: [],
    })
  })

  it('names keywords that have no place', () => {
    expect(writeJsonSchema({ type: 'string', not: {}, if: {}, then: {}, $comment: 'c' }, 'p')).toEqual({
      schema: { type: 'string' },
      lost: ['not', 'if', 'then'],
    })
    const { losses } = write({
      tools: [{ type: 'function', at: 'tools[0]', name: 'f', schema: object({ a: { multipleOf: 2 } }) }],
    })
    expect(losses).toMatchObject([
      { path: 'tools[0].parameters', kind: 'changed', reason: expect.stringContaining('multipleOf') as unknown },
    ])
  })
})

describe('the OpenAPI subset for older models', () => {
  it('case 68, 69, 85, 86: keeps names of properties, and drops what it does not know', () => {
    expect(openApi(CAREFUL)).toEqual({
      type: 'OBJECT',
      properties: {
        title: { type: 'STRING' },
        const: { type: 'STRING', enum: ['x'] },
        ref: { type: 'STRING', description: 'an id' },
        additionalProperties: {
          type: 'ARRAY',
          items: { type: 'OBJECT', properties: { z: { type: 'INTEGER' } }, nullable: true },
        },
        $schema: { type: 'STRING' },
      },
      required: ['title'],
      propertyOrdering: ['title', 'const', 'ref', 'additionalProperties', '$schema'],
    })
  })

  it('case 70, 71: references are inlined with what stands beside them, wherever they stand', () => {
    const id = { type: 'string', description: 'an id' }
    const schema = object(
      {
        a: { anyOf: [{ $ref: '#/$defs/Id' }, { type: 'number' }] },
        b: { items: { $ref: '#/definitions/Id' } },
        c: { $ref: '#/$defs/Id', description: 'c' },
      },
      { $defs: { Id: id }, definitions: { Id: id } },
    )
    expect(openApi(schema)).toMatchObject({
      properties: {
        a: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
        b: { type: 'ARRAY', items: { type: 'STRING', description: 'an id' } },
        c: { type: 'STRING', description: 'c' },
      },
    })
  })

  it('case 72: a schema that contains itself is refused, and does not loop', () => {
    const schema = object(
      { next: { $ref: '#/$defs/Node' } },
      { $defs: { Node: object({ next: { $ref: '#/$defs/Node' } }) } },
    )
    expect(errorOf(() => openApi(schema))).toMatchObject({ kind: 'invalid-request', param: 'tools[0].parameters' })
    expect(errorOf(() => openApi({ $ref: '#' })).kind).toBe('invalid-request')
    expect(errorOf(() => openApi({ allOf: [{ $ref: '#' }] })).kind).toBe('invalid-request')
  })

  it('references that double at every level are refused before they fill the memory', () => {
    const $defs: Json = {}
    for (let level = 0; level < 20; level++)
      $defs[`L${level}`] = object({ a: { $ref: `#/$defs/L${level + 1}` }, b: { $ref: `#/$defs/L${level + 1}` } })
    $defs['L20'] = { type: 'string' }
    expect(errorOf(() => openApi({ $ref: '#/$defs/L0', $defs })).message).toContain('Simplify')
    const doubled: Json = {}
    for (let level = 0; level < 20; level++)
      doubled[`L${level}`] = { allOf: [{ $ref: `#/$defs/L${level + 1}` }, { $ref: `#/$defs/L${level + 1}` }] }
    doubled['L20'] = { type: 'string' }
    expect(errorOf(() => json({ allOf: [{ $ref: '#/$defs/L0' }], $defs: doubled })).message).toContain('Simplify')
  })

  it('a schema that is nested too deep is refused', () => {
    let schema: Json = { type: 'string' }
    for (let level = 0; level < 5000; level++) schema = { type: 'array', items: schema }
    expect(errorOf(() => openApi(schema)).message).toContain('levels deep')
    expect(errorOf(() => json(schema)).message).toContain('levels deep')
  })

  it.each<[string, Json, Json]>([
    [
      'case 75: several types are alternatives',
      { type: ['string', 'number'] },
      { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }] },
    ],
    ['a type or null is nullable', { type: ['string', 'null'] }, { type: 'STRING', nullable: true }],
    [
      'alternatives with null are nullable',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { type: 'STRING', nullable: true },
    ],
    ['case 77: null alone is null', { anyOf: [{ type: 'null' }] }, { type: 'NULL' }],
    [
      'case 78: oneOf is anyOf',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] },
    ],
    ['case 82: an array holds something', { type: 'array' }, { type: 'ARRAY', items: { type: 'STRING' } }],
    ['case 84: null in an enum is nullable', { enum: ['a', null] }, { type: 'STRING', enum: ['a'], nullable: true }],
    [
      'case 87: an empty object inside stays',
      object({ a: { type: 'object' } }),
      { type: 'OBJECT', properties: { a: { type: 'OBJECT' } } },
    ],
    ['formats that are known stay', { type: 'string', format: 'date-time' }, { type: 'STRING', format: 'date-time' }],
    ['formats that are refused go', { type: 'string', format: 'uuid' }, { type: 'STRING' }],
    ['an exclusive bound becomes one', { type: 'integer', exclusiveMinimum: 3 }, { type: 'INTEGER', minimum: 3 }],
    [
      'a schema that allows everything',
      object({ a: true as unknown as Json }),
      { type: 'OBJECT', properties: { a: {} } },
    ],
    [
      'of several types each has what is its own',
      { type: ['object', 'array'], properties: { a: { type: 'string' } }, items: { type: 'number' } },
      {
        anyOf: [
          { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
          { type: 'ARRAY', items: { type: 'NUMBER' } },
        ],
      },
    ],
  ])('%s', (_, schema, expected) => {
    expect(openApi(schema)).toEqual(expected)
  })

  it('names keywords that have no place', () => {
    expect(writeOpenApiSchema({ type: 'integer', enum: [1, 2], multipleOf: 2 }, 'p')).toEqual({
      schema: { type: 'INTEGER' },
      lost: ['multipleOf', 'enum'],
    })
  })

  it('case 87: an empty root is left out of a function', () => {
    expect(
      write({ tools: [{ type: 'function', name: 'f', schema: object({}) }] }, { ...GEMINI, model: 'gemini-1.5-pro' })
        .body['tools'],
    ).toEqual([{ functionDeclarations: [{ name: 'f' }] }])
  })
})

describe("the caller's schema", () => {
  it('case 88: is never changed, and is written the same every time', () => {
    const tools = [{ type: 'function' as const, name: 'f', schema: CAREFUL }]
    for (const model of ['gemini-1.5-pro', 'gemini-3.5-flash']) {
      const target = { ...GEMINI, model }
      expect(write({ tools }, target).body).toEqual(write({ tools }, target).body)
    }
  })
})

describe('schemas of the OpenAPI subset in requests', () => {
  it('become JSON Schema', () => {
    const schema = frozen({
      type: 'OBJECT',
      properties: {
        b: { type: 'STRING', nullable: true, enum: ['x'], format: 'enum', example: 'x' },
        a: { anyOf: [{ type: 'INTEGER' }, { type: 'BOOLEAN' }], nullable: true },
        type: { type: 'ARRAY', items: { type: 'NUMBER' }, minItems: 1 },
      },
      propertyOrdering: ['type', 'a'],
      required: ['a'],
    })
    const read = readSchema(schema)
    expect(read).toEqual({
      type: 'object',
      properties: {
        type: { type: 'array', items: { type: 'number' }, minItems: 1 },
        a: { anyOf: [{ type: 'integer' }, { type: 'boolean' }, { type: 'null' }] },
        b: { type: ['string', 'null'], enum: ['x', null], examples: ['x'] },
      },
      required: ['a'],
    })
    expect(Object.keys(read['properties'] as Json)).toEqual(['type', 'a', 'b'])
  })

  it('keep the references of Vertex', () => {
    expect(
      readSchema({ type: 'OBJECT', properties: { a: { ref: '#/defs/A' } }, defs: { A: { type: 'STRING' } } }),
    ).toEqual(object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { type: 'string' } } }))
  })

  it('are those of JSON Schema untouched where the caller sent that', () => {
    const schema = { type: 'object', properties: { max_items: { type: 'string', max_length: 1 } } }
    const request = read({
      contents: [{ parts: [{ text: 'a' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', parameters_json_schema: schema }] }],
    })
    expect(request.tools?.[0]).toMatchObject({ schema })
  })
})
