import type { Bench } from '../bench.ts'
import type { Extent } from '../extent.ts'
import type { Adapter, ProviderFacts, UpstreamFacts } from '../facts.ts'

/** What a check looks at. */
export interface Subject {
  readonly adapter: Adapter<unknown>
  readonly facts: ProviderFacts<unknown>
  readonly bench: Bench
  readonly extent: Extent
  /** Puts the adapter to work once more, by itself; or another in its place. */
  open(adapter?: Adapter<unknown>): Promise<Bench>
}

/** A subject with an upstream. */
export interface RemoteSubject extends Subject {
  readonly upstream: UpstreamFacts
}

/** One thing that an adapter must do. */
export interface Check<S = Subject> {
  /** A sentence whose subject is the adapter: `sends its credential …`. */
  readonly name: string
  /** What it finds would make every other check fail: none is run after that. */
  readonly isGate?: true
  /** Resolves with what is to be mended, in words for the adapter's author; empty = nothing. */
  run(subject: S): Promise<readonly string[]>
}

/** A check of more than the subject that every check has. */
export function over<S>({ run, ...check }: Check<S>, widen: (subject: Subject) => S): Check {
  return { ...check, run: (subject) => run(widen(subject)) }
}

/** Each finding once. */
export function distinct(findings: readonly string[]): string[] {
  return [...new Set(findings)]
}

/** The value of a promise, or undefined when it takes longer. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  const value = await Promise.race([promise, late])
  clearTimeout(timer)
  return value
}
