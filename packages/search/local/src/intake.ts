import { setImmediate as turn } from 'node:timers/promises'
import type { IndexProgress, IndexReport } from '@headgate/core/search'
import type { Change } from './document.ts'
import type { Entry, IndexStore } from './store.ts'

/** Limits of a batch, whichever is reached first. */
const BATCH = { changes: 100, milliseconds: 200, characters: 8_000_000 }

/** Result of reading a document. */
export type ReadOutcome =
  | Change
  /** Unchanged. */
  | { readonly kind: 'same'; readonly path: string }
  /** Currently unavailable: its entry in the index is kept. */
  | { readonly kind: 'unreached'; readonly path: string; readonly reason: string }

/** Collects the results of one pass over the sources, and writes them in batches. */
export interface Intake {
  known(path: string): Entry | undefined
  /** Announces further documents, for the progress. */
  expect(count: number): void
  take(outcome: ReadOutcome): Promise<void>
  /** Records a skipped path with its reason. */
  refuse(path: string, reason: string): Promise<void>
  /** Removes entries missing from the pass if `isGone` is true for their path. Resolves when everything is on disk. */
  finish(isGone: (path: string) => boolean): Promise<IndexReport>
}

export interface IntakeOptions {
  readonly store: IndexStore
  readonly signal: AbortSignal
  /** Called after each write to the disk. */
  onProgress(progress: IndexProgress): void
}

export function startIntake({ store, signal, onProgress }: IntakeOptions): Intake {
  const known = store.entries()
  const missing = new Set(known.keys())
  const unreached: { path: string; reason: string }[] = []
  let batch: Change[] = []
  let characters = 0
  let since = performance.now()
  let taken = 0
  let total = 0

  const flush = async () => {
    if (batch.length > 0) store.write(batch)
    batch = []
    characters = 0
    onProgress({ done: taken, total: Math.max(total, taken) })
    // Lets the thread receive messages.
    await turn()
    signal.throwIfAborted()
    since = performance.now()
  }
  const isFull = () =>
    batch.length >= BATCH.changes || characters >= BATCH.characters || performance.now() - since >= BATCH.milliseconds
  const add = async (change: Change) => {
    batch.push(change)
    if (change.kind === 'put') characters += change.document.text.length
    if (isFull()) await flush()
  }
  const take = async (outcome: ReadOutcome): Promise<void> => {
    const { path } = outcome
    missing.delete(path)
    taken++
    if (outcome.kind === 'same') return isFull() ? flush() : undefined
    if (outcome.kind !== 'unreached') return add(outcome)
    if (!known.get(path)?.hash) return add({ kind: 'skip', path, stamp: '', reason: outcome.reason })
    unreached.push({ path, reason: outcome.reason })
  }

  return {
    take,
    known: (path) => known.get(path),
    expect(count) {
      total += count
    },
    async refuse(path, reason) {
      const stamp = `refused: ${reason}`
      const isKnown = known.get(path)?.stamp === stamp
      await take(isKnown ? { kind: 'same', path } : { kind: 'skip', path, stamp, reason })
    },
    async finish(isGone) {
      for (const path of missing) if (isGone(path)) await add({ kind: 'remove', path })
      await flush()
      return { documents: store.documents(), skipped: [...store.skipped(), ...unreached] }
    },
  }
}
