import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../core/src/canonical/format.ts'
import { parseBody } from '../../src/edge/body.ts'
import { members, splice } from '../../src/edge/splice.ts'

type Value = null | boolean | number | string | Value[] | { [key: string]: Value }

/** JSON text as people and machines write it: any white space, any escapes, any way of writing a number. */
const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/)
const numberText = fc.constantFrom('0', '-0', '1e3', '12345678901234567890', '0.1000', '-1.5E-7', '1E400')
const escaped = fc.constantFrom('"\\u0041"', '"\\ud83d\\ude00"', '"a\\\\"', '"\\\\\\""', '"}]\\",:{["', '"\\n\\t\\/"')
const plain = fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text))
const long = fc.integer({ min: 45, max: 120 }).map((length) => `"${'\\\\'.repeat(length)}${'é'.repeat(length)}"`)
const stringText = fc.oneof(plain, escaped, long)
const keyText = fc.oneof(
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"a"', '"b"', '"\\u0061b"', '"é"'),
)

const { value: valueText } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    numberText,
    stringText,
    fc.constantFrom('true', 'false', 'null'),
    tie('list'),
    tie('object'),
  ),
  list: fc
    .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }))
    .map(([s, items]) => `[${s}${items.map((item) => item.join('')).join(',')}]`),
  object: fc
    .tuple(
      space,
      fc.uniqueArray(fc.tuple(space, keyText, space, space, tie('value'), space), {
        maxLength: 4,
        selector: (entry) => JSON.parse(entry[1]) as string,
      }),
    )
    .map(
      ([s, entries]) =>
        `{${s}${entries.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`).join(',')}}`,
    ),
}))

const bodyText = fc
  .tuple(
    space,
    fc.uniqueArray(fc.tuple(space, keyText, space, space, valueText, space), {
      maxLength: 6,
      selector: (entry) => JSON.parse(entry[1]) as string,
    }),
    space,
  )
  .map(
    ([before, entries, after]) =>
      `${before}{${entries.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`).join(',')}${entries.length === 0 ? ' ' : ''}}${after}`,
  )

/** Every path of a value, from the top. */
function pathsOf(value: Value, path: (string | number)[] = []): (string | number)[][] {
  const own = path.length > 0 ? [path] : []
  if (Array.isArray(value)) return [...own, ...value.flatMap((item, index) => pathsOf(item, [...path, index]))]
  if (typeof value === 'object' && value !== null)
    return [...own, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))]
  return own
}

function put(value: Value, path: readonly (string | number)[], leaf: Value): Value {
  const [step, ...rest] = path
  if (step === undefined) return leaf
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? put(item, rest, leaf) : item))
  const object = value as Record<string, Value>
  return Object.fromEntries([
    ...Object.entries(object).filter(([key]) => key !== step),
    [step, put(object[step] ?? null, rest, leaf)],
  ])
}

const isPlainObject = (value: Value | undefined): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function at(value: Value, path: readonly (string | number)[]): Value | undefined {
  return path.reduce<Value | undefined>(
    (node, step) => (node as Record<string | number, Value> | undefined)?.[step],
    value,
  )
}

const sorted = (value: Value): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}

const parse = (text: string): Value => JSON.parse(text) as Value
const spliced = (text: string, edits: Edit[]): string => {
  const bytes = Buffer.from(text)
  return splice(bytes, members(bytes), edits).toString('utf8')
}

describe('The members of a body', () => {
  it('are found where JSON.parse finds them, however the text is written', () => {
    fc.assert(
      fc.property(bodyText, (text) => {
        const bytes = Buffer.from(text)
        const found = [...members(bytes)].map(([key, { start, end }]) => [
          key,
          parse(bytes.toString('utf8', start, end)),
        ])
        expect(found.sort()).toEqual(Object.entries(parse(text) as Record<string, Value>).sort())
      }),
    )
  })

  it('are found behind a byte order mark', () => {
    const { json, spans, bytes } = parseBody(Buffer.from('\ufeff{"model":"m"}'))
    const { start = 0, end = 0 } = spans.get('model') ?? {}
    expect([json, bytes.toString('utf8', start, end)]).toEqual([{ model: 'm' }, '"m"'])
  })

  it.each(['{"model":"a","model":"b"}', '{"model":1, "mod\\u0065l" :2}', '{"é":1,"\\u00e9":2}'])(
    'must stand there once: %s',
    (text) => {
      expect(() => members(Buffer.from(text))).toThrow(/occurs twice in the body/)
    },
  )

  it('may hold the same key again further inside', () => {
    expect(members(Buffer.from('{"a":{"b":1,"b":2},"c":[{"a":1}]}')).size).toBe(2)
  })
})

describe('A splice', () => {
  it('replaces the value at any path and leaves every other byte alone', () => {
    fc.assert(
      fc.property(bodyText, fc.nat(), fc.jsonValue(), (text, choice, leaf) => {
        const before = parse(text)
        const paths = pathsOf(before)
        const path = paths[choice % Math.max(1, paths.length)]
        if (!path) return
        const after = spliced(text, [{ path, value: leaf }])
        const written = JSON.stringify(leaf)
        expect(sorted(parse(after))).toEqual(sorted(put(before, path, parse(written))))

        const prefix = commonPrefix(text, after)
        const suffix = commonSuffix(text.slice(prefix), after.slice(prefix))
        expect(after.length - prefix - suffix).toBeLessThanOrEqual(written.length)
      }),
    )
  })

  it('inserts what is absent at the front of its object', () => {
    fc.assert(
      fc.property(bodyText, fc.jsonValue(), (text, leaf) => {
        const before = parse(text) as Record<string, Value>
        if ('absent' in before) return
        const after = spliced(text, [{ path: ['absent'], value: leaf }])
        expect(sorted(parse(after))).toEqual(sorted({ ...before, absent: parse(JSON.stringify(leaf)) }))
        expect(after.endsWith(text.slice(text.indexOf('{') + 1))).toBe(true)
      }),
    )
  })

  it('takes keys out of any object, with one comma each, and leaves every other byte alone', () => {
    fc.assert(
      fc.property(bodyText, fc.nat(), fc.array(fc.nat(), { maxLength: 4 }), (text, choice, picks) => {
        const before = parse(text)
        const objects = [[], ...pathsOf(before)].filter((path) => isPlainObject(at(before, path)))
        const path = objects[choice % objects.length] ?? []
        const keys = Object.keys(at(before, path) as Record<string, Value>)
        const without = [...new Set(picks.map((pick) => keys[pick % Math.max(1, keys.length)] ?? 'absent'))]
        const after = spliced(text, [{ path, without }])
        const kept = Object.fromEntries(
          Object.entries(at(before, path) as Record<string, Value>).filter(([key]) => !without.includes(key)),
        )
        expect(sorted(parse(after))).toEqual(sorted(path.length === 0 ? kept : put(before, path, kept)))
        for (const { start, end } of members(Buffer.from(after)).values())
          expect(Buffer.from(text).includes(Buffer.from(after).subarray(start, end)) || path.length > 0).toBe(true)
      }),
    )
  })

  it.each<[string, string[], string]>([
    ['{ "a" : 1 , "b":2, "c" :3 }', ['a'], '{ "b":2, "c" :3 }'],
    ['{ "a" : 1 , "b":2, "c" :3 }', ['b'], '{ "a" : 1, "c" :3 }'],
    ['{ "a" : 1 , "b":2, "c" :3 }', ['c'], '{ "a" : 1 , "b":2 }'],
    ['{ "a" : 1 , "b":2, "c" :3 }', ['a', 'b'], '{ "c" :3 }'],
    ['{ "a" : 1 , "b":2, "c" :3 }', ['b', 'c'], '{ "a" : 1 }'],
    ['{ "a" : 1 , "b":2, "c" :3 }', ['a', 'c'], '{ "b":2 }'],
    ['{ "a" : 1 , "b":2, "c" :3 }', ['a', 'b', 'c'], '{ }'],
    ['{ "a" : 1 , "b":2, "c" :3 }', ['d'], '{ "a" : 1 , "b":2, "c" :3 }'],
  ])('of %s without %j is %s', (text, without, expected) => {
    expect(spliced(`{"x":[${text}]}`, [{ path: ['x', 0], without }])).toBe(`{"x":[${expected}]}`)
    expect(spliced(text, [{ path: ['nowhere'], without }])).toBe(text)
  })

  it('makes several edits at once, in any order', () => {
    const text =
      '{ "messages" : [ {"n": 1.0}, {"file": {"file_data":"AA=="}} ], "model":"a", "big": 12345678901234567890 }'
    const edits: Edit[] = [
      { path: ['model'], value: 'b' },
      { path: ['stream_options'], value: { include_usage: true } },
      { path: ['messages', 1, 'file', 'file_data'], value: 'data:,' },
      { path: ['messages', 1, 'file', 'filename'], value: 'x' },
    ]
    const expected =
      '{"stream_options":{"include_usage":true}, "messages" : [ {"n": 1.0}, {"file": {"filename":"x","file_data":"data:,"}} ], "model":"b", "big": 12345678901234567890 }'
    expect(spliced(text, edits)).toBe(expected)
    expect(spliced(text, edits.toReversed())).toBe(expected)
  })

  it('gives the very same bytes where nothing is edited', () => {
    const bytes = Buffer.from('{"a":1}')
    expect(splice(bytes, members(bytes), [])).toBe(bytes)
  })
})

function commonPrefix(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return i
}

function commonSuffix(a: string, b: string): number {
  let i = 0
  while (i < a.length && i < b.length && a[a.length - 1 - i] === b[b.length - 1 - i]) i++
  return i
}
