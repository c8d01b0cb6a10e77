import { folded } from './folded.ts'
import { isObject, type Json } from './json.ts'
import type { Loss } from './loss.ts'
import { quoted } from './vendor-extensions.ts'

/**
 * Fields of a format by Headgate's names in losses. Values are paths from the node; the first that exists is used.
 * `../` refers to the parent of the node.
 */
export type FieldNames = Readonly<Record<string, readonly string[]>>

type PathStep = string | number

/**
 * Losses with paths in the caller's body, in the caller's spelling. A loss whose field does not exist gets the path of
 * the nearest node above it.
 */
export function ownPaths(losses: readonly Loss[], body: Json, names: FieldNames = {}): Loss[] {
  const find = finder()
  return losses.map((loss) => {
    const path = ownPath(stepsOf(loss.path), body, names, find)
    return path === '' || path === loss.path ? loss : { ...loss, path }
  })
}

/** Finds a key of an object. */
type Find = (object: Json, key: string) => string | undefined

/** Value of a body and its path. */
interface PathValue {
  readonly value: unknown
  readonly path: string
}

function ownPath(steps: readonly PathStep[], body: Json, names: FieldNames, find: Find): string {
  let place: PathValue = { value: body, path: '' }
  const above: PathValue[] = []
  for (const step of steps) {
    const next = descend(place, [step], find) ?? renamed(place, above, step, names, find)
    if (!next) break
    above.push(place)
    place = next
  }
  return place.path
}

/**
 * Finds a field under its other names.
 * @param above values on the path, nearest last.
 */
function renamed(
  place: PathValue,
  above: readonly PathValue[],
  step: PathStep,
  names: FieldNames,
  find: Find,
): PathValue | undefined {
  if (typeof step === 'number' || !Object.hasOwn(names, step)) return undefined
  for (const name of names[step] ?? []) {
    const rises = name.split('../').length - 1
    const start = rises === 0 ? place : above[above.length - rises]
    const found = start && descend(start, stepsOf(name.slice(3 * rises)), find)
    if (found) return found
  }
  return undefined
}

function descend(start: PathValue, steps: readonly PathStep[], find: Find): PathValue | undefined {
  let { value, path } = start
  for (const step of steps) {
    if (typeof step === 'number') {
      // Some callers send an object instead of a list with one object.
      if (!Array.isArray(value)) continue
      if (step >= value.length) return undefined
      value = value[step] as unknown
      path += `[${step}]`
    } else {
      const key = isObject(value) ? find(value, step) : undefined
      if (key === undefined || !isObject(value)) return undefined
      value = value[key]
      path += path === '' ? quoted(key) : `.${quoted(key)}`
    }
  }
  return { value, path }
}

/** Finds a key, or its other spelling: Google accepts `maxOutputTokens` and `max_output_tokens`. */
function finder(): Find {
  const spellings = new Map<Json, ReadonlyMap<string, string>>()
  return (object, key) => {
    if (Object.hasOwn(object, key)) return key
    let known = spellings.get(object)
    if (!known) {
      // The first of several keys with the same folded name is used.
      known = new Map(
        Object.keys(object)
          .map((other) => [folded(other), other] as const)
          .reverse(),
      )
      spellings.set(object, known)
    }
    return known.get(folded(key))
  }
}

/** Steps of a path. Only the last key can be in quotes, see `quoted`. */
function stepsOf(path: string): PathStep[] {
  const quote = path.endsWith("']") ? path.indexOf("['") : -1
  const plain = quote < 0 ? path : path.slice(0, quote)
  const steps = [...plain.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) =>
    index === undefined ? step : Number(index),
  )
  return quote < 0 ? steps : [...steps, path.slice(quote + 2, -2)]
}
