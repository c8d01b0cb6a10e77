import type { ListStore } from '@headgate/core/store'
import { createKey, type NewKey, revokeKey, type StoredKey } from '../keys/keys.ts'
import { createTakeOver } from '../ledger/over.ts'
import { type Position, type TakeParts, takeLife } from '../ledger/take.ts'
import { createListStore } from '../lists/model-lists.ts'
import type { PriceRow } from '../prices/row.ts'
import { addPrices } from '../prices/stored.ts'
import { type Retention, retain } from '../retention/retention.ts'
import { forgetTaken } from '../usage/write.ts'

/** What the main thread may have written. */
export type WriterCalls = {
  /**
   * Takes this process's journal into the store, and now and then those of lives that are over. Resolves with whether time was over
   * before their end: ask again.
   */
  take(upTo: Position): Promise<boolean>
  /** Forgets how far this process's journal is taken, which is about to go. */
  forget(): Promise<void>
  createKey(key: NewKey): Promise<{ readonly key: string; readonly stored: StoredKey }>
  revokeKey(idOrName: string): Promise<StoredKey | undefined>
  writeList: ListStore['write']
  addPrices(rows: readonly PriceRow[]): Promise<void>
  /** Deletes some of what is kept no longer, and makes room for what comes. Resolves with whether there is more: ask again. */
  retain(): Promise<boolean>
  close(): Promise<void>
}

export interface WriterParts extends TakeParts {
  /** The life of this process. */
  readonly life: string
  readonly retention: Retention
}

/** How often it is looked for lives that are over, in milliseconds. */
const LIVES = 10_000
/** After how long a take stops behind the next segment, in milliseconds: far less than whoever asks waits. */
const TAKE = 5_000

export function createWriterCalls(parts: WriterParts): WriterCalls {
  const { connection, life, retention } = parts
  const takeOver = createTakeOver(parts, life)
  let from: Position | undefined
  let looked = Number.NEGATIVE_INFINITY
  let taking: Promise<unknown> = Promise.resolve()

  const takeSome = async (upTo: Position): Promise<boolean> => {
    const until = performance.now() + TAKE
    const { isAll, ...at } = await takeLife(parts, life, { ...(from && { from }), upTo, until })
    from = at
    if (!isAll) return true
    if (performance.now() - looked < LIVES) return false
    looked = performance.now()
    if (await takeOver(until)) return false
    looked = Number.NEGATIVE_INFINITY
    return true
  }

  return {
    take: (upTo) => {
      // One after the other.
      const taken = taking.then(() => takeSome(upTo))
      taking = taken.catch(() => {})
      return taken
    },
    forget: () => forgetTaken(connection, life),
    createKey: (key) => createKey(connection, key),
    revokeKey: (idOrName) => revokeKey(connection, idOrName),
    writeList: createListStore(connection).write,
    addPrices: (rows) => addPrices(connection, rows),
    retain: async () => (await retain(connection, { ...retention, zone: parts.zone })).isMore,
    async close() {
      await taking
      await connection.close()
    },
  }
}
