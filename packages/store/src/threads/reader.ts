import type { AnswerStore, Budget, ListStore, TaskStore } from '@headgate/gateway/ports'
import { createAnswerStore } from '../answers/answers.ts'
import { type BudgetAlerts, createAlerts } from '../budgets/alerts.ts'
import { type BudgetChanges, budgetsSince, listBudgets } from '../budgets/defined.ts'
import { type HeldAmount, type HeldQuery, heldAmounts } from '../budgets/held.ts'
import { type HeldShare, type HeldWindow, heldShares } from '../budgets/held-shares.ts'
import type { Pulse } from '../budgets/lease.ts'
import { recalledOf } from '../budgets/lives.ts'
import { type SettledRow, type Settling, settledRows } from '../budgets/settled.ts'
import { type BudgetStatus, budgetStatuses } from '../budgets/status.ts'
import type { Connection } from '../database/connection.ts'
import { readSetting } from '../database/settings.ts'
import { changesOf, type Topic, versionsOf } from '../keys/changes.ts'
import { type HeldKey, type KeyQuery, keyByHash, keyById, listKeys } from '../keys/keys.ts'
import type { StoredKey } from '../keys/stored.ts'
import { createListStore } from '../lists/model-lists.ts'
import type { PriceRow } from '../prices/row.ts'
import { readPrices } from '../prices/stored.ts'
import { createTaskStore } from '../tasks/tasks.ts'
import { createTraces, type Traces } from '../traces/traces.ts'
import { createUsageCalls, type UsageCalls } from '../usage/usage-calls.ts'

/** What the main thread may ask for. */
export type ReaderCalls = UsageCalls & {
  /** With the budgets that are its own, and those of its owners. */
  keyByHash(hash: string): Promise<{ readonly held: HeldKey; readonly budgets: readonly Budget[] } | undefined>
  keyById(id: string): Promise<StoredKey | undefined>
  listKeys(query?: KeyQuery): Promise<readonly StoredKey[]>
  budgetStatuses(): Promise<readonly BudgetStatus[]>
  budgetsSince(version: number): Promise<BudgetChanges | undefined>
  recalled(life: string): Promise<Pulse['recalled']>
  /** Has it said soon when somebody asks for money back. */
  watchRecalls(): Promise<void>
  settledRows(asked: readonly Settling[]): Promise<readonly SettledRow[]>
  heldShares(life: string, windows: readonly HeldWindow[]): Promise<readonly HeldShare[]>
  heldAmounts(query?: HeldQuery): Promise<readonly HeldAmount[]>
  listAlerts: BudgetAlerts['list']
  readList: ListStore['read']
  readPrices(): Promise<readonly PriceRow[]>
  versions(): Promise<Readonly<Record<string, number>>>
  readTrace: Traces['read']
  readTask: TaskStore['get']
  findAnswers: AnswerStore['find']
  knownAnswers: AnswerStore['known']
  listTasks: TaskStore['list']
  close(): Promise<void>
}

export function createReaderCalls(
  connection: Connection,
  { onRecall }: Partial<Pick<StoreWatch, 'onRecall'>> = {},
): ReaderCalls {
  const tasks = createTaskStore(connection)
  const answers = createAnswerStore(connection)
  const zoneOf = async (): Promise<string> => (await readSetting(connection, 'zone')) ?? 'UTC'
  let isWatching = false
  return {
    async watchRecalls() {
      if (!isWatching) watch(connection, 'recalls', RECALLS, (isChanged) => isChanged && onRecall?.())
      isWatching = true
    },
    async keyByHash(hash) {
      const held = await keyByHash(connection, hash)
      if (!held) return undefined
      const { facts, organisation } = held
      const owners = [
        facts.id,
        facts.project,
        organisation,
        ...(facts.createdBy === undefined ? [] : [facts.createdBy]),
      ]
      return { held, budgets: await listBudgets(connection, owners) }
    },
    keyById: (id) => keyById(connection, id),
    budgetStatuses: () => budgetStatuses(connection),
    budgetsSince: (version) => budgetsSince(connection, version),
    recalled: (life) => recalledOf(connection.db, life),
    settledRows: (asked) => settledRows(connection, asked),
    heldShares: (life, windows) => heldShares(connection, life, windows),
    heldAmounts: (query) => heldAmounts(connection, query),
    listAlerts: createAlerts({ connection }).list,
    listKeys: (query) => listKeys(connection, query),
    readList: createListStore(connection).read,
    readPrices: () => readPrices(connection),
    versions: () => versionsOf(connection),
    readTrace: createTraces(connection).read,
    findAnswers: answers.find,
    knownAnswers: answers.known,
    readTask: tasks.get,
    listTasks: tasks.list,
    ...createUsageCalls(connection, zoneOf),
    close: () => connection.close(),
  }
}

/** How often it is looked whether another process has changed something, in milliseconds. */
const WATCH = 500
/** The same of budgets that others ask back: who asks waits. */
const RECALLS = 40
/** How often at most it is said that no key has changed, in milliseconds. */
const CONFIRM = 60_000

export interface StoreWatch {
  /** Keys have changed, or may have. */
  onKeys(): void
  /** No key has: what is remembered of them is true now. */
  onConfirm(): void
  /** Budgets have. */
  onBudgets(): void
  /** Prices have, by somebody and not by the configuration. */
  onPrices(): void
  /** Somebody asks for money back. */
  onRecall(): void
}

/** Looks for as long as the thread lives. While the store is away nothing is said. */
export function watchStore(
  connection: Connection,
  { onKeys, onConfirm, onBudgets, onPrices }: Omit<StoreWatch, 'onRecall'>,
): void {
  let confirmed = Number.NEGATIVE_INFINITY
  watch(connection, 'keys', WATCH, (isChanged) => {
    if (isChanged) onKeys()
    else if (performance.now() - confirmed >= CONFIRM) {
      onConfirm()
      confirmed = performance.now()
    }
  })
  watch(connection, 'budgets', WATCH, (isChanged) => isChanged && onBudgets())
  watch(connection, 'prices', WATCH, (isChanged) => isChanged && onPrices())
}

/**
 * Whether a topic has changed since the last look; at first too: what was remembered before is from the reader before.
 */
function watch(connection: Connection, topic: Topic, every: number, onLook: (isChanged: boolean) => void): void {
  let version: number | undefined
  let seen: unknown
  const look = async (): Promise<void> => {
    try {
      const commits = commitsOf(connection)
      const isQuiet = commits !== undefined && commits === seen
      const found = isQuiet ? version : await changesOf(connection, topic)
      onLook(found !== version)
      version = found
      seen = commits
    } catch {
      // Whoever asks is told.
    }
    setTimeout(look, every)
  }
  void look()
}

/**
 * What is another value once somebody else has written anything: SQLite knows without reading a table. Undefined where
 * that is not known.
 */
function commitsOf(connection: Connection): unknown {
  return connection.kind === 'sqlite' ? connection.prepared('PRAGMA data_version').get()?.['data_version'] : undefined
}
