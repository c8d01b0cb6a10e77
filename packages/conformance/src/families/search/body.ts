import { isObject } from '../../json.ts'

/** Where a value stands in a body. */
export type Path = readonly (string | number)[]

/** Every value in a body but itself, with its path; outer ones first. */
export function nodesOf(body: unknown, path: Path = []): [Path, unknown][] {
  const entries: [string | number, unknown][] = Array.isArray(body)
    ? body.map((value: unknown, index): [number, unknown] => [index, value])
    : isObject(body)
      ? Object.entries(body)
      : []
  return entries.flatMap(([key, value]) => [
    [[...path, key], value] satisfies [Path, unknown],
    ...nodesOf(value, [...path, key]),
  ])
}

/** The body with another value at a path; `undefined` takes what is there out. */
export function put(body: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(body)) {
    const items: unknown[] = body.map((item: unknown, index) => (index === key ? put(item, rest, value) : item))
    return items.filter((item) => item !== undefined)
  }
  return isObject(body) ? { ...body, [key]: put(body[key], rest, value) } : body
}

/** Where two bodies of the same shape have different texts or numbers. */
export function differing(one: unknown, other: unknown): Path[] {
  const others = new Map(nodesOf(other).map(([path, value]) => [JSON.stringify(path), value]))
  return nodesOf(one)
    .filter(
      ([path, value]) => !(typeof value === 'object' && value !== null) && others.get(JSON.stringify(path)) !== value,
    )
    .map(([path]) => path)
}

export function showPath(path: Path): string {
  return path.reduce<string>(
    (shown, key) => (typeof key === 'number' ? `${shown}[${key}]` : shown ? `${shown}.${key}` : key),
    '',
  )
}
