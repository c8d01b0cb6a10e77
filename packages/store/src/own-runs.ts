import type { BudgetEngine, ExceededReservations } from './budgets/engine.ts'
import type { BudgetKeeper, OwnBudgets } from './budgets/store-budgets.ts'
import type { Journal } from './journal/journal.ts'
import { removeRun } from './journal/process-run.ts'
import type { StoreLedger } from './ledger/ledger.ts'
import { within } from './within.ts'

/** A process run of this process. */
export interface OwnRun {
  readonly journal: Journal
  readonly engine: BudgetEngine
  readonly ledger: StoreLedger
  readonly keeper: BudgetKeeper
}

export interface OwnRunsParts {
  /** Opens the journal of another run. @throws HeadgateError if it cannot be written */
  open(): Journal
  /** Begins the run of a journal. `onClosed` is called whenever the store reports that the run is closed. */
  begin(journal: Journal, onClosed: () => void): OwnRun
  /** Ends the leases of a run whose journal is ingested. */
  endLeases(run: string): Promise<void>
  /** Deletes the ingest positions of a run whose journal is deleted. */
  forget(run: string): Promise<void>
  /** Number of usage rows lost because a journal was truncated. */
  cut(): number
  onProblem(message: string): void
}

/**
 * Process runs of this process: the current one, and closed ones whose requests are in progress. If the store closes
 * the current run, for example because this process was suspended for a minute, another run begins.
 */
export interface OwnRuns {
  readonly budgets: OwnBudgets & Pick<BudgetEngine, 'learn'>
  readonly ledger: StoreLedger
  /** True if the store has budgets. */
  hasBudgets(): boolean
  /** Reads changed budgets. Rejects if the store does not answer. */
  refresh(): Promise<void>
  /** Called when other processes recall leases. */
  recalled(): void
  /** Ingests and closes all journals, and deletes journals whose rows are in the store. */
  close(): Promise<void>
}

/** Interval of checks for closed runs without requests in progress, in milliseconds. */
const ENDED = 1_000
/** Maximum time to ingest the last rows at the end, in milliseconds. After it they stay in the journal. */
const LAST = 5_000

interface OwnRunsState {
  readonly parts: OwnRunsParts
  current: OwnRun
  readonly ending: Set<OwnRun>
  /** Checks closed runs; undefined without any. */
  timer: NodeJS.Timeout | undefined
  isChecking: boolean
  isOver: boolean
  /** True if the last attempt to begin another run failed. */
  isFailing: boolean
  /** Argument of `limitHeld`. */
  heldPart: number | undefined
  /** Lost rows and exceeded reservations of runs that have ended. */
  lost: number
  missed: ExceededReservations
}

/** Begins the first run. */
export function beginOwnRuns(first: Journal, parts: OwnRunsParts): OwnRuns {
  const begin = (journal: Journal): OwnRun => {
    const run: OwnRun = parts.begin(journal, () => renew(state, run, begin))
    return run
  }
  const state: OwnRunsState = {
    parts,
    current: begin(first),
    ending: new Set(),
    timer: undefined,
    isChecking: false,
    isOver: false,
    isFailing: false,
    heldPart: undefined,
    lost: 0,
    missed: { requests: 0, nanos: 0n },
  }
  const ledger = ledgerOf(state)
  return {
    ledger,
    budgets: budgetsOf(state),
    hasBudgets: () => state.current.engine.version() > 0,
    refresh: async () => {
      await Promise.all(all(state).map(({ keeper }) => keeper.refresh()))
    },
    recalled() {
      for (const { keeper } of all(state)) keeper.recalled()
    },
    close: () => close(state, ledger),
  }
}

function all({ current, ending }: OwnRunsState): OwnRun[] {
  return [current, ...ending]
}

/** Run with the reservation of a request, or else the current one. */
function runOf({ current, ending }: OwnRunsState, id: string): OwnRun {
  if (ending.size > 0 && !current.engine.owns(id)) for (const run of ending) if (run.engine.owns(id)) return run
  return current
}

function budgetsOf(state: OwnRunsState): OwnRuns['budgets'] {
  return {
    bounds: (principal) => state.current.engine.bounds(principal),
    // A closed run refuses further calls of its requests.
    reserve: (ask) => runOf(state, ask.id).engine.reserve(ask),
    release: (id) => runOf(state, id).engine.release(id),
    learn: (budgets) => state.current.engine.learn(budgets),
    limitHeld(part) {
      state.heldPart = part
      state.current.engine.limitHeld(part)
    },
    missed: () => all(state).reduce((sum, { engine }) => added(sum, engine.missed()), state.missed),
  }
}

function added(one: ExceededReservations, other: ExceededReservations): ExceededReservations {
  return { requests: one.requests + other.requests, nanos: one.nanos + other.nanos }
}

function ledgerOf(state: OwnRunsState): StoreLedger {
  const sum = (count: (ledger: StoreLedger) => number): number =>
    all(state).reduce((total, { ledger }) => total + count(ledger), 0)
  return {
    settle: (row) => runOf(state, row.id).ledger.settle(row),
    writable: () => state.current.ledger.writable(),
    stored: () => all(state).every(({ ledger }) => ledger.stored()),
    waiting: () => sum((ledger) => ledger.waiting()),
    lost: () => state.lost + state.parts.cut() + sum((ledger) => ledger.lost()),
    behind: () => sum((ledger) => ledger.behind()),
    ingest: async () => {
      await Promise.all(all(state).map(({ ledger }) => ledger.ingest()))
    },
    isIngested: () => all(state).every(({ ledger }) => ledger.isIngested()),
    abandon() {
      for (const { ledger } of all(state)) ledger.abandon()
    },
  }
}

/** Begins another run after the store has closed one. Requests in progress settle in the closed one. */
function renew(state: OwnRunsState, closed: OwnRun, begin: (journal: Journal) => OwnRun): void {
  if (state.isOver || closed !== state.current) return
  const { open, onProblem } = state.parts
  try {
    const next = begin(open())
    next.engine.change(closed.engine.known())
    next.engine.limitHeld(state.heldPart)
    state.current = next
    state.ending.add(closed)
    state.isFailing = false
    next.keeper.refresh().catch(() => {})
    state.timer ??= setInterval(() => void checkEnded(state), ENDED).unref()
    onProblem(
      `The store received no heartbeat of this process for a minute, so the budget leases of its process run ${closed.journal.run} were closed. It continues as ${next.journal.run} with new leases.`,
    )
  } catch (error) {
    if (!state.isFailing)
      onProblem(`Requests with budgets are refused, since no process run can begin: ${String(error)}`)
    state.isFailing = true
  }
}

/** Ends closed runs without requests in progress. */
async function checkEnded(state: OwnRunsState): Promise<void> {
  if (state.isChecking || state.isOver) return
  state.isChecking = true
  // It is repeated; the ledger reports a store that does not answer.
  for (const run of state.ending) await endRun(state, run).catch(() => {})
  state.isChecking = false
  if (state.ending.size > 0) return
  clearInterval(state.timer)
  state.timer = undefined
}

async function endRun(state: OwnRunsState, run: OwnRun): Promise<void> {
  const { engine, ledger, journal, keeper } = run
  if (engine.underway() > 0) return
  await ledger.ingest()
  if (!ledger.isIngested()) return
  await state.parts.endLeases(journal.run)
  if (state.isOver || !ledger.isIngested()) return
  keeper.end()
  removeRun(journal.folder)
  ledger.abandon()
  state.ending.delete(run)
  state.lost += ledger.lost()
  state.missed = added(state.missed, engine.missed())
  await state.parts.forget(journal.run)
}

/**
 * A journal is deleted while this process has its lock, and before its positions: another process that finds a journal
 * without positions regards its deleted segments as lost.
 */
async function close(state: OwnRunsState, ledger: StoreLedger): Promise<void> {
  const { endLeases, forget } = state.parts
  state.isOver = true
  clearInterval(state.timer)
  for (const { keeper } of all(state)) keeper.end()
  await within(LAST, ledger.ingest())
  const deleted: string[] = []
  for (const { ledger, engine, journal } of all(state)) {
    // Requests in progress are in the journal only.
    const isEnded = (): boolean => ledger.isIngested() && engine.underway() === 0
    if (!isEnded() || !(await within(LAST, endLeases(journal.run))) || !isEnded()) continue
    removeRun(journal.folder)
    deleted.push(journal.run)
  }
  ledger.abandon()
  for (const run of deleted) await within(LAST, forget(run))
}
