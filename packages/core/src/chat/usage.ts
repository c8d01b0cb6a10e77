import { isObject, type Json } from './json.ts'
import { unknownFields } from './side.ts'

/**
 * Tokens of one answer. Totals include their parts, whatever the vendor's own base is: `input` includes what was read from
 * and written to a cache, `output` includes reasoning. What an upstream did not say is absent, never zero.
 */
export interface Usage {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  /** The share of `cacheWrite` that is kept for an hour. */
  cacheWriteLong?: number
  reasoning?: number
  audioInput?: number
  audioOutput?: number
  /** Searches that the provider ran. */
  webSearches?: number
}

/** What a vendor's usage has beside the `known` fields, as far as it says anything: zeros do not. */
export function uncounted(usage: Json, known: ReadonlySet<string>, fields: Json | undefined, prefix: string): Json | undefined {
  const telling = Object.fromEntries(Object.entries(usage).filter(([, value]) => tells(value)))
  return unknownFields(telling, known, fields, prefix)
}

function tells(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(tells)
  return isObject(value) ? Object.values(value).some(tells) : Boolean(value)
}
