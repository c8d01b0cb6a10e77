import type { Budget, Budgets } from '@headgate/gateway/ports'
import type { ReaderCalls } from '../threads/reader.ts'
import type { WriterCalls } from '../threads/writer.ts'
import { budgetOf, type NewBudget } from './defined.ts'
import type { DoubtEnd, SilentLife } from './doubts.ts'
import type { BudgetEngine, EngineStore, Missed } from './engine.ts'
import type { HeldAmount, HeldQuery, Release } from './held.ts'
import type { BudgetStatus } from './status.ts'

/** What may be spent: a gateway's `budgets`, and what they are. */
export interface StoreBudgets extends Budgets {
  /** Those that hold, in the order of their making. What has just ended may not be counted yet. */
  list(): Promise<readonly BudgetStatus[]>
  /**
   * Makes a budget, or has it hold instead of the one of its id: within a second, in all processes. @throws
   * HeadgateError for one that is none.
   */
  set(budget: NewBudget): Promise<Budget>
  /** Resolves with whether there was one. */
  remove(id: string): Promise<boolean>
  /** Has the budgets of the configuration be these, which need ids, and no other ones. */
  configure(budgets: readonly (NewBudget & { readonly id: string })[]): Promise<void>
  /** Processes that have not been heard of for a minute: what they hold of budgets can not be spent by others. */
  silent(): Promise<readonly SilentLife[]>
  /**
   * Ends what such a process holds, once it is surely over: it counts as spent, in usage rows `unknown`, or may be
   * spent by others. Resolves with whether it did: false where it was ended before. @throws HeadgateError `not-found`
   * for a process that is not known,
   * `conflict` for one that was heard of, or whose journal is here.
   */
  end(life: string, how: DoubtEnd): Promise<boolean>
  /** Held amounts of unknown costs, newest first. What has just ended may not be listed yet. */
  held(query?: HeldQuery): Promise<readonly HeldAmount[]>
  /**
   * Releases the held amount of a request, and books its cost if the provider charged one. Resolves with the amount, or
   * undefined if nothing of it is held any more. @throws HeadgateError `not-found` for a row that holds nothing.
   */
  releaseHeld(release: Release): Promise<HeldAmount | undefined>
  /** Percentage of a shared budget that the unknown costs of one key may hold, from 0 to 1; default 0.2. */
  limitHeld(share?: number): void
  /** Requests that cost more than the most that was reserved for them, since the start. */
  missed(): Missed
}

export interface StoreBudgetsParts {
  readonly engine: BudgetEngine
  readonly writer: Omit<WriterCalls, 'close'>
  readonly reader: Omit<ReaderCalls, 'close'>
  readonly zone: string
  /** Hears of what has changed. */
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
    // Invalid budgets are refused on this thread.
    set: async (budget) => changed(writer.setBudget({ ...budgetOf(budget, zone) })),
    remove: (id) => changed(writer.removeBudget(id)),
    configure: async (budgets) => changed(writer.configureBudgets(budgets.map((budget) => budgetOf(budget, zone)))),
    held: reader.heldAmounts,
    releaseHeld: (release) => changed(writer.releaseHeld(release)),
    limitHeld: engine.limitHeld,
    silent: writer.silentLives,
    end: writer.endDoubt,
  }
}

export interface KeeperParts {
  readonly engine: BudgetEngine
  readonly reader: Omit<ReaderCalls, 'close'>
  readonly life: string
  readonly every: number
}

/** Keeps what a process knows of budgets up to date. */
export interface BudgetKeeper {
  /** Hears of budgets that have changed. Rejects where the store does not say. */
  refresh(): Promise<void>
  /** Somebody asks for money back. */
  recalled(): void
  end(): void
}

export function createKeeper({ engine, reader, life, every }: KeeperParts): BudgetKeeper {
  let isStale = false
  let isWatching = false
  let refreshing: Promise<void> = Promise.resolve()
  /** One after the other: what was read first is known first. */
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
  const beat = (): void => {
    if (isStale) refresh().catch(() => {})
    if (engine.version() > 0) void engine.beat()
  }
  const timer = setInterval(beat, every).unref()
  return {
    refresh,
    recalled() {
      if (!engine.holds()) return
      reader.recalled(life).then(engine.recalled, () => {})
    },
    end: () => clearInterval(timer),
  }
}

/**
 * The store of an engine, behind a thread. What it has to know of those that were before it, it knows before it is
 * asked.
 */
export function engineStore(
  { writer, reader }: Pick<StoreBudgetsParts, 'writer' | 'reader'>,
  life: string,
  ready: () => Promise<unknown>,
): EngineStore {
  return {
    changeLease: async (key, change) => {
      await ready()
      return writer.changeLease(key, change)
    },
    takeOver: writer.takeOver,
    beat: writer.beat,
    usedUp: writer.usedUp,
    settledRows: reader.settledRows,
    heldShares: (windows) => reader.heldShares(life, windows),
  }
}
