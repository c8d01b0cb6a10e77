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
  /** Takes this process's journal into the store, and now and then those of lives that are over. */
  take(upTo: Position): Promise<void>
  /** Forgets how far this process's journal is taken, which is about to go. */
  forget(): Promise<void>
  createKey(key: NewKey): Promise<{ readonly key: string; readonly stored: StoredKey }>
  revokeKey(idOrName: string): Promise<StoredKey | undefined>
  writeList: ListStore['write']
  addPrices(rows: readonly PriceRow[]): Promise<void>
  /** Deletes what is kept no longer, and makes room for what comes. */
  retain(): Promise<void>
  close(): Promise<void>
}

export interface WriterParts extends TakeParts {
  /** The life of this process. */
  readonly life: string
  readonly retention: Retention
}

/** How often it is looked for lives that are over, in milliseconds. */
const LIVES = 10_000

export function createWriterCalls(parts: WriterParts): WriterCalls {
  const { connection, life, retention } = parts
  const takeOver = createTakeOver(parts, life)
  let from: Position | undefined
  let looked = Number.NEGATIVE_INFINITY
  let taking: Promise<unknown> = Promise.resolve()

  const takeAll = async (upTo: Position): Promise<void> => {
    from = await takeLife(parts, life, { ...(from && { from }), upTo })
    if (performance.now() - looked < LIVES) return
    looked = performance.now()
    await takeOver()
  }

  return {
    take: (upTo) => {
      // One after the other.
      const taken = taking.then(() => takeAll(upTo))
      taking = taken.catch(() => {})
      return taken
    },
    forget: () => forgetTaken(connection, life),
    createKey: (key) => createKey(connection, key),
    revokeKey: (idOrName) => revokeKey(connection, idOrName),
    writeList: createListStore(connection).write,
    addPrices: (rows) => addPrices(connection, rows),
    retain: async () => void (await retain(connection, { ...retention, zone: parts.zone })),
    async close() {
      await taking
      await connection.close()
    },
  }
}
