import type { HostedTools } from '../../canonical/format.ts'

/** Fields of tools that the caller runs. */
const CALLERS: ReadonlySet<string> = new Set([
  'functionDeclarations',
  'function_declarations',
  'computerUse',
  'computer_use',
])

/**
 * Hosted tools of a request.
 * @see https://ai.google.dev/api/caching#Tool
 */
export const hostedTools: HostedTools = {
  declared: (tool, at) =>
    Object.entries(tool).flatMap(([name, value]) =>
      CALLERS.has(name) || !isOn(value) ? [] : [{ name, at: `${at}.${name}`, most: undefined }],
    ),
}

function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
}
