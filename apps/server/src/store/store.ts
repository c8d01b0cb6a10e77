import type { ListStore } from '@headgate/core'
import { openDatabase } from './database.ts'
import { createKeyStore, type KeyStore } from './keys.ts'
import { createLedger, type StoreLedger } from './ledger.ts'
import { createListStore } from './model-lists.ts'
import { createPutAside } from './put-aside.ts'
import { createSpill } from './spill.ts'
import { createUsageTable, type UsageTable } from './usage.ts'

/** The embedded store: keys, usage and lists of models in one SQLite file of the data directory. */
export interface Store {
  readonly keys: KeyStore
  readonly usage: UsageTable
  readonly ledger: StoreLedger
  readonly lists: ListStore
  /** Writes what waits. */
  close(): void
}

/** Opens the store, and makes it where there is none. `onProblem` is told when it can not be written any more. */
export function openStore(dataDir: string, onProblem: (message: string) => void): Store {
  const database = openDatabase(dataDir)
  const usage = createUsageTable(database)
  const ledger = createLedger({ table: usage, spill: createSpill(dataDir), aside: createPutAside(dataDir), onProblem })
  return {
    keys: createKeyStore(database),
    usage,
    ledger,
    lists: createListStore(database),
    close: () => {
      ledger.close()
      database.close()
    },
  }
}
