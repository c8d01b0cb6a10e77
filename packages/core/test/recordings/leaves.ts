import { isObject, type Json } from '../../src/canonical/json.ts'

/** A value of a body that holds no others. */
export interface Leaf {
  /** As losses name it: `messages[0].content[1].text`. */
  readonly path: string
  /** The nearest key of an object above it. */
  readonly key: string
  /** A string, number or boolean, or an empty object. */
  readonly value: unknown
}

/** The leaves of a body. Null says nothing, nor does an empty list or text; an empty object can. */
export function* leavesOf(value: unknown, path = '', key = ''): Generator<Leaf> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* leavesOf(item, `${path}[${index}]`, key)
  } else if (isObject(value)) {
    const entries = Object.entries(value)
    if (entries.length === 0) yield { path, key, value }
    for (const [name, item] of entries) yield* leavesOf(item, path === '' ? name : `${path}.${name}`, name)
  } else if (value !== null && value !== undefined && value !== '') {
    yield { path, key, value }
  }
}

/** A path without its indices: `messages[*].content[*].text`. */
export function folded(path: string): string {
  return path.replace(/\[\d+\]/g, '[*]')
}

/** A key in one spelling: Google takes both `maxOutputTokens` and `max_output_tokens`. */
export function spelled(key: string): string {
  return key.replaceAll('_', '').toLowerCase()
}

/** The value at a path; undefined where there is none. Keys are compared in one spelling. */
export function valueAt(body: unknown, path: string): unknown {
  let node = body
  for (const step of path.match(/[^.[\]]+/g) ?? []) {
    if (typeof node !== 'object' || node === null) return undefined
    const key = Object.keys(node).find((name) => spelled(name) === spelled(step))
    node = key === undefined ? undefined : (node as Json)[key]
  }
  return node
}
