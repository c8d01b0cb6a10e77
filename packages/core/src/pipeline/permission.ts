import type { Principal } from '../contract/ledger.ts'
import { fits } from '../contract/pattern.ts'

const NOTHING: readonly string[] = []

/** Whether patterns, in which `*` stands for any text, allow a name. Without patterns every name is. */
export function mayUse(patterns: readonly string[] | undefined, name: string): boolean {
  return patterns === undefined || patterns.some((pattern) => fits(pattern, name))
}

/** Patterns of what a caller may use, where it may not use everything: whoever is told anything that it may do may do nothing else. */
function patternsOf({ models, search, scopes }: Principal, own: readonly string[] | undefined): readonly string[] | undefined {
  if (own === undefined) return models || search || scopes ? NOTHING : undefined
  return own.includes('*') ? undefined : own
}

/** The models that a caller may use; undefined = all. */
export function modelsOf(principal: Principal): readonly string[] | undefined {
  return patternsOf(principal, principal.models)
}

/** The search engines and backends that a caller may use; undefined = all. */
export function searchesOf(principal: Principal): readonly string[] | undefined {
  return patternsOf(principal, principal.search)
}

/** What may be used, for a message. */
export function permitted(patterns: readonly string[] | undefined): string {
  return patterns && patterns.length > 0 ? `It may use: ${patterns.join(', ')}.` : 'It may use none.'
}
