import type { Budget } from '@headgate/gateway/ports'
import { createAnswerStore } from '../answers/answers.ts'
import { createAlerts } from '../budgets/alerts.ts'
import { budgetsSince, listBudgets } from '../budgets/defined.ts'
import { type HeldQuery, heldAmounts } from '../budgets/held.ts'
import { type HeldWindow, heldShares } from '../budgets/held-shares.ts'
import { recalledOf } from '../budgets/process-runs.ts'
import { type ReservedRequest, settledRows } from '../budgets/settled.ts'
import { budgetStatuses } from '../budgets/status.ts'
import type { StoreConnection } from '../database/connection.ts'
import { readSetting } from '../database/settings.ts'
import { type ChangeTopic, changesOf, versionsOf } from '../keys/changes.ts'
import { type KeyMatch, type KeyQuery, keyByHash, keyById, listKeys } from '../keys/keys.ts'
import { createListStore } from '../lists/model-lists.ts'
import { readPrices } from '../prices/stored.ts'
import { createTaskStore } from '../tasks/tasks.ts'
import { createTraces } from '../traces/traces.ts'
import { createUsageCalls } from '../usage/usage-calls.ts'

/** Functions that read from the store, run by the reader thread. */
export type ReaderCalls = ReturnType<typeof createReaderCalls>

export function createReaderCalls(
  connection: StoreConnection,
  { onRecall }: Partial<Pick<StoreWatch, 'onRecall'>> = {},
) {
  const tasks = createTaskStore(connection)
  const answers = createAnswerStore(connection)
  const usage = createUsageCalls(connection, async () => (await readSetting(connection, 'zone')) ?? 'UTC')
  let isWatching = false
  return {
    /** Announces recalls of leases from now on. */
    async watchRecalls(): Promise<void> {
      if (!isWatching) watch(connection, 'recalls', RECALLS, (isChanged) => isChanged && onRecall?.())
      isWatching = true
    },
    keyByHash: (hash: string) => keyWithBudgets(connection, hash),
    keyById: (id: string) => keyById(connection, id),
    listKeys: (query?: KeyQuery) => listKeys(connection, query),
    budgetStatuses: () => budgetStatuses(connection),
    budgetsSince: (version: number) => budgetsSince(connection, version),
    recalled: (run: string) => recalledOf(connection.db, run),
    settledRows: (requests: readonly ReservedRequest[]) => settledRows(connection, requests),
    heldShares: (run: string, windows: readonly HeldWindow[]) => heldShares(connection, run, windows),
    heldAmounts: (query?: HeldQuery) => heldAmounts(connection, query),
    listAlerts: createAlerts({ connection }).list,
    readList: createListStore(connection).read,
    readPrices: () => readPrices(connection),
    versions: () => versionsOf(connection),
    readTrace: createTraces(connection).read,
    findAnswers: answers.find,
    knownAnswers: answers.known,
    readTask: tasks.get,
    listTasks: tasks.list,
    ...usage,
    close: () => connection.close(),
  }
}

/** Key with its budgets and the budgets of its owners. */
async function keyWithBudgets(
  connection: StoreConnection,
  hash: string,
): Promise<{ readonly held: KeyMatch; readonly budgets: readonly Budget[] } | undefined> {
  const held = await keyByHash(connection, hash)
  if (!held) return undefined
  const { facts, organization } = held
  const owners = [facts.id, facts.project, organization]
  if (facts.createdBy !== undefined) owners.push(facts.createdBy)
  return { held, budgets: await listBudgets(connection, owners) }
}

/** Interval of checks for changes by other processes, in milliseconds. */
const WATCH = 500
/** Interval of checks for recalls of leases, in milliseconds. Other requests wait for their answers. */
const RECALLS = 40
/** Minimum interval of confirmations that no key has changed, in milliseconds. */
const CONFIRM = 60_000

export interface StoreWatch {
  /** Called when keys may have changed. */
  onKeys(): void
  /** Called to confirm that no key has changed. */
  onConfirm(): void
  /** Called when budgets have changed. */
  onBudgets(): void
  /** Called when a user, not the configuration, has changed prices. */
  onPrices(): void
  /** Called when another process recalls leases. */
  onRecall(): void
}

/** Watches the store until the thread ends. Nothing is announced while the store is unreachable. */
export function watchStore(
  connection: StoreConnection,
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
 * Calls `onLook` in intervals, with true if a topic has changed since the last check, and at the first one, since
 * cached data is from an earlier reader.
 */
function watch(
  connection: StoreConnection,
  topic: ChangeTopic,
  every: number,
  onLook: (isChanged: boolean) => void,
): void {
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
      // Calls that need the store report its error.
    }
    setTimeout(look, every)
  }
  void look()
}

/**
 * Value that changes with each commit of another connection, which SQLite provides without reading a table. Undefined
 * for Postgres.
 */
function commitsOf(connection: StoreConnection): unknown {
  return connection.kind === 'sqlite' ? connection.prepared('PRAGMA data_version').get()?.['data_version'] : undefined
}
