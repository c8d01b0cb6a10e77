import { isObject, type Json, objects, text } from '../../canonical/json.ts'
import { HeadgateError } from '../../errors.ts'

/**
 * Maximum nesting of streamed arguments, and maximum number of missing list items before an item. Lists are sent from
 * their start.
 */
const MAX_DEPTH = 100
const MAX_GAP = 100
/** Maximum length of a call's strings, in characters. */
const MAX_TEXT = 8 * 1024 * 1024

/** Streamed arguments of a call. */
export interface PartialArgs {
  readonly args: Json
  size: number
}

/**
 * Adds pieces to a call's arguments. A string can have several pieces with the same path.
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc
 */
export function addPieces(partial: PartialArgs, pieces: unknown): void {
  for (const piece of objects(pieces)) {
    const steps = stepsOf(text(piece['jsonPath']) ?? '')
    if (steps.length > 0) set(partial, steps, piece)
  }
}

/** True if more of a piece's value follows. */
export function goesOn(pieces: unknown): boolean {
  return objects(pieces).some((piece) => piece['willContinue'] === true)
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy

/** Steps of a JSONPath to one value: `$.a[0]['b c']`. */
function stepsOf(path: string): (string | number)[] {
  if (!path.startsWith('$')) return []
  return [...path.slice(1).matchAll(STEP)].map(([, name, index, single, double]) => {
    if (index !== undefined) return Number(index)
    return name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')
  })
}

function set(partial: PartialArgs, steps: readonly (string | number)[], piece: Json): void {
  if (steps.length > MAX_DEPTH) throw tooLarge()
  let node: Json | unknown[] = partial.args
  steps.forEach((step, depth) => {
    if (Array.isArray(node) && typeof step === 'number' && step > node.length + MAX_GAP) throw tooLarge()
    const inner = valueAt(node, step)
    if (depth === steps.length - 1) {
      put(node, step, newValue(piece, inner, partial))
      return
    }
    const next: Json | unknown[] =
      isObject(inner) || Array.isArray(inner) ? inner : typeof steps[depth + 1] === 'number' ? [] : {}
    if (next !== inner) put(node, step, next)
    node = next
  })
}

function newValue(piece: Json, before: unknown, partial: PartialArgs): unknown {
  const { stringValue, numberValue, boolValue } = piece
  if (typeof stringValue === 'string') {
    partial.size += stringValue.length
    if (partial.size > MAX_TEXT) throw tooLarge()
    return typeof before === 'string' ? before + stringValue : stringValue
  }
  return numberValue ?? boolValue ?? null
}

function valueAt(node: Json | unknown[], step: string | number): unknown {
  return Object.hasOwn(node, step) ? (node as Json)[step] : undefined
}

/** Sets a value of any key. Assigning to `__proto__` would change the prototype. */
function put(node: Json | unknown[], step: string | number, value: unknown): void {
  Object.defineProperty(node, step, { value, enumerable: true, writable: true, configurable: true })
}

function tooLarge(): HeadgateError {
  return new HeadgateError('upstream', 'The upstream sent tool arguments that are too large.')
}
