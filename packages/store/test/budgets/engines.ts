import type { Budget, BudgetRefusal, BudgetRequest } from '@headgate/gateway/ports'
import { onTestFinished } from 'vitest'
import { budgetsSince, type NewBudget, removeBudget, setBudget } from '../../src/budgets/defined.ts'
import { createBudgets, type EngineStore } from '../../src/budgets/engine.ts'
import { heldShares } from '../../src/budgets/held-shares.ts'
import type { LeaseChange, LeaseKey, LeaseReply } from '../../src/budgets/lease.ts'
import type { BudgetTimes } from '../../src/budgets/lease-client.ts'
import { changeLease } from '../../src/budgets/leases.ts'
import { closeRun, restoreRun } from '../../src/budgets/lost-runs.ts'
import { heartbeat, recalledOf } from '../../src/budgets/process-runs.ts'
import { settledRows } from '../../src/budgets/settled.ts'
import { recordUsedUp } from '../../src/budgets/spends.ts'
import type { StoreConnection } from '../../src/database/connection.ts'
import { runSql, transact } from '../../src/database/transaction.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { removeRun } from '../../src/journal/process-run.ts'
import type { Write } from '../../src/journal/tail.ts'
import { createEndedRunIngest } from '../../src/ledger/ended-runs.ts'
import { type IngestParts, ingestJournal, type JournalPosition } from '../../src/ledger/ingest.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { temporaryFolder } from '../journal/journals.ts'

/** In nano-dollars. */
export const DOLLAR = 1_000_000_000n

export interface World {
  readonly connection: StoreConnection
  readonly dataDir: string
  /** The store's clock; default the real one. */
  readonly now?: () => number
  /** That of the process; default the store's. */
  readonly ownNow?: () => number
  readonly times?: Partial<BudgetTimes>
  /** Writes the journal. */
  readonly write?: Write
  /** Monotonic clock of the process. */
  readonly elapsed?: () => number
  /** Whether the store has the begin records; default: calls do not wait for it. */
  readonly begun?: () => Promise<boolean>
}

/** What passes between a process and its store: a test may hold it up, lose it, or double it. */
export type Wire = (key: LeaseKey, change: LeaseChange, send: () => Promise<LeaseReply>) => Promise<LeaseReply>

export type TestProcess = Awaited<ReturnType<typeof startProcess>>

/** A process as far as budgets go: its memory, its journal, and its way to the store. */
export async function startProcess(
  { connection, dataDir, now, ownNow = now, times, write, elapsed, begun }: World,
  wire: Wire = (_key, _change, send) => send(),
) {
  const problems: string[] = []
  const onProblem = (problem: string): void => void problems.push(problem)
  const journal = openJournal({ dataDir, onProblem, fsync: 'never', ...(write && { write }) })
  onTestFinished(() => journal.close())
  const { run, folder } = journal
  const windows = new Map<string, string>()
  const append: typeof journal.append = (record) => {
    const [hold] = (record.kind === 'b' && record.holds) || []
    if (record.kind === 'b' && hold) windows.set(record.id, hold.win)
    return journal.append(record)
  }
  const parts: IngestParts = {
    connection,
    dataDir,
    zone: 'UTC',
    quarantine: { add() {} },
    onQuarantine: onProblem,
    onProblem,
  }
  const leases = { connection, node: 'test', ...(now && { now }) }
  let from: JournalPosition | undefined
  let isAway = false
  const ingestEnded = createEndedRunIngest(parts, run)
  const store: EngineStore = {
    changeLease: (key, change) => wire(key, change, () => changeLease(leases, key, change)),
    ingestEnded: async () => void (await ingestEnded()),
    async heartbeat() {
      if (isAway) throw new Error('The store is away.')
      const pulse = await heartbeat(leases, run)
      if (pulse.isClosed) await restoreRun({ ...leases, zone: 'UTC' }, run)
      return pulse
    },
    settledRows: (asked) => settledRows(connection, asked),
    heldShares: (windows) => heldShares(connection, run, windows),
    usedUp: (window) => transact(connection, (trx) => recordUsedUp(connection, trx, window)),
  }
  const engine = createBudgets({
    journal: { ...journal, append },
    store,
    onProblem,
    ...(ownNow && { now: ownNow }),
    ...(times && { times }),
    ...(elapsed && { elapsed }),
    ...(begun && { begun }),
  })
  const ingestUpTo = async (upTo: JournalPosition): Promise<boolean> => {
    from = await ingestJournal(parts, run, { ...(from && { from }), upTo })
    return false
  }
  const ledger = createLedger({ journal, budgets: engine, ingestUpTo, onProblem })
  onTestFinished(() => ledger.abandon())
  const learn = async (): Promise<void> => {
    const changes = await budgetsSince(connection, engine.version())
    if (changes) engine.change(changes)
  }
  await learn()
  return {
    run,
    engine,
    ledger,
    journal,
    problems,
    /** Window of a request that was admitted, by its id. */
    windowOf: (id: string): string => windows.get(id) ?? '',
    learn,
    ingestEnded: store.ingestEnded,
    /** What a process does each second. */
    async heartbeat() {
      await learn()
      await engine.heartbeat()
    },
    /** Hears of recalls, as soon as there are some. */
    async hear() {
      engine.recalled(await recalledOf(connection.db, run))
    },
    /** Heartbeats get no answer, or get one again. */
    cutOff(isCut: boolean) {
      isAway = isCut
    },
    /** Ends in order, once its rows are stored: its leases end. */
    async close() {
      await ledger.ingest()
      ledger.abandon()
      await closeRun(parts, run)
      removeRun(folder)
    },
    /** Ends at once, with whatever is under way. */
    kill() {
      ledger.abandon()
    },
    /** The folder goes with its machine. */
    vanish() {
      ledger.abandon()
      removeRun(folder)
    },
  }
}

export async function openWorld(connection: StoreConnection, more: Partial<World> = {}): Promise<World> {
  return { connection, dataDir: temporaryFolder(), ...more }
}

export function define(connection: StoreConnection, change: Partial<NewBudget> = {}): Promise<Budget> {
  const budget = { scope: 'key', owner: 'key_1', limit: 5n * DOLLAR, period: 'day', ...change } as const
  return setBudget(connection, budget, 'UTC')
}

export function undefine(connection: StoreConnection, { id }: Budget): Promise<boolean> {
  return removeBudget(connection, id)
}

/** Asks, and says whether the call may be made. */
export async function admits({ engine }: TestProcess, request: BudgetRequest): Promise<boolean> {
  return (await engine.reserve(request)) === undefined
}

/** Asks for a call that may not be made. */
export async function refusal({ engine }: TestProcess, request: BudgetRequest): Promise<BudgetRefusal> {
  const refused = await engine.reserve(request)
  if (!refused) throw new Error('It was admitted.')
  return refused
}

/** What the store has of all windows, and what its rows say that they count for. */
export async function accountsOf({ db }: StoreConnection) {
  const windows = await db.selectFrom('budget_windows').selectAll().orderBy('budget').orderBy('win').execute()
  const leases = await db.selectFrom('budget_leases').selectAll().execute()
  const counted = await db.selectFrom('usage_budgets').selectAll().execute()
  return windows.map(({ budget, win, spent, leased }) => {
    const of = <Row extends { budget: string; win: string }>(rows: Row[]): Row[] =>
      rows.filter((row) => row.budget === budget && row.win === win)
    const left = of(leases).reduce((sum, { granted, used }) => sum + (granted > used ? granted - used : 0n), 0n)
    const amounts = of(counted).reduce((sum, { amount }) => sum + amount, 0n)
    return { budget, win, spent, leased, left, counted: amounts }
  })
}

/** Empties the tables that tests of one store share. */
export async function clear({ db }: StoreConnection): Promise<void> {
  for (const table of [
    'usage',
    'usage_attempts',
    'usage_budgets',
    'budget_begins',
    'budget_held',
    'budget_leases',
    'budget_windows',
    'budget_alerts',
    'budgets',
    'process_runs',
    'ingest_positions',
  ])
    await runSql(db, `DELETE FROM ${table}`)
}
