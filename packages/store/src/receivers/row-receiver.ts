import type { UsageRow } from '@headgate/gateway/ports'
import type { RecordedRefusal } from '../refusals/batch.ts'

/** Receiver of usage rows, such as an exporter of traces. It runs in the writer thread. */
export interface RowReceiver {
  /**
   * Takes rows of this node before the store has them. Rows can be repeated after a crash, with the same id. Must not
   * throw, and must not take long.
   */
  rows(rows: readonly UsageRow[]): void
  /** Takes recorded refused requests of this node. Same conditions as for rows. Default: they are not passed on. */
  refused?(refusals: readonly RecordedRefusal[]): void
  close(): Promise<void>
}

/** Parts that a receiver can use. */
export interface RowReceiverOptions {
  /** Called with problems that an operator should know. */
  onProblem(message: string): void
}

/** Module of a receiver. */
export interface RowReceiverModule {
  createRowReceiver(data: unknown, options: RowReceiverOptions): RowReceiver
}

/** Receiver to load in the writer thread. */
export interface RowReceiverPlace {
  /** URL of a module that exports {@link RowReceiverModule}. */
  readonly module: string
  /** Data for it, which is copied to the thread. */
  readonly data: unknown
}

/** Receivers of the rows of journals. */
export interface JournalReceiver {
  /** Passes on the rows of a process run, and leaves out rows that were passed on before, since ingestion can be repeated. */
  rows(run: string, rows: readonly UsageRow[]): void
  refused(refusals: readonly RecordedRefusal[]): void
  close(): Promise<void>
}

/**
 * Loads receivers.
 * @param more receivers that are already open
 */
export async function openReceivers(
  places: readonly RowReceiverPlace[],
  options: RowReceiverOptions,
  more: readonly RowReceiver[] = [],
): Promise<JournalReceiver | undefined> {
  if (places.length === 0 && more.length === 0) return undefined
  const loaded = await Promise.all(
    places.map(async ({ module, data }) => {
      const { createRowReceiver }: RowReceiverModule = await import(module)
      return createRowReceiver(data, options)
    }),
  )
  const receivers = [...loaded, ...more]
  /** Id of the newest row by process run. */
  const newest = new Map<string, string>()
  return {
    rows(run, rows) {
      const last = rows.at(-1)
      if (!last) return
      const known = newest.get(run)
      const fresh = rows.slice(rows.findLastIndex(({ id }) => id === known) + 1)
      newest.set(run, last.id)
      if (fresh.length > 0) for (const receiver of receivers) receiver.rows(fresh)
    },
    refused(refusals) {
      if (refusals.length > 0) for (const receiver of receivers) receiver.refused?.(refusals)
    },
    async close() {
      await Promise.all(receivers.map((receiver) => receiver.close()))
    },
  }
}
