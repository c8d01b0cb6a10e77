import { join } from 'node:path'
import type { ListStore, PriceBook, Principal, ResponseStore, TaskStore } from '@headgate/gateway/ports'
import type { BudgetAlerts } from './budgets/alerts.ts'
import { createBudgets } from './budgets/engine.ts'
import { BUDGET_TIMES } from './budgets/lease-client.ts'
import { createKeeper, createStoreBudgets, engineStore, type StoreBudgets } from './budgets/store-budgets.ts'
import { openConnection } from './database/connection.ts'
import { keepZone } from './database/day-zones.ts'
import type { StoreLocation } from './database/location.ts'
import { migrate } from './database/migrate.ts'
import { transact } from './database/transaction.ts'
import { unusable } from './database/unusable.ts'
import { openJournal } from './journal/journal.ts'
import { removeRun } from './journal/process-run.ts'
import type { Fsync } from './journal/sync.ts'
import type { KeyChange, KeyVersion, Rotation } from './keys/change.ts'
import { createKeyLookup, type KeyLookup } from './keys/key-lookup.ts'
import type { IssuedKey, KeyQuery, NewKey } from './keys/keys.ts'
import type { ConfiguredPrincipal } from './keys/principals.ts'
import type { StoredKey } from './keys/stored.ts'
import { createLedger, type StoreLedger } from './ledger/ledger.ts'
import { type CurrentPrice, changedPrices } from './prices/changed-prices.ts'
import { createPriceHistory } from './prices/price-history.ts'
import type { Retention } from './retention/retention.ts'
import type { StoreReaderData, StoreWriterData } from './threads/data.ts'
import { createMaintenance } from './threads/maintenance.ts'
import type { ReaderCalls } from './threads/reader.ts'
import { type CallLimits, createThread, type WorkerThread } from './threads/thread.ts'
import type { WriterCalls } from './threads/writer.ts'
import type { Traces } from './traces/traces.ts'
import { createUsage, type UsageQueries } from './usage/usage.ts'

/** API keys of callers. */
export interface Keys {
  /** Creates a key. Only this call returns the key itself. */
  create(key: NewKey): Promise<IssuedKey>
  /** Keys in order of creation, including revoked ones. */
  list(query?: KeyQuery): Promise<readonly StoredKey[]>
  /**
   * Changes a key: undefined keeps a field, null removes it. Resolves with undefined for an unknown id.
   * @throws HeadgateError `conflict`: 412 if `version` is not the current version, 409 if the key is revoked
   */
  change(id: string, change: KeyChange, version?: KeyVersion): Promise<StoredKey | undefined>
  /**
   * Creates another secret for a key. The previous one works until the overlap ends. Resolves with undefined for an
   * unknown id.
   * @throws HeadgateError `conflict`, as `change` does
   */
  rotate(id: string, rotation: Rotation): Promise<IssuedKey | undefined>
  /**
   * Revokes the key with this id, or else with this name. Resolves with undefined if no key or more than one has the
   * name. Repeating it changes nothing.
   */
  revoke(idOrName: string): Promise<StoredKey | undefined>
  /** Key with this id, also if it is revoked or expired. */
  get(id: string): Promise<StoredKey | undefined>
  /**
   * Principal of a key, by its hash; undefined if the key is unknown, expired or revoked. Synchronous if the key is
   * cached.
   * @throws HeadgateError `unavailable` while the store does not answer, for a key that was not verified in the last
   * hour
   */
  findByHash(hash: string): Principal | undefined | Promise<Principal | undefined>
  /** Stores the principals of configured keys, so that usage can be grouped by their project and environment. */
  configure(principals: readonly ConfiguredPrincipal[]): Promise<void>
}

/** Current and past prices of models: a gateway's `prices`. */
export interface Prices extends PriceBook {
  /** Sets the current prices. Changes apply from now on and are stored. */
  update(current: readonly CurrentPrice[]): Promise<void>
}

/** Persistent state of a gateway. The thread that opens it runs no SQL; a writer thread and a reader thread do. */
export interface Store {
  readonly keys: Keys
  readonly usage: UsageQueries
  readonly ledger: StoreLedger
  readonly lists: ListStore
  readonly prices: Prices
  readonly tasks: TaskStore
  /** Responses that later requests may refer to. */
  readonly answers: ResponseStore
  readonly budgets: StoreBudgets
  readonly alerts: BudgetAlerts
  readonly traces: Traces
  /**
   * Counters that increase with each change of `keys`, `budgets` and `prices` by any process. Absent until the first
   * change.
   */
  versions(): Promise<Readonly<Record<string, number>>>
  /**
   * Number of quarantined usage rows since the start: the store rejected them, and they are in a file of the data
   * directory.
   */
  quarantined(): number
  /**
   * Ingests the journal and closes the store. Rows that an unreachable store does not accept stay in the journal until
   * the next start.
   */
  close(): Promise<void>
}

export interface StoreOptions {
  /** Absolute path of the folder with the journal, and with `headgate.db` if there is no `databaseUrl`. */
  readonly dataDir: string
  /** `postgres://…`; default: SQLite in the data directory. */
  readonly databaseUrl?: string
  /** Time zone in which days begin; default `UTC`. If the store has another one, its days are moved. */
  readonly zone?: string
  /** Policy for syncing the journal to the disk; default `interval`, each second. */
  readonly fsync?: Fsync
  readonly retention?: Retention
  /** Called with problems that an operator should know. */
  onProblem(message: string): void
  /**
   * Called when alerts may be due: 50, 80 or 100 % of a budget is spent, once per window. Also check for alerts at the
   * start and every minute, since alerts of killed processes or of commands trigger no call.
   */
  onAlert?(): void
}

/** Maximum time to ingest the last rows at the end, in milliseconds. After it they stay in the journal. */
const LAST = 5_000
/** Interval of deleting expired data, in milliseconds. */
const RETAIN = 3_600_000
/**
 * Time limits of maintenance steps, in milliseconds. A step is short, but may wait for locks, and a timeout on a busy
 * disk would only repeat it.
 */
const LIMITS: CallLimits<WriterCalls> = { retain: 120_000, moveDays: 120_000 }

/** Location of the store of a data directory. */
export function locationOf({ dataDir, databaseUrl }: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>): StoreLocation {
  return databaseUrl === undefined ? { file: join(dataDir, 'headgate.db') } : { url: databaseUrl }
}

/** Opens the store, or creates it. @throws HeadgateError with the reason and what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, zone = 'UTC', fsync, onProblem } = options
  const place = locationOf(options)
  const isMoving = await migrateStore(place, zone)
  const journal = openJournal({ dataDir, onProblem, fsync })
  const threads = openThreads(options, place, journal.run)
  const { writer, reader } = threads
  const store = engineStore({ writer, reader }, journal.run, once(writer.ingestEnded))
  const engine = createBudgets({ journal, store, onProblem })
  const keeper = createKeeper({ engine, reader, run: journal.run, every: BUDGET_TIMES.heartbeat })
  const ledger = createLedger({ journal, budgets: engine, cut: threads.cut, ingestUpTo: writer.ingestUpTo, onProblem })
  const keyLookup = createKeyLookup({
    lookUp: async (hash) => {
      const found = await reader.keyByHash(hash)
      // The engine must know the budgets of a key before the key can spend.
      if (found) engine.learn(found.budgets)
      return found?.held
    },
  })
  const { prices, refresh: refreshPrices } = createPrices(threads)
  threads.on({
    'keys-changed': keyLookup.changed,
    'keys-confirmed': keyLookup.confirmed,
    'budgets-changed': () => void keeper.refresh().catch(() => {}),
    'prices-changed': () => void refreshPrices().catch(() => {}),
    'budgets-recalled': keeper.recalled,
    'budget-alert': () => options.onAlert?.(),
  })
  const maintenance = startMaintenance(writer, { zone, onProblem })
  if (isMoving) void maintenance.moving.run()
  await keeper
    .refresh()
    .catch((error: unknown) => onProblem(`Budgets could not be read and are retried: ${String(error)}`))

  return {
    keys: createKeys(threads, keyLookup),
    usage: createUsage({
      // Stored rows can be shown even if the store accepts no new ones. The ledger has reported that by then.
      ingest: () => ledger.ingest().catch(() => {}),
      calls: reader,
      behind: () => (ledger.stored() ? 0 : ledger.behind()),
    }),
    ledger,
    lists: { read: reader.readList, write: writer.writeList },
    prices,
    answers: {
      put: writer.putAnswer,
      find: reader.findAnswers,
      known: reader.knownAnswers,
      remove: writer.removeAnswer,
    },
    tasks: {
      add: writer.addTask,
      change: writer.changeTask,
      get: reader.readTask,
      list: reader.listTasks,
      claim: writer.claimTasks,
      hold: writer.holdTask,
      remove: writer.removeTask,
    },
    budgets: createStoreBudgets({ engine, writer, reader, zone, refresh: keeper.refresh }),
    alerts: {
      take: writer.takeAlerts,
      done: writer.alertDone,
      drop: writer.dropAlert,
      later: writer.alertLater,
      list: reader.listAlerts,
    },
    traces: { add: writer.addTrace, read: reader.readTrace },
    versions: reader.versions,
    quarantined: threads.quarantined,
    async close() {
      keeper.end()
      maintenance.retaining.end()
      maintenance.moving.end()
      await within(LAST, ledger.ingest())
      ledger.abandon()
      // Requests in progress are in the journal only.
      const isOver = ledger.isIngested() && engine.underway() === 0 && (await within(LAST, writer.forget()))
      await threads.close()
      if (isOver) removeRun(journal.folder)
    },
  }
}

/** Handlers of announcements from threads, by name. */
type Handlers = Readonly<Record<string, (value: unknown) => void>>

interface StoreThreads {
  readonly writer: WorkerThread<WriterCalls>['calls']
  readonly reader: WorkerThread<ReaderCalls>['calls']
  /** Sets the handlers. Announcements without a handler are reported as problems. */
  on(handlers: Handlers): void
  /** Number of quarantined rows. */
  quarantined(): number
  cut(): number
  close(): Promise<void>
}

function openThreads(options: StoreOptions, place: StoreLocation, run: string): StoreThreads {
  const { dataDir, zone = 'UTC', retention = {}, onProblem } = options
  let quarantined = 0
  let cut = 0
  let handlers: Handlers = {}
  const onAnnouncement = (name: string, value: unknown): void => {
    const { message = value, rows = 0 } = Object(value)
    cut += Number(rows)
    if (name === 'quarantined') quarantined += 1
    const handle = handlers[name] ?? (() => onProblem(String(message)))
    handle(value)
  }
  const writerData: StoreWriterData = { place, dataDir, run, zone, retention }
  const readerData: StoreReaderData = { place }
  const common = { onAnnouncement, onProblem }
  const writer = createThread<WriterCalls>({
    ...common,
    file: workerFile('writer'),
    data: writerData,
    limits: LIMITS,
  })
  const reader = createThread<ReaderCalls>({ ...common, file: workerFile('reader'), data: readerData })
  return {
    writer: writer.calls,
    reader: reader.calls,
    on: (given) => {
      handlers = given
    },
    quarantined: () => quarantined,
    cut: () => cut,
    close: async () => {
      await Promise.all([writer.close(), reader.close()])
    },
  }
}

function createKeys({ writer, reader }: StoreThreads, keyLookup: KeyLookup): Keys {
  const { changed } = keyLookup
  return {
    create: (key) => writer.createKey(key).finally(changed),
    list: reader.listKeys,
    change: (id, change, version) => writer.changeKey(id, change, version).finally(changed),
    rotate: (id, rotation) => writer.rotateKey(id, rotation).finally(changed),
    configure: writer.configurePrincipals,
    get: reader.keyById,
    revoke: (idOrName) => writer.revokeKey(idOrName).finally(changed),
    findByHash: keyLookup.findByHash,
  }
}

function createPrices({ writer, reader }: StoreThreads): { readonly prices: Prices; refresh(): Promise<void> } {
  const book = createPriceHistory([])
  return {
    prices: {
      priceOf: book.priceOf,
      async update(current) {
        const known = await reader.readPrices()
        const changed = changedPrices(known, current, Date.now())
        if (changed.length > 0) await writer.addPrices(changed)
        book.add([...known, ...changed])
      },
    },
    refresh: async () => book.add(await reader.readPrices()),
  }
}

function startMaintenance(
  writer: StoreThreads['writer'],
  { zone, onProblem }: Pick<StoreOptions, 'zone' | 'onProblem'>,
) {
  const retaining = createMaintenance({
    step: writer.retain,
    onProblem: (error) => onProblem(`Expired data could not be deleted: ${String(error)}`),
    every: RETAIN,
  })
  const moving = createMaintenance({
    step: writer.moveDays,
    onProblem: (error) => onProblem(`Daily sums could not be moved to the time zone ${zone}: ${String(error)}`),
  })
  return { retaining, moving }
}

/** Runs a function at the first call, and ignores its failure. */
function once(act: () => Promise<unknown>): () => Promise<unknown> {
  let begun: Promise<unknown> | undefined
  return () => (begun ??= act().catch(() => {}))
}

/** Migrates the store to the newest version. Resolves with true if its days must be moved to another time zone. */
async function migrateStore(place: StoreLocation, zone: string): Promise<boolean> {
  const connection = await openConnection(place)
  try {
    await migrate(connection)
    const zones = await transact(connection, (trx) => keepZone(connection, trx, zone))
    return zones.zone !== zone || zones.before !== undefined
  } catch (error) {
    throw unusable(place, error)
  } finally {
    await connection.close()
  }
}

/** File next to this module, in the source and in the build. */
function workerFile(name: string): URL {
  return new URL(`./${name}.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
}

/** Resolves with true once the promise is fulfilled, and with false if it rejects or the time limit passes. */
async function within(limit: number, done: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, limit, false)
  done.then(
    () => resolve(true),
    () => resolve(false),
  )
  const isDone = await promise
  clearTimeout(timer)
  return isDone
}
