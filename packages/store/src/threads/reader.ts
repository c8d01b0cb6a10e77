import type { Budget } from '@headgate/gateway/ports'
import { listDestinations } from '../alert-destinations/destinations.ts'
import { createAnswerStore } from '../answers/answers.ts'
import { createAlerts } from '../budgets/alerts.ts'
import { budgetsSince, listBudgets } from '../budgets/defined.ts'
import { type HeldQuery, heldAmounts } from '../budgets/held.ts'
import { type HeldWindow, heldShares } from '../budgets/held-shares.ts'
import { recalledOf } from '../budgets/process-runs.ts'
import { type ReservedRequest, settledRows } from '../budgets/settled.ts'
import { budgetStatuses, fullestBudgets } from '../budgets/status.ts'
import { listCredentials } from '../credentials/credentials.ts'
import type { StoreConnection } from '../database/connection.ts'
import { CONNECTIONS } from '../database/postgres.ts'
import { readSetting } from '../database/settings.ts'
import { createIdempotencyStore } from '../idempotency/idempotency.ts'
import { versionsOf } from '../keys/changes.ts'
import { type KeyMatch, type KeyQuery, keyByHash, keyById, listKeys } from '../keys/keys.ts'
import { createListStore } from '../lists/model-lists.ts'
import { type UnpricedModel, unpricedRequests } from '../prices/reprice.ts'
import { readPrices } from '../prices/stored.ts'
import { sealedMessage } from '../refusals/rows.ts'
import { sealedWords } from '../refusals/words.ts'
import { createTaskStore } from '../tasks/tasks.ts'
import { createTraces } from '../traces/traces.ts'
import { createUsageCalls } from '../usage/usage-calls.ts'
import { queueCalls } from './call-queue.ts'
import type { StoreWatcher } from './watch.ts'

/** Functions that read from the store, run by the reader thread. */
export type ReaderCalls = ReturnType<typeof createReaderCalls>

export interface ReaderOptions {
  readonly watcher?: StoreWatcher | undefined
  /** Connections of the thread; default 2. */
  readonly connections?: number | undefined
}

export function createReaderCalls(
  connection: StoreConnection,
  { watcher, connections = CONNECTIONS }: ReaderOptions = {},
) {
  const tasks = createTaskStore(connection)
  const answers = createAnswerStore(connection)
  const zoneOf = async () => (await readSetting(connection, 'zone')) ?? 'UTC'
  // One connection stays free for keys, which requests wait for, however long the sums take.
  const usage = queueCalls(createUsageCalls(connection, zoneOf), Math.max(1, connections - 1))
  return {
    /** Announces recalls of leases from now on. */
    watchRecalls: async (): Promise<void> => watcher?.watchRecalls(),
    /** Reads changes of other processes now. */
    wake: async (): Promise<void> => watcher?.wake(),
    keyByHash: (hash: string) => keyWithBudgets(connection, hash),
    keyById: (id: string) => keyById(connection, id),
    listKeys: (query?: KeyQuery) => listKeys(connection, query),
    budgetStatuses: () => budgetStatuses(connection),
    fullestBudgets: (most: number) => fullestBudgets(connection, most),
    budgetsSince: (version: number) => budgetsSince(connection, version),
    recalled: (run: string) => recalledOf(connection.db, run),
    settledRows: (requests: readonly ReservedRequest[]) => settledRows(connection, requests),
    heldShares: (run: string, windows: readonly HeldWindow[]) => heldShares(connection, run, windows),
    heldAmounts: (query?: HeldQuery) => heldAmounts(connection, query),
    listAlerts: createAlerts({ connection }).list,
    readList: createListStore(connection).read,
    readPrices: () => readPrices(connection),
    unpricedRequests: (model: UnpricedModel) => unpricedRequests(connection, model),
    listDestinations: () => listDestinations(connection),
    listCredentials: () => listCredentials(connection),
    versions: () => versionsOf(connection),
    readTrace: createTraces(connection).read,
    sealedWords: (requestId: string) => sealedWords(connection, requestId),
    sealedMessage: (row: { readonly at: number; readonly id: string }) => sealedMessage(connection, row),
    findAnswers: answers.find,
    knownAnswers: answers.known,
    findIdempotent: createIdempotencyStore(connection).find,
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
