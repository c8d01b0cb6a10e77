import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { Budget } from '@headgate/gateway/ports'
import { type FiringChange, storeFiring } from '../alert-destinations/destinations.ts'
import { createAnswerStore } from '../answers/answers.ts'
import { createAlerts } from '../budgets/alerts.ts'
import { configureBudgets, type NewBudget, removeBudget, setBudget } from '../budgets/defined.ts'
import { type Release, releaseHeld } from '../budgets/held.ts'
import type { LeaseChange, LeaseKey, Pulse } from '../budgets/lease.ts'
import { changeLease } from '../budgets/leases.ts'
import { closeRun, createLostRunSearch, restoreRun } from '../budgets/lost-runs.ts'
import { endSilentRun, type OrphanOutcome, silentRuns } from '../budgets/orphaned-leases.ts'
import { heartbeat } from '../budgets/process-runs.ts'
import { recordUsedUp } from '../budgets/spends.ts'
import type { StoreConnection } from '../database/connection.ts'
import { readSetting } from '../database/settings.ts'
import { transact } from '../database/transaction.ts'
import { createIdempotencyStore } from '../idempotency/idempotency.ts'
import { changeKey, type KeyChange, type KeyVersion, type Rotation, revokeKey, rotateKey } from '../keys/change.ts'
import { createKey, type NewKey } from '../keys/keys.ts'
import { type ConfiguredPrincipal, configurePrincipals } from '../keys/principals.ts'
import { createBegunRequests } from '../ledger/begun-requests.ts'
import { createEndedRunIngest } from '../ledger/ended-runs.ts'
import { type IngestParts, ingestJournal, type JournalPosition } from '../ledger/ingest.ts'
import { createJournalCopies, ingestCopies } from '../ledger/journal-copies.ts'
import { createListStore } from '../lists/model-lists.ts'
import { repriceRows, type UnpricedModel } from '../prices/reprice.ts'
import type { PriceRow } from '../prices/row.ts'
import { addPrices } from '../prices/stored.ts'
import { createPostgresRates } from '../rates/exchange.ts'
import { createRefusalWriter } from '../refusals/write.ts'
import type { RetentionSettings } from '../retention/retention.ts'
import { createRetention } from '../retention/turn.ts'
import { createTaskStore } from '../tasks/tasks.ts'
import { createTraces } from '../traces/traces.ts'
import { moveDays } from '../usage/move-days.ts'
import { forgetIngestPositions } from '../usage/write.ts'

export interface WriterParts extends IngestParts {
  /** Id of the first process run of this process. */
  readonly run: string
  /** True to store the begin records of requests in progress; default false. */
  readonly storesBegins?: boolean | undefined
  readonly retention: RetentionSettings
  /** Connection for copies of journals, so that they do not wait for other calls; default: the connection of all. */
  readonly copying?: StoreConnection | undefined
}

/** Functions that write to the store, run by the writer thread. */
export type WriterCalls = ReturnType<typeof createWriterCalls>

export function createWriterCalls(parts: WriterParts) {
  const { connection, run, zone } = parts
  const { ingestUpTo, copyUpTo, afterAll, end } = createIngest(parts)
  const tasks = createTaskStore(connection)
  const answers = createAnswerStore(connection)
  const idempotency = createIdempotencyStore(connection)
  const alerts = createAlerts({ connection })
  const leases = { connection, node: hostname() }
  /** Announces alerts that a change may have created. */
  const alerting = async <Result>(change: Promise<Result>): Promise<Result> => {
    const result = await change
    parts.onAlert?.()
    return result
  }
  return {
    ingestUpTo,
    copyUpTo,
    ingestEnded: () => afterAll(async () => {}),
    changeLease: (key: LeaseKey, change: LeaseChange) => changeLease(leases, key, change),
    async heartbeat(own: string = run): Promise<Pulse> {
      const pulse = await heartbeat(leases, own)
      // The rows of requests in progress use the restored leases.
      if (pulse.isClosed) await restoreRun(parts, own)
      return pulse
    },
    searchLostRuns: createLostRunSearch({ ...parts, ingestCopies: (lost) => ingestCopies(parts, lost) }),
    usedUp: (window: { readonly budget: string; readonly win: string }) =>
      alerting(transact(connection, (trx) => recordUsedUp(connection, trx, window))),
    setBudget: (budget: NewBudget) => alerting(setBudget(connection, budget, zone)),
    removeBudget: (id: string) => removeBudget(connection, id),
    configureBudgets: (budgets: readonly Budget[]) => alerting(configureBudgets(connection, budgets)),
    silentRuns: () => afterAll(() => silentRuns(parts)),
    endSilentRun: (ended: string, how: OrphanOutcome) => alerting(afterAll(() => endSilentRun(parts, ended, how))),
    releaseHeld: (release: Release) => afterAll(() => releaseHeld(parts, release)),
    takeAlerts: alerts.take,
    alertDone: alerts.done,
    dropAlert: alerts.drop,
    alertLater: alerts.later,
    endLeases: (own: string = run) => closeRun(parts, own),
    forget: (own: string = run) => forgetIngestPositions(connection, own),
    createKey: (key: NewKey) => createKey(connection, key, Date.now(), zone),
    changeKey: (id: string, change: KeyChange, version?: KeyVersion) => changeKey(connection, id, change, version),
    rotateKey: (id: string, rotation: Rotation) => rotateKey(connection, id, rotation),
    configurePrincipals: (principals: readonly ConfiguredPrincipal[]) => configurePrincipals(connection, principals),
    revokeKey: (idOrName: string) => revokeKey(connection, idOrName),
    writeList: createListStore(connection).write,
    addPrices: (rows: readonly PriceRow[]) => addPrices(connection, rows),
    storeFiring: (change: FiringChange) => storeFiring(connection, change, Date.now()),
    repriceRows: (model: UnpricedModel) => afterAll(() => repriceRows(parts, model)),
    addTrace: createTraces(connection).add,
    addRefusals: createRefusalWriter(connection, parts),
    addTask: tasks.add,
    changeTask: tasks.change,
    claimTasks: tasks.claim,
    holdTask: tasks.hold,
    removeTask: tasks.remove,
    exchangeRates: createPostgresRates({ connection }).exchange,
    putAnswer: answers.put,
    removeAnswer: answers.remove,
    beginIdempotent: idempotency.begin,
    finishIdempotent: idempotency.finish,
    dropIdempotent: idempotency.drop,
    /** Deletes some expired rows, and creates partitions. Resolves with true if more rows have expired. */
    retain: createRetention(connection, { ...parts.retention, zone }),
    moveDays: createDayMoves(parts),
    async close(): Promise<void> {
      await end()
      await parts.receiver?.close()
      await parts.copying?.close()
      await connection.close()
    },
  }
}

/** Interval between searches for ended process runs, in milliseconds. */
const RUNS = 10_000
/** Time limit of ingestion, checked at the end of segments, in milliseconds: much less than callers wait. */
const TAKE = 5_000
/** Maximum time that ingestion of this process's rows waits for ended process runs, in milliseconds. */
const PATIENCE = 100

/** Ingestion of journals. */
interface Ingest {
  /**
   * Ingests the journal of a run of this process up to a position, by default of the first one, and occasionally the
   * journals of ended process runs. Resolves with true if it stopped early and must be called again.
   */
  ingestUpTo(upTo: JournalPosition, own?: string): Promise<boolean>
  /** Copies the journal of a run of this process up to a position, by default of the first one. */
  copyUpTo(upTo: JournalPosition, own?: string): Promise<void>
  /** Runs a function after ingesting the journals of ended process runs in this data directory. */
  afterAll<Result>(act: () => Promise<Result>): Promise<Result>
  /** Resolves when ingestion in progress has ended. */
  end(): Promise<void>
}

function createIngest(parts: WriterParts): Ingest {
  const ingestEnded = createEndedRunIngest(parts, parts.run)
  const begun = parts.storesBegins ? createBegunRequests(parts.connection, parts.dataDir) : undefined
  const copies = createJournalCopies(parts.copying ?? parts.connection, parts.dataDir)
  const positions = new Map<string, JournalPosition>()
  let looked = Number.NEGATIVE_INFINITY
  let previous: Promise<unknown> = Promise.resolve()
  /**
   * Runs concurrently with the ingestion of this process's rows, which therefore appear soon, however long the other
   * journals are.
   */
  let endedRuns: Promise<boolean> | undefined

  const beginIngestEnded = (): Promise<boolean> => {
    const own = ingestEnded(performance.now() + TAKE).finally(() => {
      endedRuns = undefined
    })
    // Callers that wait for it get the error.
    own.catch(() => {})
    return own
  }

  const ingestSome = async (upTo: JournalPosition, own: string): Promise<boolean> => {
    const until = performance.now() + TAKE
    const from = positions.get(own)
    const range = { ...(from && { from }), upTo, until, begun }
    const { isAll, ...at } = await ingestJournal(parts, own, range).catch((error: unknown) => {
      begun?.reset(own)
      // Some segments may be ingested and deleted: the store knows the position.
      positions.delete(own)
      throw error
    })
    positions.set(own, at)
    if (parts.connection.kind === 'postgres') await copies.drop(own, at)
    if (!isAll) return true
    if (performance.now() - looked < RUNS) return false
    looked = performance.now()
    endedRuns ??= beginIngestEnded()
    if (await Promise.race([endedRuns, wait(PATIENCE)])) return false
    looked = Number.NEGATIVE_INFINITY
    return true
  }

  const inTurn = <Result>(ingestUpTo: () => Promise<Result>): Promise<Result> => {
    const result = previous.then(ingestUpTo)
    previous = result.catch(() => {})
    return result
  }

  return {
    ingestUpTo: (upTo, own = parts.run) => inTurn(() => ingestSome(upTo, own)),
    copyUpTo: (upTo, own = parts.run) => copies.copy(own, upTo),
    afterAll: (act) =>
      inTurn(async () => {
        await endedRuns?.catch(() => {})
        endedRuns ??= beginIngestEnded()
        await endedRuns
        return act()
      }),
    async end() {
      await previous
      await endedRuns?.catch(() => {})
    },
  }
}

/**
 * Moves some daily sums to this process's time zone at each call. Resolves with true if more remain. A process begins
 * one move only, since two processes with different time zones would never end.
 */
function createDayMoves({ connection, zone: own, onProblem }: WriterParts): () => Promise<boolean> {
  let zone: string | undefined = own
  return async () => {
    const move = await moveDays(connection, { ...(zone && { zone }) })
    if (move === 'begun') onProblem(`Daily sums now use the time zone ${own}. Existing days are being moved.`)
    const isMore = move !== 'done' || (zone !== undefined && (await readSetting(connection, 'zone')) !== zone)
    if (move === 'begun' || !isMore) zone = undefined
    return isMore
  }
}
