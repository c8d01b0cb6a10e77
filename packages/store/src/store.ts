import { join } from 'node:path'
import type {
  IdempotencyStore,
  ListStore,
  PriceBook,
  Principal,
  ResponseStore,
  SharedRates,
  TaskStore,
} from '@headgate/gateway/ports'
import type { AlertDestination, FiringChange } from './alert-destinations/destinations.ts'
import type { BudgetAlerts } from './budgets/alerts.ts'
import { createBudgets, type EngineStore } from './budgets/engine.ts'
import { BUDGET_TIMES } from './budgets/lease-client.ts'
import { type LostRunSearch, watchLostRuns } from './budgets/lost-run-watch.ts'
import { createKeeper, createStoreBudgets, engineStore, type StoreBudgets } from './budgets/store-budgets.ts'
import type { SealedCredential } from './credentials/credentials.ts'
import { openConnection } from './database/connection.ts'
import { keepZone } from './database/day-zones.ts'
import type { StoreLocation } from './database/location.ts'
import { migrate } from './database/migrate.ts'
import type { PartitionMode } from './database/partitions.ts'
import { transact } from './database/transaction.ts'
import { unusable } from './database/unusable.ts'
import { type Journal, openJournal } from './journal/journal.ts'
import type { Fsync } from './journal/sync.ts'
import type { KeyChange, KeyVersion, Rotation } from './keys/change.ts'
import { createKeyLookup, type KeyLookup } from './keys/key-lookup.ts'
import type { IssuedKey, KeyQuery, NewKey } from './keys/keys.ts'
import type { ConfiguredPrincipal } from './keys/principals.ts'
import type { StoredKey } from './keys/stored.ts'
import type { JournalPosition } from './ledger/ingest.ts'
import { createLedger, type StoreLedger } from './ledger/ledger.ts'
import { beginOwnRuns, type OwnRun, type OwnRuns } from './own-runs.ts'
import { type CurrentPrice, changedPrices } from './prices/changed-prices.ts'
import { createPriceHistory } from './prices/price-history.ts'
import type { UnpricedModel, UnpricedRequests } from './prices/reprice.ts'
import type { RowReceiverPlace } from './receivers/row-receiver.ts'
import type { RefusalStore } from './refusals/book.ts'
import type { Retention } from './retention/retention.ts'
import type { SinkState } from './sinks/exporter.ts'
import type { SinkPlace } from './sinks/sinks.ts'
import type { StoreReaderData, StoreWriterData } from './threads/data.ts'
import { createMaintenance } from './threads/maintenance.ts'
import type { ReaderCalls } from './threads/reader.ts'
import { type CallLimits, createThread, type WorkerThread } from './threads/thread.ts'
import type { WriterCalls } from './threads/writer.ts'
import type { Traces } from './traces/traces.ts'
import { createUsage, type UsageQueries } from './usage/usage.ts'
import { within } from './within.ts'

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
  /** Requests of a model that had no price when they began. */
  unpriced(model: UnpricedModel): Promise<UnpricedRequests>
  /** Gives these requests the cost at the current price, with correction rows. Resolves with their number. */
  reprice(model: UnpricedModel): Promise<number>
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
  /** Executions of requests with idempotency keys. */
  readonly idempotency: IdempotencyStore
  readonly budgets: StoreBudgets
  readonly alerts: BudgetAlerts
  readonly traces: Traces
  /** Requests without calls of a provider, and messages of failures. */
  readonly refusals: RefusalStore
  /** Destinations of alerts that people have entered; only `@headgate/accounts` writes them. */
  readonly destinations: {
    list(): Promise<readonly AlertDestination[]>
    /** Stores whether a rule fires. Resolves with true if that has changed, in exactly one process. */
    fire(change: FiringChange): Promise<boolean>
  }
  /** Credentials of providers that were entered while a gateway ran; only `@headgate/accounts` writes them. */
  readonly credentials: { list(): Promise<readonly SealedCredential[]> }
  /** Rate limits that all nodes of a Postgres store share; undefined with SQLite. */
  readonly rates: SharedRates | undefined
  /**
   * Counters that increase with each change of `keys`, `budgets`, `prices` and `credentials` by any process. Absent until
   * the first change.
   */
  versions(): Promise<Readonly<Record<string, number>>>
  /** Reads changes of other processes now, since one of them reported a change. Without it they are read in intervals. */
  wake(): void
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
  /** Maximum connections of each thread to Postgres; default 2. */
  readonly connections?: number | undefined
  /** Time span of a partition of usage rows in Postgres; default `auto`. */
  readonly partition?: PartitionMode | undefined
  /** Time zone in which days begin; default `UTC`. If the store has another one, its days are moved. */
  readonly zone?: string
  /**
   * `postgres`: requests also wait until the database has their rows and, with budgets, their begin records. It requires
   * `databaseUrl`. Default `disk`: they wait for the journal on disk only.
   */
  readonly journal?: 'disk' | 'postgres' | undefined
  /** Policy for syncing the journal to the disk; default `interval`, each second. */
  readonly fsync?: Fsync
  readonly retention?: Retention
  /** Receivers of this node's usage rows, which are loaded in the writer thread. Default: none. */
  readonly receivers?: readonly RowReceiverPlace[] | undefined
  /** Sinks of this node's usage rows. Their rows wait in the data directory. Default: none. */
  readonly sinks?: readonly SinkPlace[] | undefined
  /** Called when the state of a sink has changed, by the process that delivers to it. */
  onSink?(state: SinkState): void
  /** Called with problems that an operator should know. */
  onProblem(message: string): void
  /** Called when this process has changed keys or budgets, or recalls leases, so that other processes can be woken. */
  onChange?(): void
  /**
   * Called when alerts may be due: 50, 80 or 100 % of a budget is spent, once per window. Also check for alerts at the
   * start and every minute, since alerts of killed processes or of commands trigger no call.
   */
  onAlert?(): void
  /** Called when credentials of providers may have changed, also once after the start. */
  onCredentials?(): void
}

/** Time after a confirmed heartbeat during which leases can be used, in milliseconds: less than `LOST_AFTER`. */
const CONFIRMED = 45_000
/** Interval of deleting expired data, in milliseconds. */
const RETAIN = 3_600_000
/**
 * Time limits of maintenance steps, in milliseconds. A step is short, but may wait for locks, and a timeout on a busy
 * disk would only repeat it.
 */
const LIMITS: CallLimits<WriterCalls> = { retain: 120_000, moveDays: 120_000 }

/** Location of the store of a data directory. */
export function locationOf({
  dataDir,
  databaseUrl,
  connections,
}: Pick<StoreOptions, 'dataDir' | 'databaseUrl' | 'connections'>): StoreLocation {
  return databaseUrl === undefined ? { file: join(dataDir, 'headgate.db') } : { url: databaseUrl, connections }
}

/** Opens the store, or creates it. @throws HeadgateError with the reason and what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, databaseUrl, zone = 'UTC', fsync, onProblem } = options
  const place = locationOf(options)
  const isMoving = await migrateStore(place, zone)
  const open = () => openJournal({ dataDir, onProblem, fsync })
  const first = open()
  const threads = openThreads(options, place, first.run)
  const { writer, reader } = threads
  const changed = () => options.onChange?.()
  const runs = beginOwnRuns(first, {
    open,
    begin: (journal, onClosed) => createRun({ options, threads, journal, changed, onClosed }),
    endLeases: writer.endLeases,
    forget: writer.forget,
    cut: threads.cut,
    onProblem,
  })
  const { budgets: engine, ledger } = runs
  const keyLookup = keyLookupOf(threads, engine)
  const refusals = refusalsOf(threads)
  const { prices, refresh: refreshPrices } = createPrices(threads)
  threads.on({
    'keys-changed': keyLookup.changed,
    'keys-confirmed': keyLookup.confirmed,
    'budgets-changed': () => void runs.refresh().catch(() => {}),
    'prices-changed': () => void refreshPrices().catch(() => {}),
    'credentials-changed': () => options.onCredentials?.(),
    'budgets-recalled': runs.recalled,
    'budget-alert': () => options.onAlert?.(),
    sink: (state) => options.onSink?.(state as SinkState),
  })
  const maintenance = startMaintenance(writer, { zone, onProblem })
  if (isMoving) void maintenance.moving.run()
  const lostRuns = databaseUrl === undefined ? undefined : watchLostRuns(() => searchLostRuns(threads, runs))
  await runs
    .refresh()
    .catch((error: unknown) => onProblem(`Budgets could not be read and are retried: ${String(error)}`))

  return {
    keys: createKeys(threads, keyLookup, changed),
    usage: createUsage({
      // Stored rows can be shown even if the store accepts no new ones. The ledger has reported that by then.
      ingest: () => Promise.all([ledger.ingest().catch(() => {}), refusals.write()]).then(() => {}),
      calls: reader,
      behind: () => (ledger.stored() ? 0 : ledger.behind()),
    }),
    ledger,
    prices,
    budgets: createStoreBudgets({
      engine,
      writer,
      reader,
      zone,
      refresh: () => {
        changed()
        return runs.refresh()
      },
    }),
    refusals: refusals.store,
    ...partsOf(threads, place),
    async close() {
      lostRuns?.end()
      maintenance.retaining.end()
      maintenance.moving.end()
      await refusals.write()
      await runs.close()
      await threads.close()
    },
  }
}

interface RunParts {
  readonly options: StoreOptions
  readonly threads: StoreThreads
  readonly journal: Journal
  changed(): void
  onClosed(): void
}

/** Begins a process run with its journal. */
function createRun({ options, threads, journal, changed, onClosed }: RunParts): OwnRun {
  const { databaseUrl, onProblem } = options
  const { writer, reader } = threads
  const { run } = journal
  const store = withRecalls(engineStore({ writer, reader }, run, once(writer.ingestEnded)), changed)
  // With SQLite no other process closes a run, since all share its journals.
  const times = databaseUrl === undefined ? {} : { confirmed: CONFIRMED }
  const awaitsStore = options.journal === 'postgres'
  const begun = async (): Promise<boolean> => ledger.stored() && within(BUDGET_TIMES.answer, ledger.ingest())
  const engine = createBudgets({ journal, store, onProblem, onClosed, times, ...(awaitsStore && { begun }) })
  const ingestUpTo = (upTo: JournalPosition) => writer.ingestUpTo(upTo, run)
  // With SQLite the rows are on the disk of the journal.
  const copyUpTo = databaseUrl === undefined ? undefined : (upTo: JournalPosition) => writer.copyUpTo(upTo, run)
  const ledger = createLedger({ journal, budgets: engine, ingestUpTo, copyUpTo, awaitsStore, onProblem })
  return { journal, engine, keeper: createKeeper({ engine, reader, run, every: BUDGET_TIMES.heartbeat }), ledger }
}

/** Resolves with undefined without budgets. */
async function searchLostRuns({ writer }: StoreThreads, runs: OwnRuns): Promise<LostRunSearch | undefined> {
  return runs.hasBudgets() ? writer.searchLostRuns() : undefined
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
  const { dataDir, zone = 'UTC', retention = {}, partition, receivers = [], sinks = [], onProblem } = options
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
  const storesBegins = options.journal === 'postgres'
  const writerData: StoreWriterData = {
    place,
    dataDir,
    run,
    storesBegins,
    zone,
    retention: { ...retention, partition },
    receivers,
    sinks,
  }
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

/** Store of leases that reports when a request recalls the leases of other processes. */
function withRecalls(store: EngineStore, onRecall: () => void): EngineStore {
  return {
    ...store,
    changeLease: async (key, change) => {
      const reply = await store.changeLease(key, change)
      const isRecall = reply.kind === 'denied' && reply.recall > 0
      // A request that has waited for answers repeats its recall.
      if (isRecall && change.kind === 'ask' && change.recall === undefined) onRecall()
      return reply
    },
  }
}

function keyLookupOf({ reader }: StoreThreads, engine: Pick<OwnRuns['budgets'], 'learn'>): KeyLookup {
  return createKeyLookup({
    lookUp: async (hash) => {
      const found = await reader.keyByHash(hash)
      // The engine must know the budgets of a key before the key can spend.
      if (found) engine.learn(found.budgets)
      return found?.held
    },
  })
}

/** Refused requests, and the function that writes what is not stored yet. */
function refusalsOf({ writer, reader }: StoreThreads): { readonly store: RefusalStore; write(): Promise<void> } {
  let writeAll = async (): Promise<void> => {}
  return {
    store: {
      add: writer.addRefusals,
      words: reader.sealedWords,
      message: reader.sealedMessage,
      beforeReads: (write) => {
        writeAll = write
      },
    },
    write: () => writeAll(),
  }
}

/** Parts of a store that only call its threads. */
function partsOf(threads: StoreThreads, place: StoreLocation) {
  const { writer, reader } = threads
  return {
    lists: { read: reader.readList, write: writer.writeList },
    answers: answersOf(threads),
    idempotency: idempotencyOf(threads),
    tasks: tasksOf(threads),
    alerts: alertsOf(threads),
    traces: { add: writer.addTrace, read: reader.readTrace },
    credentials: { list: reader.listCredentials },
    destinations: { list: reader.listDestinations, fire: writer.storeFiring },
    rates: 'url' in place ? { exchange: writer.exchangeRates } : undefined,
    versions: reader.versions,
    wake: () => void reader.wake().catch(() => {}),
    quarantined: threads.quarantined,
  }
}

function answersOf({ writer, reader }: StoreThreads): ResponseStore {
  return {
    put: writer.putAnswer,
    find: reader.findAnswers,
    known: reader.knownAnswers,
    remove: writer.removeAnswer,
  }
}

function alertsOf({ writer, reader }: StoreThreads): BudgetAlerts {
  return {
    take: writer.takeAlerts,
    done: writer.alertDone,
    drop: writer.dropAlert,
    later: writer.alertLater,
    list: reader.listAlerts,
  }
}

function idempotencyOf({ writer, reader }: StoreThreads): IdempotencyStore {
  return {
    begin: writer.beginIdempotent,
    find: reader.findIdempotent,
    finish: writer.finishIdempotent,
    drop: writer.dropIdempotent,
  }
}

function tasksOf({ writer, reader }: StoreThreads): TaskStore {
  return {
    add: writer.addTask,
    change: writer.changeTask,
    get: reader.readTask,
    list: reader.listTasks,
    claim: writer.claimTasks,
    hold: writer.holdTask,
    remove: writer.removeTask,
  }
}

function createKeys({ writer, reader }: StoreThreads, keyLookup: KeyLookup, onChange: () => void): Keys {
  const changed = (): void => {
    keyLookup.changed()
    onChange()
  }
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
      unpriced: reader.unpricedRequests,
      reprice: writer.repriceRows,
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
