import { isObject, type Json, parseWith, put } from './json.ts'

/** Reviver that sees the text of each number. */
type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/**
 * `JSON` with source text access, which TypeScript's library does not declare. @see
 * https://tc39.es/proposal-json-parse-with-source/
 */
const json = JSON as unknown as {
  parse(source: string, reviver: SourceReviver): unknown
  rawJSON(source: string): unknown
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

/** Numbers that a double may change: 16 digits or more, or an exponent. */
const LONG_NUMBER = /(?:^\s*|[[:,]\s*)-?\d(?:\d{15}|[\d.]*[eE]|\d*\.\d{15})/

/** Keys of an object of arguments or results, by the keys of which one must be next to them. */
const HOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['args', []],
  ['arguments', []],
  ['numberValue', []],
  ['input', ['name', 'toolUseId']],
  ['response', ['name']],
  ['output', ['call_id']],
])

function keepsNumbers(owner: Json, key: string, value: unknown): boolean {
  const siblings = HOLDERS.get(key)
  if (!siblings || Array.isArray(value)) return false
  return siblings.length === 0 || siblings.some((name) => typeof owner[name] === 'string')
}

/** Turns the numbers outside of arguments back into doubles, in place: every other field is read as a number. */
function rounded(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    const owner = value as Json
    const inner = owner[key]
    if (keepsNumbers(owner, key, inner)) continue
    if (json.isRawJSON(inner)) put(owner, key, Number(inner.rawJSON))
    else rounded(inner)
  }
}

function readExactly(source: string): unknown {
  return json.parse(source, (_, value, { source: digits }) =>
    typeof value === 'number' && digits !== undefined && String(value) !== digits ? json.rawJSON(digits) : value,
  )
}

/**
 * The value of a JSON text whose arguments and results of tools are written again with the digits of the text:
 * their numbers that a double would change are `JSON.rawJSON` objects. Costs several times what `JSON.parse` does.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function exactJson(source: string): unknown {
  const value = readExactly(source)
  if (json.isRawJSON(value)) return Number(value.rawJSON)
  rounded(value)
  return value
}

/**
 * The value of a body or frame, or undefined where `parse` of `json.ts` gives undefined. Numbers of arguments are
 * exact, see `exactJson`.
 *
 * @param key part of the text without which it has no arguments as an object, such as `"args"`
 */
export function parseExact(source: string, key: string): unknown {
  return parseWith(source.includes(key) && LONG_NUMBER.test(source) ? exactJson : JSON.parse, source)
}

/** The value of the text of arguments, with every number exact. */
export function parseArgumentText(source: string): unknown {
  return parseWith(LONG_NUMBER.test(source) ? readExactly : JSON.parse, source)
}

/** Whether a value is a number that a double would change. */
export function isExactNumber(value: unknown): boolean {
  return isObject(value) && json.isRawJSON(value)
}
