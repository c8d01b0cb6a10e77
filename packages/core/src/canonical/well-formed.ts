import { isObject, type Json, put } from './json.ts'
import { changed, type Loss } from './loss.ts'

/** Maximum paths that are declared. */
const MAX_PLACES = 100

/** Reason of the loss. */
export const HALF_CHARACTER = 'an incomplete character is sent as U+FFFD'

/**
 * Copy of a body without lone surrogates, which vendors reject. In strings and keys, each becomes U+FFFD. Bodies
 * without them are returned unchanged; the check is cheap, since the engine knows that most strings have none.
 * @param given the caller's body, for the paths of changes.
 */
export function wellFormed(body: Json, given: Json, losses: Loss[]): Json {
  const fixed = fix(body) as Json
  if (fixed !== body) declare(given, losses)
  return fixed
}

function fix(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (Array.isArray(value)) return fixList(value)
  return isObject(value) ? fixObject(value) : value
}

function fixList(list: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let at = 0; at < list.length; at++) {
    const item = fix(list[at])
    if (item === list[at]) continue
    copy ??= [...list]
    copy[at] = item
  }
  return copy ?? list
}

function fixObject(object: Json): Json {
  let copy: Json | undefined
  for (const key in object) {
    const value = fix(object[key])
    const isKeyWhole = key.isWellFormed()
    if (isKeyWhole && value === object[key]) continue
    copy ??= { ...object }
    if (!isKeyWhole) delete copy[key]
    put(copy, key.toWellFormed(), value)
  }
  return copy ?? object
}

/** Escapes in JSON text: a surrogate pair, a lone surrogate, or another escape. */
const ESCAPES = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)/gs

/** JSON text without lone surrogates, literal or escaped. Returned unchanged if it has none. */
export function wellFormedJson(text: string): string {
  const whole = text.toWellFormed()
  if (!/\\u[dD]/.test(whole)) return whole
  return whole.replace(ESCAPES, (found: string, half: string | undefined) => (half === undefined ? found : '\ufffd'))
}

/** Declares the paths of lone surrogates in the caller's body. */
function declare(given: Json, losses: Loss[]): void {
  let places = 0
  const look = (value: unknown, path: string): void => {
    if (places === MAX_PLACES) return
    if (typeof value === 'string') {
      if (value.isWellFormed() && !isBrokenJson(value)) return
      places++
      changed(losses, path, HALF_CHARACTER)
    } else if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) look(value[at], `${path}[${at}]`)
    } else if (isObject(value)) {
      for (const key in value) {
        const inner = path === '' ? key.toWellFormed() : `${path}.${key.toWellFormed()}`
        if (!key.isWellFormed()) places++
        if (key.isWellFormed()) look(value[key], inner)
        else changed(losses, inner, HALF_CHARACTER)
      }
    }
  }
  look(given, '')
}

/** Arguments and results of tools are strings that contain JSON. */
function isBrokenJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && wellFormedJson(text) !== text
}
