import { backup } from './backup/backup.ts'
import { check } from './backup/check.ts'
import type { Finding } from './backup/finding.ts'
import { type Rebuilt, rebuild } from './backup/rebuild.ts'
import { restore } from './backup/restore.ts'
import { type BudgetAlerts, createAlerts } from './budgets/alerts.ts'
import { removeBudget, setBudget } from './budgets/defined.ts'
import { endDoubt, silentLives } from './budgets/doubts.ts'
import { heldAmounts, releaseHeld } from './budgets/held.ts'
import { budgetStatuses } from './budgets/status.ts'
import type { StoreBudgets } from './budgets/store-budgets.ts'
import { type Connection, openConnection } from './database/connection.ts'
import { keepZone } from './database/day-zones.ts'
import { migrate } from './database/migrate.ts'
import { transact } from './database/transaction.ts'
import { unusable } from './database/unusable.ts'
import { journalFolder, livesIn } from './journal/life.ts'
import { changeKey, revokeKey, rotateKey } from './keys/change.ts'
import { createKey, keyById, listKeys } from './keys/keys.ts'
import { createTakeOver } from './ledger/over.ts'
import { createPutAside } from './ledger/put-aside.ts'
import { countLacking, type TakeParts, takeRunning } from './ledger/take.ts'
import type { Schema } from './schema/declare.ts'
import { STORE } from './schema/tables.ts'
import { type Keys, placeOf, type StoreOptions } from './store.ts'
import { createUsage, type Usage } from './usage/usage.ts'
import { createUsageCalls } from './usage/usage-calls.ts'

/** Store for a single command. It runs its SQL on the current thread, and can be open while a gateway runs. */
export interface Archive {
  readonly keys: Omit<Keys, 'holder' | 'configure'>
  readonly usage: Usage
  readonly budgets: Pick<StoreBudgets, 'list' | 'set' | 'remove' | 'silent' | 'end' | 'held' | 'releaseHeld'>
  readonly alerts: Pick<BudgetAlerts, 'list'>
  /** Ingests all journals in the data directory, also of running gateways. @throws the store's error */
  takeIn(): Promise<void>
  /**
   * Copies the store into a file, SQLite as SQLite and Postgres as lines of JSON, after ingesting the journals.
   * @throws HeadgateError if the file exists
   */
  backup(file: string): Promise<void>
  /**
   * Restores a backup of either kind. Resolves with its number of rows.
   * @throws HeadgateError if the store is not empty, or the file is not a backup
   */
  restore(file: string): Promise<number>
  /** Reads the whole store and returns inconsistencies. */
  check(): Promise<readonly Finding[]>
  /** Rebuilds derived tables from rows, as far back as the store has every row; also while a gateway runs. */
  rebuild(): Promise<Rebuilt>
  close(): Promise<void>
}

export interface ArchiveOptions extends Pick<StoreOptions, 'dataDir' | 'databaseUrl' | 'zone' | 'onProblem'> {
  /** Schemas of further packages, for backups and restores. Default: none. */
  readonly schemas?: readonly Schema[]
}

/** Opens the store, or creates it. @throws HeadgateError with the reason and what to do. */
export async function openArchive(options: ArchiveOptions): Promise<Archive> {
  const { dataDir, onProblem } = options
  const schemas = [STORE, ...(options.schemas ?? [])]
  const connection = await openConnection(placeOf(options))
  const zone = await migrated(connection, schemas, options)
  const parts: TakeParts = {
    connection,
    dataDir,
    zone,
    aside: createPutAside(dataDir),
    onPutAside: onProblem,
    onProblem,
  }
  const takeOver = createTakeOver(parts)
  const takeIn = async (): Promise<void> => {
    await takeOver()
    for (const life of livesIn(journalFolder(dataDir))) await takeRunning(parts, life)
  }
  let behind = 0
  /**
   * Stored rows can be shown even if the store accepts no new ones: another process is writing, or its disk is full.
   */
  const takeInIfPossible = async (): Promise<void> => {
    behind = 0
    try {
      await takeIn()
    } catch (error) {
      const count = await lacking(parts)
      behind = count ?? 0
      onProblem(
        `The newest usage rows${count === undefined ? '' : `, ${count} of them,`} are still in the journal: ${reasonOf(error)}`,
      )
    }
  }
  const fresh = async <Read>(read: () => Promise<Read>): Promise<Read> => {
    await takeInIfPossible()
    return read()
  }
  return {
    keys: {
      create: (key) => createKey(connection, key, Date.now(), zone),
      list: (query) => listKeys(connection, query),
      get: (id) => keyById(connection, id),
      change: (id, change, version) => changeKey(connection, id, change, version),
      rotate: (id, rotation) => rotateKey(connection, id, rotation),
      revoke: (idOrName) => revokeKey(connection, idOrName),
    },
    usage: createUsage({
      takeIn: takeInIfPossible,
      calls: createUsageCalls(connection, async () => zone),
      behind: () => behind,
    }),
    budgets: {
      list: () => budgetStatuses(connection),
      set: (budget) => setBudget(connection, budget, zone),
      remove: (id) => removeBudget(connection, id),
      // An ended process with its journal here reports its own spending.
      silent: () => fresh(() => silentLives(parts)),
      end: (life, how) => fresh(() => endDoubt(parts, life, how)),
      held: (query) => fresh(() => heldAmounts(connection, query)),
      releaseHeld: (release) => fresh(() => releaseHeld(parts, release)),
    },
    alerts: { list: createAlerts({ connection }).list },
    takeIn,
    backup: async (file) => {
      await takeIn()
      await backup(connection, file, { schemas })
    },
    restore: (file) => restore(connection, file, schemas),
    check: () => check(connection, { zone }),
    rebuild: () => rebuild(connection, { zone }),
    close: () => connection.close(),
  }
}

/** Migrates the store to the newest version. Resolves with its time zone, which only a start of the gateway changes. */
async function migrated(
  connection: Connection,
  schemas: readonly Schema[],
  { zone, ...place }: Pick<StoreOptions, 'dataDir' | 'databaseUrl' | 'zone'>,
): Promise<string> {
  try {
    const own = zone ?? 'UTC'
    await migrate(connection, schemas)
    return (await transact(connection, (trx) => keepZone(connection, trx, own))).zone
  } catch (error) {
    await connection.close()
    throw unusable(placeOf(place), error)
  }
}

/** Number of journal rows that are missing in the store; undefined if the store does not answer. */
async function lacking(parts: TakeParts): Promise<number | undefined> {
  try {
    let count = 0
    for (const life of livesIn(journalFolder(parts.dataDir))) count += await countLacking(parts, life)
    return count
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
