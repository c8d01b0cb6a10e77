import type { Principal } from '../contract/ledger.ts'

const NOTHING: readonly string[] = []

/** Whether a pattern, in which `*` stands for any text, is a text. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*')
  const last = pieces.pop()
  if (last === undefined) return first === text
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  const end = text.length - last.length
  let at = first.length
  for (const piece of pieces) {
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

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
