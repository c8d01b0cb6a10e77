import type { ListStore, TaskStore } from '@headgate/core/store'
import { readSetting } from '../database/settings.ts'
import { createKey, type NewKey, revokeKey, type StoredKey } from '../keys/keys.ts'
import { createTakeOver } from '../ledger/over.ts'
import { type Position, type TakeParts, takeLife } from '../ledger/take.ts'
import { createListStore } from '../lists/model-lists.ts'
import type { PriceRow } from '../prices/row.ts'
import { addPrices } from '../prices/stored.ts'
import { type Retention, retain } from '../retention/retention.ts'
import { createTaskStore } from '../tasks/tasks.ts'
import { moveDays } from '../usage/move-days.ts'
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
  addTask: TaskStore['add']
  changeTask: TaskStore['change']
  claimTasks: TaskStore['claim']
  holdTask: TaskStore['hold']
  removeTask: TaskStore['remove']
  /** Deletes some of what is kept no longer, and makes room for what comes. Resolves with whether there is more: ask again. */
  retain(): Promise<boolean>
  /** Moves some of the sums of days to this process's time zone. Resolves with whether there is more: ask again. */
  moveDays(): Promise<boolean>
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
  const tasks = createTaskStore(connection)
  let from: Position | undefined
  let looked = Number.NEGATIVE_INFINITY
  /** The zone that is still to be moved to: once a process, or two that do not agree would never end. */
  let zone: string | undefined = parts.zone
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
    addTask: tasks.add,
    changeTask: tasks.change,
    claimTasks: tasks.claim,
    holdTask: tasks.hold,
    removeTask: tasks.remove,
    retain: async () => (await retain(connection, { ...retention, zone: parts.zone })).isMore,
    async moveDays() {
      const move = await moveDays(connection, { ...(zone && { zone }) })
      if (move === 'begun')
        parts.onProblem(`The days of sums begin in the time zone ${parts.zone} from now on. Those that are there are moved.`)
      const isMore = move !== 'done' || (zone !== undefined && (await readSetting(connection, 'zone')) !== zone)
      if (move === 'begun' || !isMore) zone = undefined
      return isMore
    },
    async close() {
      await taking
      await connection.close()
    },
  }
}
