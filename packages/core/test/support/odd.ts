import fc from 'fast-check'

/** A JSON value. */
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value }

function pathsOf(value: Value, path: (string | number)[] = []): (string | number)[][] {
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => pathsOf(item, [...path, index]))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))
      : []
  return path.length === 0 ? inner : [path, ...inner]
}

function put(value: Value, path: readonly (string | number)[], leaf: Value): Value {
  const [step, ...rest] = path
  if (step === undefined) return leaf
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? put(item, rest, leaf) : item))
  const object = value as { [key: string]: Value }
  return { ...object, [step]: put(object[step] ?? null, rest, leaf) }
}

const leaf: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value[]>(
    null,
    true,
    -1,
    0,
    1e300,
    '',
    'x',
    [],
    {},
    [null],
    [[]],
    [{}],
    [''],
    { type: 'text' },
    { type: 'function' },
    '\ud800',
    '__proto__',
    'constructor',
    'data:,',
    'tool',
  ),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Value>,
)

/** A good document with one to three of its values replaced by anything; `kept` are top-level keys that stay. */
export function odd(base: Value, kept: readonly string[] = []): fc.Arbitrary<Value> {
  const paths = pathsOf(base).filter((path) => !kept.includes(String(path[0])))
  const edit = fc.record({ path: fc.constantFrom(...paths), value: leaf })
  return fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) =>
    edits.reduce((value, one) => {
      try {
        return put(value, one.path, one.value)
      } catch {
        return value
      }
    }, base),
  )
}
