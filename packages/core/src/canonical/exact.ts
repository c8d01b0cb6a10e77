import { isObject, type Json, parseWith, put } from './json.ts'

/** Reviver that gets the source of each number. */
type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/**
 * `JSON` with source text access, which TypeScript's library does not declare.
 * @see https://tc39.es/proposal-json-parse-with-source/
 */
const json = JSON as unknown as {
  parse(source: string, reviver: SourceReviver): unknown
  rawJSON(source: string): unknown
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

/** Numbers that a double may change: 16 digits or more, or an exponent. */
const LONG_NUMBER = /(?:^\s*|[[:,]\s*)-?\d(?:\d{15}|[\d.]*[eE]|\d*\.\d{15})/

/** Keys of objects with arguments or results. At least one of the listed sibling keys must exist. */
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

/** Converts numbers outside of arguments to doubles, in place, since all other fields are read as numbers. */
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
 * Parsed JSON text that preserves all digits in arguments and results of tools: numbers that a double would change
 * become `JSON.rawJSON` objects. Several times slower than `JSON.parse`.
 * @throws SyntaxError if the text is not JSON.
 */
export function exactJson(source: string): unknown {
  const value = readExactly(source)
  if (json.isRawJSON(value)) return Number(value.rawJSON)
  rounded(value)
  return value
}

/**
 * Parsed body or frame with exact numbers in arguments, as in `exactJson`. Undefined for values that `parse` of
 * `json.ts` rejects.
 * @param key substring that every text with arguments contains, such as `"args"`.
 * @example const body = parseExact(frame.data, '"args"')
 */
export function parseExact(source: string, key: string): unknown {
  return parseWith(source.includes(key) && LONG_NUMBER.test(source) ? exactJson : JSON.parse, source)
}

/** Parsed arguments with exact numbers. */
export function parseArgumentText(source: string): unknown {
  return parseWith(LONG_NUMBER.test(source) ? readExactly : JSON.parse, source)
}

/** True for a number that a double would change. */
export function isExactNumber(value: unknown): boolean {
  return isObject(value) && json.isRawJSON(value)
}
