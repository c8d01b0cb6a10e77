import type { Call } from '../meaning.ts'

/** What is wrong with the ids of an answer's calls: results could not name them. */
export function idProblems(ids: readonly unknown[]): string[] {
  const known = ids.filter((id) => typeof id === 'string' && id !== '')
  return [
    ...(known.length < ids.length ? ['a tool call has no id'] : []),
    ...(new Set(known).size < known.length ? ['two tool calls have the same id'] : []),
  ]
}

/** The arguments of a call, parsed; what is no JSON is a problem. */
export function parseArguments(source: string, problems: string[]): unknown {
  try {
    return JSON.parse(source) as unknown
  } catch {
    problems.push(`the arguments of a tool call are no JSON: ${source.slice(0, 80)}`)
    return source
  }
}

export function callOf(name: string, given: unknown, signature?: string): Call {
  return { name, arguments: given, ...(signature && { signature }) }
}
