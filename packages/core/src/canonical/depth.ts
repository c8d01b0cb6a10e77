/** Maximum nesting of a JSON value, which limits recursion. */
export const MAX_DEPTH = 512

/** True for a JSON value that is nested deeper than {@link MAX_DEPTH}, or cyclic. */
export function isTooDeep(value: unknown, levels: number = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels < 0) return true
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levels - 1))
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], levels - 1)) return true
  return false
}
