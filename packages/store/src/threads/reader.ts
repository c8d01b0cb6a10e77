import type { ListStore, TaskStore } from '@headgate/core/store'
import type { Connection } from '../database/connection.ts'
import { readSetting } from '../database/settings.ts'
import { changesOf } from '../keys/changes.ts'
import { keyByHash, keyById, listKeys, type StoredKey } from '../keys/keys.ts'
import { createListStore } from '../lists/model-lists.ts'
import type { PriceRow } from '../prices/row.ts'
import { readPrices } from '../prices/stored.ts'
import { createTaskStore } from '../tasks/tasks.ts'
import { type KeyUsage, type KeyUsageQuery, usageOfKey } from '../usage/of-key.ts'
import { type PageQuery, usagePage } from '../usage/page.ts'
import { type SeriesQuery, usageSeries } from '../usage/series.ts'
import { columnsOf, type SeriesColumns } from '../usage/series-columns.ts'
import type { StoredUsage } from '../usage/stored.ts'

/** What the main thread may ask for. */
export type ReaderCalls = {
  keyByHash(hash: string): Promise<StoredKey | undefined>
  keyById(id: string): Promise<StoredKey | undefined>
  listKeys(): Promise<readonly StoredKey[]>
  readList: ListStore['read']
  readPrices(): Promise<readonly PriceRow[]>
  readTask: TaskStore['get']
  listTasks: TaskStore['list']
  usagePage(query: PageQuery): Promise<readonly StoredUsage[]>
  usageSeries(query: SeriesQuery): Promise<SeriesColumns>
  usageOfKey(query: Omit<KeyUsageQuery, 'zone'>): Promise<KeyUsage>
  close(): Promise<void>
}

export function createReaderCalls(connection: Connection): ReaderCalls {
  const tasks = createTaskStore(connection)
  const zoneOf = async (): Promise<string> => (await readSetting(connection, 'zone')) ?? 'UTC'
  return {
    keyByHash: (hash) => keyByHash(connection, hash),
    keyById: (id) => keyById(connection, id),
    listKeys: () => listKeys(connection),
    readList: createListStore(connection).read,
    readPrices: () => readPrices(connection),
    readTask: tasks.get,
    listTasks: tasks.list,
    usagePage: (query) => usagePage(connection, query),
    usageSeries: async (query) => columnsOf(await usageSeries(connection, { zone: await zoneOf(), ...query })),
    usageOfKey: async (query) => usageOfKey(connection, { zone: await zoneOf(), ...query }),
    close: () => connection.close(),
  }
}

/** How often it is looked whether another process has made or revoked a key, in milliseconds. */
const WATCH = 500
/** How often at most it is said that none has, in milliseconds. */
const CONFIRM = 60_000

export interface KeyWatch {
  /** Keys have changed, or may have. */
  onChange(): void
  /** No key has: what is remembered of them is true now. */
  onConfirm(): void
}

/** Looks for as long as the thread lives. While the store is away nothing is said. */
export function watchKeys(connection: Connection, { onChange, onConfirm }: KeyWatch): void {
  let version: number | undefined
  let confirmed = Number.NEGATIVE_INFINITY
  const look = async (): Promise<void> => {
    try {
      const found = await changesOf(connection, 'keys')
      const now = performance.now()
      // At first too: what was remembered before is from the reader before.
      if (found !== version) onChange()
      else if (now - confirmed >= CONFIRM) {
        onConfirm()
        confirmed = now
      }
      version = found
    } catch {
      // Whoever asks for a key is told.
    }
    setTimeout(look, WATCH)
  }
  void look()
}
