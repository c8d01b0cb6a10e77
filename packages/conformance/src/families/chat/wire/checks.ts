import type { ToolUse } from '../meaning.ts'

/** Problems with the ids of a response's calls. Results need them. */
export function idProblems(ids: readonly unknown[]): string[] {
  const known = ids.filter((id) => typeof id === 'string' && id !== '')
  return [
    ...(known.length < ids.length ? ['a tool call has no id'] : []),
    ...(new Set(known).size < known.length ? ['two tool calls have the same id'] : []),
  ]
}

/** Parsed arguments of a call. Invalid JSON is a problem. */
export function parseArguments(source: string, problems: string[]): unknown {
  try {
    return JSON.parse(source) as unknown
  } catch {
    problems.push(`the arguments of a tool call are not valid JSON: ${source.slice(0, 80)}`)
    return source
  }
}

export function callOf(name: string, given: unknown, signature?: string): ToolUse {
  return { name, arguments: given, ...(signature && { signature }) }
}
