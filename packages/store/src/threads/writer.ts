import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { Budget } from '@headgate/gateway/ports'
import { createAnswerStore } from '../answers/answers.ts'
import { createAlerts } from '../budgets/alerts.ts'
import { configureBudgets, type NewBudget, removeBudget, setBudget } from '../budgets/defined.ts'
import { type Release, releaseHeld } from '../budgets/held.ts'
import type { LeaseChange, LeaseKey } from '../budgets/lease.ts'
import { changeLease } from '../budgets/leases.ts'
import { endSilentRun, type OrphanOutcome, silentRuns } from '../budgets/orphaned-leases.ts'
import { closeRun, heartbeat } from '../budgets/process-runs.ts'
import { recordUsedUp } from '../budgets/spends.ts'
import { readSetting } from '../database/settings.ts'
import { transact } from '../database/transaction.ts'
import { changeKey, type KeyChange, type KeyVersion, type Rotation, revokeKey, rotateKey } from '../keys/change.ts'
import { createKey, type NewKey } from '../keys/keys.ts'
import { type ConfiguredPrincipal, configurePrincipals } from '../keys/principals.ts'
import { createEndedRunIngest } from '../ledger/ended-runs.ts'
import { type IngestParts, ingestJournal, type JournalPosition } from '../ledger/ingest.ts'
import { createListStore } from '../lists/model-lists.ts'
import type { PriceRow } from '../prices/row.ts'
import { addPrices } from '../prices/stored.ts'
import { type Retention, retain } from '../retention/retention.ts'
import { createTaskStore } from '../tasks/tasks.ts'
import { createTraces } from '../traces/traces.ts'
import { moveDays } from '../usage/move-days.ts'
import { forgetIngestPositions } from '../usage/write.ts'

export interface WriterParts extends IngestParts {
  /** Id of the current process run. */
  readonly run: string
  readonly retention: Retention
}

/** Functions that write to the store, run by the writer thread. */
export type WriterCalls = ReturnType<typeof createWriterCalls>

export function createWriterCalls(parts: WriterParts) {
  const { connection, run, retention, zone } = parts
  const { ingestUpTo, afterAll, end } = createIngest(parts)
  const tasks = createTaskStore(connection)
  const answers = createAnswerStore(connection)
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
    ingestEnded: () => afterAll(async () => {}),
    changeLease: (key: LeaseKey, change: LeaseChange) => changeLease(leases, key, change),
    heartbeat: () => heartbeat(leases, run),
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
    /** Deletes the ingest position of this process, whose journal is about to be deleted, and ends its leases. */
    async forget(): Promise<void> {
      await closeRun(connection, run)
      await forgetIngestPositions(connection, run)
    },
    createKey: (key: NewKey) => createKey(connection, key, Date.now(), zone),
    changeKey: (id: string, change: KeyChange, version?: KeyVersion) => changeKey(connection, id, change, version),
    rotateKey: (id: string, rotation: Rotation) => rotateKey(connection, id, rotation),
    configurePrincipals: (principals: readonly ConfiguredPrincipal[]) => configurePrincipals(connection, principals),
    revokeKey: (idOrName: string) => revokeKey(connection, idOrName),
    writeList: createListStore(connection).write,
    addPrices: (rows: readonly PriceRow[]) => addPrices(connection, rows),
    addTrace: createTraces(connection).add,
    addTask: tasks.add,
    changeTask: tasks.change,
    claimTasks: tasks.claim,
    holdTask: tasks.hold,
    removeTask: tasks.remove,
    putAnswer: answers.put,
    removeAnswer: answers.remove,
    /** Deletes some expired rows, and creates partitions. Resolves with true if more rows have expired. */
    retain: async () => (await retain(connection, { ...retention, zone })).isMore,
    moveDays: createDayMoves(parts),
    async close(): Promise<void> {
      await end()
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
   * Ingests the journal of this process up to a position, and occasionally the journals of ended process runs. Resolves
   * with true if it stopped early and must be called again.
   */
  ingestUpTo(upTo: JournalPosition): Promise<boolean>
  /** Runs a function after ingesting the journals of ended process runs in this data directory. */
  afterAll<Result>(act: () => Promise<Result>): Promise<Result>
  /** Resolves when ingestion in progress has ended. */
  end(): Promise<void>
}

function createIngest(parts: WriterParts): Ingest {
  const ingestEnded = createEndedRunIngest(parts, parts.run)
  let from: JournalPosition | undefined
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

  const ingestSome = async (upTo: JournalPosition): Promise<boolean> => {
    const until = performance.now() + TAKE
    const { isAll, ...at } = await ingestJournal(parts, parts.run, { ...(from && { from }), upTo, until })
    from = at
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
    ingestUpTo: (upTo) => inTurn(() => ingestSome(upTo)),
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
