import type { Budget, Budgets } from '@headgate/gateway/ports'
import type { ReaderCalls } from '../threads/reader.ts'
import type { WriterCalls } from '../threads/writer.ts'
import { budgetOf, type NewBudget } from './defined.ts'
import type { BudgetEngine, EngineStore, ExceededReservations } from './engine.ts'
import type { HeldAmount, HeldQuery, Release } from './held.ts'
import type { OrphanOutcome, SilentRun } from './orphaned-leases.ts'
import type { BudgetStatus } from './status.ts'

/** Budgets of a gateway (its `budgets` option), with their administration. */
export interface StoreBudgets extends Budgets {
  /** Active budgets, in order of creation. Requests that have just ended may not be counted yet. */
  list(): Promise<readonly BudgetStatus[]>
  /** Active budgets with the least left, at most `most`. */
  fullest(most: number): Promise<readonly BudgetStatus[]>
  /**
   * Creates a budget or replaces the one with its id. All processes use it within a second.
   * @throws HeadgateError for an invalid budget
   */
  set(budget: NewBudget): Promise<Budget>
  /** Resolves with false if the budget does not exist. */
  remove(id: string): Promise<boolean>
  /** Replaces the budgets of the configuration. */
  configure(budgets: readonly (NewBudget & { readonly id: string })[]): Promise<void>
  /** Processes without a heartbeat for a minute. Other processes cannot spend their leases. */
  silent(): Promise<readonly SilentRun[]>
  /**
   * Ends the leases of a silent process, once it has certainly ended: they count as spent, in usage rows `unknown`, or
   * become available again. Resolves with false if they were ended before.
   * @throws HeadgateError `not-found` for an unknown process, `conflict` for one with a recent heartbeat or a journal
   * in this data directory
   */
  end(run: string, how: OrphanOutcome): Promise<boolean>
  /** Held amounts of unknown costs, newest first. Requests that have just ended may be missing. */
  held(query?: HeldQuery): Promise<readonly HeldAmount[]>
  /**
   * Releases the held amount of a request, and books its cost if the provider charged one. Resolves with the amount, or
   * undefined if nothing is held.
   * @throws HeadgateError `not-found` for an unknown row
   */
  releaseHeld(release: Release): Promise<HeldAmount | undefined>
  /** Maximum part of a shared budget that unknown costs of one key can hold, from 0 to 1; default 0.2. */
  limitHeld(share?: number): void
  /** Requests that cost more than their reservation, since the start. */
  missed(): ExceededReservations
}

/** Budgets of this process, over all its process runs. */
export type OwnBudgets = Pick<BudgetEngine, 'bounds' | 'reserve' | 'release' | 'missed' | 'limitHeld'>

export interface StoreBudgetsParts {
  readonly engine: OwnBudgets
  readonly writer: Omit<WriterCalls, 'close'>
  readonly reader: Omit<ReaderCalls, 'close'>
  readonly zone: string
  /** Reads changed budgets. */
  refresh(): Promise<void>
}

export function createStoreBudgets({ engine, writer, reader, zone, refresh }: StoreBudgetsParts): StoreBudgets {
  const changed = async <Result>(change: Promise<Result>): Promise<Result> => {
    const result = await change
    await refresh()
    return result
  }
  return {
    bounds: engine.bounds,
    reserve: engine.reserve,
    release: engine.release,
    missed: engine.missed,
    list: reader.budgetStatuses,
    fullest: reader.fullestBudgets,
    // Invalid budgets are rejected on this thread.
    set: async (budget) => changed(writer.setBudget({ ...budgetOf(budget, zone) })),
    remove: (id) => changed(writer.removeBudget(id)),
    configure: async (budgets) => changed(writer.configureBudgets(budgets.map((budget) => budgetOf(budget, zone)))),
    held: reader.heldAmounts,
    releaseHeld: (release) => changed(writer.releaseHeld(release)),
    limitHeld: engine.limitHeld,
    silent: writer.silentRuns,
    end: writer.endSilentRun,
  }
}

export interface KeeperParts {
  readonly engine: BudgetEngine
  readonly reader: Omit<ReaderCalls, 'close'>
  readonly run: string
  readonly every: number
}

/** Keeps the budgets that a process knows up to date. */
export interface BudgetKeeper {
  /** Reads changed budgets. Rejects if the store does not answer. */
  refresh(): Promise<void>
  /** Called when another process recalls leases. */
  recalled(): void
  end(): void
}

export function createKeeper({ engine, reader, run, every }: KeeperParts): BudgetKeeper {
  let isStale = false
  let isWatching = false
  let refreshing: Promise<void> = Promise.resolve()
  /** A single read runs at a time, so that an older result never replaces a newer one. */
  const refresh = (): Promise<void> => {
    refreshing = refreshing.catch(() => {}).then(refreshNow)
    return refreshing
  }
  const refreshNow = async (): Promise<void> => {
    isStale = true
    const changes = await reader.budgetsSince(engine.version())
    if (changes) engine.change(changes)
    isStale = false
    if (engine.version() === 0 || isWatching) return
    await reader.watchRecalls()
    isWatching = true
  }
  const heartbeat = (): void => {
    if (isStale) refresh().catch(() => {})
    if (engine.version() > 0) void engine.heartbeat()
  }
  const timer = setInterval(heartbeat, every).unref()
  return {
    refresh,
    recalled() {
      if (!engine.holds()) return
      reader.recalled(run).then(engine.recalled, () => {})
    },
    end: () => clearInterval(timer),
  }
}

/** Store of an engine, behind a thread. It waits until the leases of ended processes are ingested. */
export function engineStore(
  { writer, reader }: Pick<StoreBudgetsParts, 'writer' | 'reader'>,
  run: string,
  ready: () => Promise<unknown>,
): EngineStore {
  return {
    changeLease: async (key, change) => {
      await ready()
      return writer.changeLease(key, change)
    },
    ingestEnded: writer.ingestEnded,
    heartbeat: () => writer.heartbeat(run),
    usedUp: writer.usedUp,
    settledRows: reader.settledRows,
    heldShares: (windows) => reader.heldShares(run, windows),
  }
}
