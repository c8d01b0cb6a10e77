import { join } from 'node:path'
import type { AnswerStore, ListStore, PriceBook, Principal, TaskStore } from '@headgate/gateway/ports'
import type { BudgetAlerts } from './budgets/alerts.ts'
import { TIMES } from './budgets/asking.ts'
import { createBudgets } from './budgets/engine.ts'
import { createKeeper, createStoreBudgets, engineStore, type StoreBudgets } from './budgets/store-budgets.ts'
import { openConnection } from './database/connection.ts'
import { keepZone } from './database/day-zones.ts'
import { migrate } from './database/migrate.ts'
import type { Place } from './database/place.ts'
import { transact } from './database/transaction.ts'
import { unusable } from './database/unusable.ts'
import { openJournal } from './journal/journal.ts'
import { removeLife } from './journal/life.ts'
import type { Fsync } from './journal/sync.ts'
import type { KeyChange, KeyVersion, Rotation } from './keys/change.ts'
import { createHolders, type Holders } from './keys/holders.ts'
import type { KeyQuery, MadeKey, NewKey } from './keys/keys.ts'
import type { ConfiguredPrincipal } from './keys/principals.ts'
import type { StoredKey } from './keys/stored.ts'
import { createLedger, type StoreLedger } from './ledger/ledger.ts'
import { createPriceBook } from './prices/book.ts'
import { type CurrentPrice, datedRows } from './prices/dated.ts'
import type { Retention } from './retention/retention.ts'
import type { ReaderData, WriterData } from './threads/data.ts'
import { createMaintenance } from './threads/maintenance.ts'
import type { ReaderCalls } from './threads/reader.ts'
import { createThread, type Limits, type Thread } from './threads/thread.ts'
import type { WriterCalls } from './threads/writer.ts'
import type { Traces } from './traces/traces.ts'
import { createUsage, type Usage } from './usage/usage.ts'

/** Keys that callers hold. */
export interface Keys {
  /** The key itself is known here and never again. */
  create(key: NewKey): Promise<MadeKey>
  /** In the order of their making, revoked ones included. */
  list(query?: KeyQuery): Promise<readonly StoredKey[]>
  /**
   * Changes what a key may do: undefined stays, null is as if it had never been said. Undefined where there is none of
   * that id.
   * @throws HeadgateError `conflict`: 412 for another version than `version`, 409 for a key that is revoked.
   */
  change(id: string, change: KeyChange, version?: KeyVersion): Promise<StoredKey | undefined>
  /**
   * Gives a key another secret; the one before works until the overlap is over. Undefined where there is none of that
   * id. @throws as `change`.
   */
  rotate(id: string, rotation: Rotation): Promise<MadeKey | undefined>
  /**
   * The key that has this id, or else this name; undefined when there is none or more than one. Revoking twice changes
   * nothing.
   */
  revoke(idOrName: string): Promise<StoredKey | undefined>
  /** The key that has this id, revoked and expired ones included. */
  get(id: string): Promise<StoredKey | undefined>
  /**
   * Who holds a key, by its hash; undefined for one that is unknown, expired or revoked. At once for those that were
   * asked for before.
   * @throws HeadgateError `unavailable` while the store does not answer, for a key that was not verified in the last
   * hour.
   */
  holder(hash: string): Principal | undefined | Promise<Principal | undefined>
  /** Says who the keys of the configuration are, so that their usage can be told by project and environment. */
  configure(principals: readonly ConfiguredPrincipal[]): Promise<void>
}

/** What models cost, and cost when: a gateway's `prices`. */
export interface Prices extends PriceBook {
  /** Says what they cost now. What has changed holds from now on, in the store too. */
  update(current: readonly CurrentPrice[]): Promise<void>
}

/** Everything that outlives the process. The thread that opens it runs no SQL: a writer and a reader do. */
export interface Store {
  readonly keys: Keys
  readonly usage: Usage
  readonly ledger: StoreLedger
  readonly lists: ListStore
  readonly prices: Prices
  readonly tasks: TaskStore
  /** Answers that later requests may name. */
  readonly answers: AnswerStore
  readonly budgets: StoreBudgets
  readonly alerts: BudgetAlerts
  readonly traces: Traces
  /** Numbers that rise with each change, by whichever process, of `keys`, `budgets` and `prices`; absent = not yet. */
  versions(): Promise<Readonly<Record<string, number>>>
  /** Usage rows that the store refused, and that lie in a file of the data directory since the start. */
  putAside(): number
  /**
   * Takes the journal into the store, and ends. What a store that is away does not take stays in the journal for the
   * next start.
   */
  close(): Promise<void>
}

export interface StoreOptions {
  /** Where the journal lies, and `headgate.db` where there is no `databaseUrl`. Absolute. */
  readonly dataDir: string
  /** `postgres://…`; default: SQLite in the data directory. */
  readonly databaseUrl?: string
  /** Time zone in which days begin; default `UTC`. Where the store has another one, its days are moved. */
  readonly zone?: string
  /** When the journal is synced to the disk; default `interval`, each second. */
  readonly fsync?: Fsync
  readonly retention?: Retention
  /** Told what an operator should know. */
  onProblem(message: string): void
  /**
   * Told that there may be alerts to take: 50, 80 or 100 % of a budget are spent, once in each of its windows. Whoever
   * takes them asks at the start and each minute too: those that a killed process has left, or a command has given,
   * wake nobody.
   */
  onAlert?(): void
}

/** How long the last rows may take into the store at the end, in milliseconds; then they stay in the journal. */
const LAST = 5_000
/** How often what is kept no longer is deleted, in milliseconds. */
const RETAIN = 3_600_000
/** A step of them is short, but may wait for others, and a disk that is busy with it is no reason to begin it anew. */
const LIMITS: Limits<WriterCalls> = { retain: 120_000, moveDays: 120_000 }

/** Where the store of a data directory lies. */
export function placeOf({ dataDir, databaseUrl }: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>): Place {
  return databaseUrl === undefined ? { file: join(dataDir, 'headgate.db') } : { url: databaseUrl }
}

/** Opens the store, or creates it. @throws HeadgateError with the reason and what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, zone = 'UTC', fsync, onProblem } = options
  const place = placeOf(options)
  const isMoving = await migrateStore(place, zone)
  const journal = openJournal({ dataDir, onProblem, fsync })
  const threads = openThreads(options, place, journal.life)
  const { writer, reader } = threads
  const store = engineStore({ writer, reader }, journal.life, once(writer.takeOver))
  const engine = createBudgets({ journal, store, onProblem })
  const keeper = createKeeper({ engine, reader, life: journal.life, every: TIMES.beat })
  const ledger = createLedger({ journal, budgets: engine, cut: threads.cut, take: writer.take, onProblem })
  const holders = createHolders({
    lookUp: async (hash) => {
      const found = await reader.keyByHash(hash)
      // Budgets are known before the key may spend.
      if (found) engine.learn(found.budgets)
      return found?.held
    },
  })
  const { prices, refresh: refreshPrices } = createPrices(threads)
  threads.on({
    'keys-changed': holders.changed,
    'keys-confirmed': holders.confirmed,
    'budgets-changed': () => void keeper.refresh().catch(() => {}),
    'prices-changed': () => void refreshPrices().catch(() => {}),
    'budgets-recalled': keeper.recalled,
    'budget-alert': () => options.onAlert?.(),
  })
  const maintenance = startMaintenance(writer, { zone, onProblem })
  if (isMoving) void maintenance.moving.run()
  await keeper.refresh().catch((error: unknown) => onProblem(`Budgets are not known yet: ${String(error)}`))

  return {
    keys: createKeys(threads, holders),
    usage: createUsage({
      // Stored rows can be shown even if the store accepts no new ones. The ledger has reported that by then.
      takeIn: () => ledger.takeIn().catch(() => {}),
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
    putAside: threads.putAside,
    async close() {
      keeper.end()
      maintenance.retaining.end()
      maintenance.moving.end()
      await within(LAST, ledger.takeIn())
      ledger.abandon()
      // Requests that have begun and not ended are in the journal only.
      const isOver = ledger.isTaken() && engine.underway() === 0 && (await within(LAST, writer.forget()))
      await threads.close()
      if (isOver) removeLife(journal.folder)
    },
  }
}

/** Handlers of what threads announce, by name. */
type Handlers = Readonly<Record<string, (value: unknown) => void>>

interface Threads {
  readonly writer: Thread<WriterCalls>['calls']
  readonly reader: Thread<ReaderCalls>['calls']
  /** Handles announcements. Announcements without a handler are problems. */
  on(handlers: Handlers): void
  /** Number of rows that were put aside, and of rows that cut journals have lost. */
  putAside(): number
  cut(): number
  close(): Promise<void>
}

function openThreads(options: StoreOptions, place: Place, life: string): Threads {
  const { dataDir, zone = 'UTC', retention = {}, onProblem } = options
  let putAside = 0
  let cut = 0
  let handlers: Handlers = {}
  const onTold = (name: string, value: unknown): void => {
    const { message = value, rows = 0 } = Object(value)
    cut += Number(rows)
    if (name === 'put-aside') putAside += 1
    const handle = handlers[name] ?? (() => onProblem(String(message)))
    handle(value)
  }
  const writerData: WriterData = { place, dataDir, life, zone, retention }
  const readerData: ReaderData = { place }
  const common = { onTold, onProblem }
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
    putAside: () => putAside,
    cut: () => cut,
    close: async () => {
      await Promise.all([writer.close(), reader.close()])
    },
  }
}

function createKeys({ writer, reader }: Threads, holders: Holders): Keys {
  const { changed } = holders
  return {
    create: (key) => writer.createKey(key).finally(changed),
    list: reader.listKeys,
    change: (id, change, version) => writer.changeKey(id, change, version).finally(changed),
    rotate: (id, rotation) => writer.rotateKey(id, rotation).finally(changed),
    configure: writer.configurePrincipals,
    get: reader.keyById,
    revoke: (idOrName) => writer.revokeKey(idOrName).finally(changed),
    holder: holders.holder,
  }
}

function createPrices({ writer, reader }: Threads): { readonly prices: Prices; refresh(): Promise<void> } {
  const book = createPriceBook([])
  return {
    prices: {
      priceOf: book.priceOf,
      async update(current) {
        const known = await reader.readPrices()
        const changed = datedRows(known, current, Date.now())
        if (changed.length > 0) await writer.addPrices(changed)
        book.add([...known, ...changed])
      },
    },
    refresh: async () => book.add(await reader.readPrices()),
  }
}

function startMaintenance(writer: Threads['writer'], { zone, onProblem }: Pick<StoreOptions, 'zone' | 'onProblem'>) {
  const retaining = createMaintenance({
    step: writer.retain,
    onProblem: (error) => onProblem(`What is kept no longer could not be deleted: ${String(error)}`),
    every: RETAIN,
  })
  const moving = createMaintenance({
    step: writer.moveDays,
    onProblem: (error) => onProblem(`The sums of days could not be moved to the time zone ${zone}: ${String(error)}`),
  })
  return { retaining, moving }
}

/** Runs a function at the first call, and ignores its failure. */
function once(act: () => Promise<unknown>): () => Promise<unknown> {
  let begun: Promise<unknown> | undefined
  return () => (begun ??= act().catch(() => {}))
}

/**
 * Brings the store to the newest version. Resolves with whether its days begin in another time zone than they should.
 */
async function migrateStore(place: Place, zone: string): Promise<boolean> {
  const connection = await openConnection(place)
  try {
    await migrate(connection)
    const kept = await transact(connection, (trx) => keepZone(connection, trx, zone))
    return kept.zone !== zone || kept.before !== undefined
  } catch (error) {
    throw unusable(place, error)
  } finally {
    await connection.close()
  }
}

/** Beside this file, in the source as in what is built. */
function workerFile(name: string): URL {
  return new URL(`./${name}.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
}

/** Resolves when it has come to an end of whatever kind, or when the time is over, with whether it has succeeded. */
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
