import type { Adapter, ProviderFacts, UpstreamFacts } from '../facts.ts'
import type { Harness } from '../harness.ts'
import type { TestScope } from '../scope.ts'

/** Target of a check. */
export interface CheckTarget {
  readonly adapter: Adapter<unknown>
  readonly facts: ProviderFacts<unknown>
  readonly harness: Harness
  readonly scope: TestScope
  /** Starts another harness, with this adapter or with another. */
  open(adapter?: Adapter<unknown>): Promise<Harness>
}

/** Target with an upstream. */
export interface RemoteTarget extends CheckTarget {
  readonly upstream: UpstreamFacts
}

/** A single requirement for an adapter. */
export interface Check<S = CheckTarget> {
  /** Predicate of a sentence about the adapter, for example `sends its credential …`. */
  readonly name: string
  /** A finding would make every later check fail: no check runs after it. */
  readonly isGate?: true
  /** Resolves with the problems to fix, addressed to the adapter's author. Empty if the adapter passes. */
  run(target: S): Promise<readonly string[]>
}

/** Adapts a check of a more specific target to the common target. */
export function over<S>({ run, ...check }: Check<S>, widen: (target: CheckTarget) => S): Check {
  return { ...check, run: (target) => run(widen(target)) }
}

/** Findings without duplicates. */
export function distinct(findings: readonly string[]): string[] {
  return [...new Set(findings)]
}

/** Value of a promise; undefined after the timeout in milliseconds. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  const value = await Promise.race([promise, late])
  clearTimeout(timer)
  return value
}
