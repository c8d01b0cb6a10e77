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
import { createHolders } from './keys/holders.ts'
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

/** Opens the store, and makes it where there is none. @throws HeadgateError where it can not be opened. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, zone = 'UTC', fsync, onProblem } = options
  const place = placeOf(options)
  const isMoving = await migrateStore(place, zone)
  const journal = openJournal({ dataDir, onProblem, fsync })
  const { life, folder } = journal
  let putAside = 0
  let cut = 0
  const onTold = (name: string, value: unknown): void => {
    if (name === 'keys-changed') holders.changed()
    else if (name === 'keys-confirmed') holders.confirmed()
    else if (name === 'budgets-changed') void keeper.refresh().catch(() => {})
    else if (name === 'prices-changed') void readPrices().catch(() => {})
    else if (name === 'budgets-recalled') keeper.recalled()
    else if (name === 'budget-alert') options.onAlert?.()
    else if (name === 'cut') {
      const { message, rows } = value as { message: string; rows: number }
      cut += rows
      onProblem(message)
    } else onProblem(String(value))
    if (name === 'put-aside') putAside += 1
  }
  const thread = <C extends WriterCalls | ReaderCalls>(name: string, data: unknown, limits?: Limits<C>): Thread<C> =>
    createThread<C>({ file: workerFile(name), data, onTold, onProblem, ...(limits && { limits }) })
  const { retention = {} } = options
  const writer = thread<WriterCalls>('writer', { place, dataDir, life, zone, retention } satisfies WriterData, LIMITS)
  const reader = thread<ReaderCalls>('reader', { place } satisfies ReaderData)

  /** What processes have left that are over is taken in before the first lease is asked for. */
  let begun: Promise<unknown> | undefined
  const ready = (): Promise<unknown> => {
    begun ??= writer.call('takeOver').catch(() => {})
    return begun
  }
  const engine = createBudgets({ journal, store: engineStore({ writer, reader }, life, ready), onProblem })
  const keeper = createKeeper({ engine, reader, life, every: TIMES.beat })
  const ledger = createLedger({
    journal,
    budgets: engine,
    cut: () => cut,
    take: (upTo) => writer.call('take', upTo),
    onProblem,
  })
  const holders = createHolders({
    lookUp: async (hash) => {
      const found = await reader.call('keyByHash', hash)
      // Nobody spends before it is known how much.
      if (found) engine.learn(found.budgets)
      return found?.held
    },
  })
  const book = createPriceBook([])
  const readPrices = async (): Promise<void> => book.add(await reader.call('readPrices'))
  const retaining = createMaintenance({
    step: () => writer.call('retain'),
    onProblem: (error) => onProblem(`What is kept no longer could not be deleted: ${String(error)}`),
    every: RETAIN,
  })
  const moving = createMaintenance({
    step: () => writer.call('moveDays'),
    onProblem: (error) => onProblem(`The sums of days could not be moved to the time zone ${zone}: ${String(error)}`),
  })
  if (isMoving) void moving.run()
  /** What is in the store can be shown also while it takes nothing, which the ledger has said by then. */
  const takeInIfPossible = (): Promise<void> => ledger.takeIn().catch(() => {})

  await keeper.refresh().catch((error: unknown) => onProblem(`Budgets are not known yet: ${String(error)}`))

  return {
    keys: {
      create: (key) => writer.call('createKey', key).finally(holders.changed),
      list: (query) => reader.call('listKeys', query),
      change: (id, change, version) => writer.call('changeKey', id, change, version).finally(holders.changed),
      rotate: (id, rotation) => writer.call('rotateKey', id, rotation).finally(holders.changed),
      configure: (principals) => writer.call('configurePrincipals', principals),
      get: (id) => reader.call('keyById', id),
      revoke: (idOrName) => writer.call('revokeKey', idOrName).finally(holders.changed),
      holder: holders.holder,
    },
    usage: createUsage({
      takeIn: takeInIfPossible,
      calls: {
        usagePage: (query) => reader.call('usagePage', query),
        usageRows: (query) => reader.call('usageRows', query),
        usageOfRequest: (query) => reader.call('usageOfRequest', query),
        usageSeries: (query) => reader.call('usageSeries', query),
        dayZone: () => reader.call('dayZone'),
        usageLatency: (query) => reader.call('usageLatency', query),
        daysByModel: (query) => reader.call('daysByModel', query),
        observedModels: (query) => reader.call('observedModels', query),
        usageOfKey: (query) => reader.call('usageOfKey', query),
      },
      behind: () => (ledger.stored() ? 0 : ledger.behind()),
    }),
    ledger,
    lists: {
      read: (provider) => reader.call('readList', provider),
      write: (provider, models) => writer.call('writeList', provider, models),
    },
    prices: {
      priceOf: book.priceOf,
      async update(current) {
        const known = await reader.call('readPrices')
        const changed = datedRows(known, current, Date.now())
        if (changed.length > 0) await writer.call('addPrices', changed)
        book.add([...known, ...changed])
      },
    },
    answers: {
      put: (answer, room) => writer.call('putAnswer', answer, room),
      find: (sight, ids) => reader.call('findAnswers', sight, ids),
      known: (ids) => reader.call('knownAnswers', ids),
      remove: (owner, id) => writer.call('removeAnswer', owner, id),
    },
    tasks: {
      add: (task, heldUntil) => writer.call('addTask', task, heldUntil),
      change: (task) => writer.call('changeTask', task),
      get: (id) => reader.call('readTask', id),
      list: (query) => reader.call('listTasks', query),
      claim: (claim) => writer.call('claimTasks', claim),
      hold: (id, until) => writer.call('holdTask', id, until),
      remove: (id, version) => writer.call('removeTask', id, version),
    },
    budgets: createStoreBudgets({ engine, writer, reader, zone, refresh: keeper.refresh }),
    alerts: {
      take: (limit, forMs) => writer.call('takeAlerts', limit, forMs),
      done: (id) => writer.call('alertDone', id),
      drop: (id) => writer.call('dropAlert', id),
      later: (id, at) => writer.call('alertLater', id, at),
      list: (limit) => reader.call('listAlerts', limit),
    },
    traces: {
      add: (trace) => writer.call('addTrace', trace),
      read: (requestId) => reader.call('readTrace', requestId),
    },
    versions: () => reader.call('versions'),
    putAside: () => putAside,
    async close() {
      keeper.end()
      retaining.end()
      moving.end()
      await within(LAST, ledger.takeIn())
      ledger.abandon()
      // What has begun and not ended is in the journal only.
      const isOver = ledger.isTaken() && engine.underway() === 0 && (await within(LAST, writer.call('forget')))
      await Promise.all([writer.close(), reader.close()])
      if (isOver) removeLife(folder)
    },
  }
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
