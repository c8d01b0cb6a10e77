import { isObject, type Json } from './json.ts'
import type { Loss } from './loss.ts'

/**
 * What losses call by Headgate's word → what it is called in a format: paths from the node, the first that is there counts. `../`
 * leads to what holds the node.
 */
export type FieldNames = Readonly<Record<string, readonly string[]>>

type Step = string | number

/**
 * The losses under paths of the body that was read, in the caller's own words and spelling. What stands nowhere in it is named by
 * the nearest node above that does.
 */
export function ownPaths(losses: readonly Loss[], body: Json, names: FieldNames = {}): Loss[] {
  return losses.map((loss) => {
    const path = ownPath(stepsOf(loss.path), body, names)
    return path === '' || path === loss.path ? loss : { ...loss, path }
  })
}

/** A value of the body and the path to it. */
interface Place {
  readonly value: unknown
  readonly path: string
}

function ownPath(steps: readonly Step[], body: Json, names: FieldNames): string {
  let place: Place = { value: body, path: '' }
  const above: Place[] = []
  for (const step of steps) {
    const next = descend(place, [step]) ?? renamed(place, above, step, names)
    if (!next) break
    above.unshift(place)
    place = next
  }
  return place.path
}

/** `above` holds the places on the way, the nearest first. */
function renamed(place: Place, above: readonly Place[], step: Step, names: FieldNames): Place | undefined {
  if (typeof step === 'number' || !Object.hasOwn(names, step)) return undefined
  for (const name of names[step] ?? []) {
    const rises = name.split('../').length - 1
    const start = rises === 0 ? place : above[rises - 1]
    const found = start && descend(start, stepsOf(name.slice(3 * rises)))
    if (found) return found
  }
  return undefined
}

function descend(start: Place, steps: readonly Step[]): Place | undefined {
  let { value, path } = start
  for (const step of steps) {
    if (typeof step === 'number') {
      // Some callers send one object where a list of one is due.
      if (!Array.isArray(value)) continue
      if (step >= value.length) return undefined
      value = value[step] as unknown
      path += `[${step}]`
    } else {
      const key = isObject(value) ? keyLike(value, step) : undefined
      if (key === undefined || !isObject(value)) return undefined
      value = value[key]
      path += path === '' ? key : `.${key}`
    }
  }
  return { value, path }
}

/** The key itself, or the same in another spelling: Google takes `maxOutputTokens` and `max_output_tokens`. */
function keyLike(object: Json, key: string): string | undefined {
  if (Object.hasOwn(object, key)) return key
  const plain = spelled(key)
  return Object.keys(object).find((other) => spelled(other) === plain)
}

function spelled(key: string): string {
  return key.replaceAll('_', '').toLowerCase()
}

function stepsOf(path: string): Step[] {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) => (index === undefined ? step : Number(index)))
}
