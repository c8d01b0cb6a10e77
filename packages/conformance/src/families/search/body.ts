import { isObject } from '../../json.ts'

/** Path of a value in a body. */
export type Path = readonly (string | number)[]

/** Values in a body with their paths, outer values first. Excludes the body itself. */
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

/** Body with another value at a path; `undefined` removes the value. */
export function put(body: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(body)) {
    const items: unknown[] = body.map((item: unknown, index) => (index === key ? put(item, rest, value) : item))
    return items.filter((item) => item !== undefined)
  }
  return isObject(body) ? { ...body, [key]: put(body[key], rest, value) } : body
}

/** Paths at which two bodies of one shape have different strings or numbers. */
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
