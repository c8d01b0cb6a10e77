import { backup } from './backup/backup.ts'
import { check } from './backup/check.ts'
import type { StoreFinding } from './backup/finding.ts'
import { type RebuildResult, rebuild } from './backup/rebuild.ts'
import { restore } from './backup/restore.ts'
import { type BudgetAlerts, createAlerts } from './budgets/alerts.ts'
import { removeBudget, setBudget } from './budgets/defined.ts'
import { heldAmounts, releaseHeld } from './budgets/held.ts'
import { endSilentRun, silentRuns } from './budgets/orphaned-leases.ts'
import { budgetStatuses } from './budgets/status.ts'
import type { StoreBudgets } from './budgets/store-budgets.ts'
import { openConnection, type StoreConnection } from './database/connection.ts'
import { keepZone } from './database/day-zones.ts'
import { migrate } from './database/migrate.ts'
import { transact } from './database/transaction.ts'
import { unusable } from './database/unusable.ts'
import { journalFolder, runsIn } from './journal/process-run.ts'
import { changeKey, revokeKey, rotateKey } from './keys/change.ts'
import { createKey, keyById, listKeys } from './keys/keys.ts'
import { createEndedRunIngest } from './ledger/ended-runs.ts'
import { countMissing, type IngestParts, ingestRunning } from './ledger/ingest.ts'
import { createQuarantine } from './ledger/quarantine.ts'
import type { StoreSchema } from './schema/declare.ts'
import { STORE } from './schema/tables.ts'
import { type Keys, locationOf, type StoreOptions } from './store.ts'
import { createUsage, type UsageQueries } from './usage/usage.ts'
import { createUsageCalls } from './usage/usage-calls.ts'

/** Store for a single command. It runs its SQL on the current thread, and can be open while a gateway runs. */
export interface CommandStore {
  readonly keys: Omit<Keys, 'findByHash' | 'configure'>
  readonly usage: UsageQueries
  readonly budgets: Pick<StoreBudgets, 'list' | 'set' | 'remove' | 'silent' | 'end' | 'held' | 'releaseHeld'>
  readonly alerts: Pick<BudgetAlerts, 'list'>
  /** Ingests all journals in the data directory, also of running gateways. @throws the store's error */
  ingest(): Promise<void>
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
  check(): Promise<readonly StoreFinding[]>
  /** Rebuilds derived tables from rows, as far back as the store has every row; also while a gateway runs. */
  rebuild(): Promise<RebuildResult>
  close(): Promise<void>
}

export interface CommandStoreOptions extends Pick<StoreOptions, 'dataDir' | 'databaseUrl' | 'zone' | 'onProblem'> {
  /** Schemas of further packages, for backups and restores. Default: none. */
  readonly schemas?: readonly StoreSchema[]
}

/** Opens the store, or creates it. @throws HeadgateError with the reason and what to do. */
export async function openCommandStore(options: CommandStoreOptions): Promise<CommandStore> {
  const { dataDir, onProblem } = options
  const schemas = [STORE, ...(options.schemas ?? [])]
  const connection = await openConnection(locationOf(options))
  const zone = await migrated(connection, schemas, options)
  const parts: IngestParts = {
    connection,
    dataDir,
    zone,
    quarantine: createQuarantine(dataDir),
    onQuarantine: onProblem,
    onProblem,
  }
  const ingestEnded = createEndedRunIngest(parts)
  const ingest = async (): Promise<void> => {
    await ingestEnded()
    for (const run of runsIn(journalFolder(dataDir))) await ingestRunning(parts, run)
  }
  let behind = 0
  /**
   * Stored rows can be shown even if the store accepts no new ones: another process is writing, or its disk is full.
   */
  const ingestIfPossible = async (): Promise<void> => {
    behind = 0
    try {
      await ingest()
    } catch (error) {
      const count = await lacking(parts)
      behind = count ?? 0
      onProblem(
        `The newest usage rows${count === undefined ? '' : `, ${count} of them,`} are still in the journal: ${reasonOf(error)}`,
      )
    }
  }
  const fresh = async <Read>(read: () => Promise<Read>): Promise<Read> => {
    await ingestIfPossible()
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
      ingest: ingestIfPossible,
      calls: createUsageCalls(connection, async () => zone),
      behind: () => behind,
    }),
    budgets: {
      list: () => budgetStatuses(connection),
      set: (budget) => setBudget(connection, budget, zone),
      remove: (id) => removeBudget(connection, id),
      // An ended process with its journal here reports its own spending.
      silent: () => fresh(() => silentRuns(parts)),
      end: (run, how) => fresh(() => endSilentRun(parts, run, how)),
      held: (query) => fresh(() => heldAmounts(connection, query)),
      releaseHeld: (release) => fresh(() => releaseHeld(parts, release)),
    },
    alerts: { list: createAlerts({ connection }).list },
    ingest,
    backup: async (file) => {
      await ingest()
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
  connection: StoreConnection,
  schemas: readonly StoreSchema[],
  { zone, ...place }: Pick<StoreOptions, 'dataDir' | 'databaseUrl' | 'zone'>,
): Promise<string> {
  try {
    const own = zone ?? 'UTC'
    await migrate(connection, schemas)
    return (await transact(connection, (trx) => keepZone(connection, trx, own))).zone
  } catch (error) {
    await connection.close()
    throw unusable(locationOf(place), error)
  }
}

/** Number of journal rows that are missing in the store; undefined if the store does not answer. */
async function lacking(parts: IngestParts): Promise<number | undefined> {
  try {
    let count = 0
    for (const run of runsIn(journalFolder(parts.dataDir))) count += await countMissing(parts, run)
    return count
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
