import type { Budget, BudgetRequest, BudgetRefusal } from '@headgate/gateway/ports'
import { onTestFinished } from 'vitest'
import type { BudgetTimes } from '../../src/budgets/asking.ts'
import { budgetsSince, type NewBudget, removeBudget, setBudget } from '../../src/budgets/defined.ts'
import { createBudgets, type EngineStore } from '../../src/budgets/engine.ts'
import { heldShares } from '../../src/budgets/held-shares.ts'
import type { LeaseAnswer, LeaseChange, LeaseKey } from '../../src/budgets/lease.ts'
import { changeLease } from '../../src/budgets/leases.ts'
import { beat, recalledOf } from '../../src/budgets/lives.ts'
import { settledRows } from '../../src/budgets/settled.ts'
import { noteUsedUp } from '../../src/budgets/spends.ts'
import type { Connection } from '../../src/database/connection.ts'
import { run, transact } from '../../src/database/transaction.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { removeLife } from '../../src/journal/life.ts'
import type { Write } from '../../src/journal/tail.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { createTakeOver } from '../../src/ledger/over.ts'
import { type Position, type TakeParts, takeLife } from '../../src/ledger/take.ts'
import { temporaryFolder } from '../journal/journals.ts'

/** In nano-dollars. */
export const DOLLAR = 1_000_000_000n

interface World {
  readonly connection: Connection
  readonly dataDir: string
  /** The store's clock; default the real one. */
  readonly now?: () => number
  /** That of the process; default the store's. */
  readonly ownNow?: () => number
  readonly times?: Partial<BudgetTimes>
  /** Writes the journal. */
  readonly write?: Write
}

/** What passes between a process and its store: a test may hold it up, lose it, or double it. */
export type Wire = (key: LeaseKey, change: LeaseChange, send: () => Promise<LeaseAnswer>) => Promise<LeaseAnswer>

export type TestProcess = Awaited<ReturnType<typeof startProcess>>

/** A process as far as budgets go: its memory, its journal, and its way to the store. */
export async function startProcess(
  { connection, dataDir, now, ownNow = now, times, write }: World,
  wire: Wire = (_key, _change, send) => send(),
) {
  const problems: string[] = []
  const onProblem = (problem: string): void => void problems.push(problem)
  const journal = openJournal({ dataDir, onProblem, fsync: 'never', ...(write && { write }) })
  onTestFinished(() => journal.close())
  const { life, folder } = journal
  const windows = new Map<string, string>()
  const append: typeof journal.append = (record) => {
    const [hold] = (record.kind === 'b' && record.holds) || []
    if (record.kind === 'b' && hold) windows.set(record.id, hold.win)
    return journal.append(record)
  }
  const parts: TakeParts = { connection, dataDir, zone: 'UTC', aside: { add() {} }, onPutAside: onProblem, onProblem }
  const leases = { connection, node: 'test', ...(now && { now }) }
  let from: Position | undefined
  const takeOver = createTakeOver(parts, life)
  const store: EngineStore = {
    changeLease: (key, change) => wire(key, change, () => changeLease(leases, key, change)),
    takeOver: async () => void (await takeOver()),
    beat: () => beat(leases, life),
    settledRows: (asked) => settledRows(connection, asked),
    heldShares: (windows) => heldShares(connection, life, windows),
    usedUp: (window) => transact(connection, (trx) => noteUsedUp(connection, trx, window)),
  }
  const engine = createBudgets({
    journal: { ...journal, append },
    store,
    onProblem,
    ...(ownNow && { now: ownNow }),
    ...(times && { times }),
  })
  const take = async (upTo: Position): Promise<boolean> => {
    from = await takeLife(parts, life, { ...(from && { from }), upTo })
    return false
  }
  const ledger = createLedger({ journal, budgets: engine, take, onProblem })
  onTestFinished(() => ledger.abandon())
  const learn = async (): Promise<void> => {
    const changes = await budgetsSince(connection, engine.version())
    if (changes) engine.change(changes)
  }
  await learn()
  return {
    life,
    engine,
    ledger,
    journal,
    problems,
    /** Window of a request that was admitted, by its id. */
    windowOf: (id: string): string => windows.get(id) ?? '',
    learn,
    takeOver: store.takeOver,
    /** What a process does each second. */
    async beat() {
      await learn()
      await engine.beat()
    },
    /** Hears of recalls, as soon as there are some. */
    async hear() {
      engine.recalled(await recalledOf(connection.db, life))
    },
    /** Ends at once, with whatever is under way. */
    kill() {
      ledger.abandon()
    },
    /** The folder goes with its machine. */
    vanish() {
      ledger.abandon()
      removeLife(folder)
    },
  }
}

export async function openWorld(connection: Connection, more: Partial<World> = {}): Promise<World> {
  return { connection, dataDir: temporaryFolder(), ...more }
}

export function define(connection: Connection, change: Partial<NewBudget> = {}): Promise<Budget> {
  const budget = { scope: 'key', owner: 'key_1', limit: 5n * DOLLAR, period: 'day', ...change } as const
  return setBudget(connection, budget, 'UTC')
}

export function undefine(connection: Connection, { id }: Budget): Promise<boolean> {
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
export async function accountsOf({ db }: Connection) {
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
export async function clear({ db }: Connection): Promise<void> {
  for (const table of [
    'usage',
    'usage_attempts',
    'usage_budgets',
    'budget_held',
    'budget_leases',
    'budget_windows',
    'budget_alerts',
    'budgets',
    'lives',
    'taken',
  ])
    await run(db, `DELETE FROM ${table}`)
}
