/** Uses of the trace that a caller names. */
export const TRACINGS = ['parent', 'trusted', 'link', 'ignore'] as const

/**
 * Use of the trace that a caller names. `parent`: requests are part of it. `trusted`: the caller also decides whether
 * they are exported. `link`: requests have separate traces that link to it. `ignore`: it is not used.
 */
export type CallerTracing = (typeof TRACINGS)[number]

/**
 * True for a use of traces.
 *
 * @example
 * ```ts
 * isTracing('link') // true
 * ```
 */
export function isTracing(name: string): name is CallerTracing {
  return (TRACINGS as readonly string[]).includes(name)
}
