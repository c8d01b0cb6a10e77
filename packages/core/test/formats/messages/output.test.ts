import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/canonical/json.ts'
import { at, MIDDLE, NEWEST, OLD, system, user, write } from './support.ts'

const paths = { output: 'response_format' }
const point = {
  type: 'object',
  properties: { x: { type: 'number' }, y: { type: 'number' } },
  required: ['x', 'y'],
  additionalProperties: false,
}

function schemaOf(schema: Json, target = NEWEST) {
  return write({ output: { type: 'schema', schema, name: 'answer', strict: true }, paths }, target)
}

describe('Structured output in a messages request', () => {
  it('case 89: a schema that the vendor enforces as it is goes out as it is', () => {
    const written = schemaOf(point)
    expect(JSON.stringify(at(written.body, 'output_config', 'format'))).toBe(
      JSON.stringify({ type: 'json_schema', schema: point }),
    )
    expect(written.lost).toEqual([])
    expect(written.restore).toBeUndefined()
  })

  it('case 91: bounds move into the description, oneOf becomes anyOf, objects are closed', () => {
    const { body, lost } = schemaOf({
      type: 'object',
      properties: {
        age: { type: 'integer', minimum: 0, maximum: 150, description: 'In years' },
        mail: { type: 'string', format: 'email' },
        code: { type: 'string', format: 'zip', pattern: '^[0-9]+$' },
        kind: { oneOf: [{ const: 'a' }, { $ref: '#/$defs/k', description: 'beside' }] },
        tags: {
          type: 'array',
          items: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
          minItems: 1,
        },
      },
      required: ['age', 'mail', 'code', 'kind', 'tags'],
      $defs: { k: { type: 'string' } },
    })
    expect(at(body, 'output_config', 'format', 'schema')).toEqual({
      type: 'object',
      properties: {
        age: { type: 'integer', description: 'In years\nminimum: 0; maximum: 150.' },
        mail: { type: 'string', format: 'email' },
        code: { type: 'string', description: 'format: zip; pattern: ^[0-9]+$.' },
        kind: { anyOf: [{ const: 'a' }, { $ref: '#/$defs/k' }] },
        tags: {
          type: 'array',
          items: {
            type: 'object',
            properties: { title: { type: 'string' } },
            required: ['title'],
            additionalProperties: false,
          },
          minItems: 1,
        },
      },
      required: ['age', 'mail', 'code', 'kind', 'tags'],
      $defs: { k: { type: 'string' } },
      additionalProperties: false,
    })
    expect(lost).toEqual(['changed response_format'])
  })

  it('case 85: a property whose name is a keyword survives', () => {
    const properties = {
      minimum: { type: 'number' },
      const: { type: 'string' },
      additionalProperties: { type: 'string' },
      $ref: { type: 'string' },
      format: { type: 'string' },
    }
    const { body } = schemaOf({ type: 'object', properties, required: Object.keys(properties) })
    expect(at(body, 'output_config', 'format', 'schema', 'properties')).toEqual(properties)
  })

  it('puts a description of the output into the schema', () => {
    const { body } = write({ output: { type: 'schema', schema: point, description: 'A point.' } })
    expect(at(body, 'output_config', 'format', 'schema', 'description')).toBe('A point.')
  })

  it('stands beside the effort', () => {
    expect(
      write({ output: { type: 'schema', schema: point }, reasoning: { effort: 'low' } }).body['output_config'],
    ).toMatchObject({
      effort: 'low',
      format: { type: 'json_schema' },
    })
  })

  it('case 92: an older model is made to call a tool that takes the output', () => {
    const { body, restore, lost } = schemaOf(point, OLD)
    expect(body).toMatchObject({
      tools: [{ name: 'json', input_schema: point }],
      tool_choice: { type: 'tool', name: 'json', disable_parallel_tool_use: true },
    })
    expect(body).not.toHaveProperty('output_config')
    expect(restore).toEqual({ outputTool: 'json' })
    expect(lost).toEqual(['dropped response_format.strict'])
  })

  it('case 93: the caller’s tools can still be called, and the tool has a name of its own', () => {
    const fields = {
      output: { type: 'schema' as const, schema: point },
      tools: [{ type: 'function' as const, name: 'json' }],
    }
    expect(write(fields, OLD)).toMatchObject({
      body: {
        tools: [{ name: 'json' }, { name: 'json_' }],
        tool_choice: { type: 'any', disable_parallel_tool_use: true },
      },
      restore: { outputTool: 'json_' },
    })
    expect(write({ ...fields, toolChoice: { type: 'none' } }, OLD).body['tool_choice']).toMatchObject({
      type: 'tool',
      name: 'json_',
    })
  })

  it.each<[string, Json]>([
    ['recursion', { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] }],
    [
      'recursion through definitions',
      {
        $ref: '#/$defs/a',
        $defs: {
          a: { type: 'object', properties: { b: { $ref: '#/$defs/b' } }, required: ['b'] },
          b: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] },
        },
      },
    ],
    [
      'free keys',
      {
        type: 'object',
        properties: { map: { type: 'object', additionalProperties: { type: 'string' } } },
        required: ['map'],
      },
    ],
    [
      'many optional properties',
      {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`p${n}`, { type: 'string' }])),
      },
    ],
  ])('uses the tool for a schema that the vendor can not enforce: %s', (_, schema) => {
    const written = schemaOf({ type: 'object', ...schema })
    expect(written.body).not.toHaveProperty('output_config')
    expect(written.restore?.outputTool).toBe('json')
    expect(at(written.body, 'tools', 0, 'input_schema')).toEqual({ type: 'object', ...schema })
  })

  it('refuses such a schema where the model can not be forced to call a tool', () => {
    const recursive = { type: 'object', properties: { child: { $ref: '#' } } }
    expect(() => schemaOf(recursive, { model: 'claude-opus-5-5', signer: 'claude' })).toThrow(
      expect.objectContaining({ kind: 'invalid-request', param: 'response_format' }),
    )
  })

  it('does not take references that are used twice for recursion', () => {
    const item = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/definitions/i' }, b: { $ref: '#/definitions/i' } },
      required: ['a', 'b'],
      definitions: { i: item },
    }
    expect(schemaOf(schema).body).toHaveProperty('output_config')
  })

  it('survives a schema of absurd depth', () => {
    let schema: Json = { type: 'string' }
    for (let depth = 0; depth < 1000; depth++) schema = { type: 'object', properties: { a: schema }, required: ['a'] }
    expect(schemaOf(schema).body).toHaveProperty('tools')
  })

  it('case 95: JSON without a schema is a sentence in the system prompt', () => {
    const { body, lost } = write(
      { messages: [system('Be kind.'), user('hi')], output: { type: 'json' }, paths },
      MIDDLE,
    )
    expect(body['system']).toEqual([
      { type: 'text', text: 'Be kind.' },
      { type: 'text', text: expect.stringContaining('JSON') },
    ])
    expect(body).not.toHaveProperty('tools')
    expect(lost).toEqual(['changed response_format'])
    expect(write({ output: { type: 'text' } }).lost).toEqual([])
  })
})
