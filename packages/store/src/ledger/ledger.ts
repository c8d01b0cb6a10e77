import type { Ledger } from '@headgate/gateway/ports'
import type { BudgetEngine } from '../budgets/engine.ts'
import type { Journal } from '../journal/journal.ts'
import type { Position } from './take.ts'

/** The ledger of a process: rows go to its journal, and from there into the store. */
export interface StoreLedger extends Ledger {
  /** Resolves once the row is safe: it lies in the journal, or waits in memory as no disk takes it. Never rejects. */
  settle(row: Parameters<Ledger['settle']>[0]): Promise<void>
  /** False while the journal can not be written: rows wait in memory then. */
  writable(): boolean
  /** False while the store takes no rows: they stay in the journal. */
  stored(): boolean
  /** Rows that wait in memory. */
  waiting(): number
  /** Rows that are nowhere, since the start. */
  lost(): number
  /** Rows that the store lacks, as far as this process knows: they lie in its journal, or wait. */
  behind(): number
  /** Takes into the store what is in the journal. @throws when the store can not take it now. */
  takeIn(): Promise<void>
  /** Whether the store has all that was settled; what is lost aside. */
  isTaken(): boolean
  /** Writes what waits into the journal, now, and ends it: for a process that is about to end. */
  abandon(): void
}

export interface LedgerOptions {
  readonly journal: Journal
  /** What rows count for. */
  readonly budgets?: Pick<BudgetEngine, 'settled'> | undefined
  /** Usage rows that are lost because a journal was cut; none by default. */
  cut?(): number
  /**
   * Has the store take this process's journal, as far as it is said. Resolves with whether it has to be asked again.
   */
  take(upTo: Position): Promise<boolean>
  /** Told once when the store fails, and once when it is back. */
  onProblem(message: string): void
}

/** How long at most a row lies in the journal only, in milliseconds. */
const VISIBLE = 250
/** How often a store that failed is tried again, in milliseconds. */
const RETRY = 1_000

export function createLedger({ journal, budgets, cut = () => 0, take, onProblem }: LedgerOptions): StoreLedger {
  let timer: NodeJS.Timeout | undefined
  let stored = true
  let over = false
  let taken: Position = { segment: 0, offset: 0 }
  let settled = 0
  /** Of those that were settled, how many are in the store or lost. */
  let done = 0
  let lost = 0
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const schedule = (wait: number): void => {
    if (timer || over) return
    timer = setTimeout(() => {
      timer = undefined
      takeIn().catch(() => {})
    }, wait)
    timer.unref()
  }

  const takeNow = async (): Promise<void> => {
    let waits = 0
    const takeSome = async (): Promise<boolean> => {
      journal.flush()
      const upTo = journal.written()
      const lostRows = journal.lost()
      waits = journal.waiting()
      const upToRows = settled - waits
      if (await take(upTo)) return true
      taken = upTo
      done = upToRows
      lost = lostRows
      return false
    }
    try {
      while (await takeSome()) if (over) return
      // The journal writes what waits once its disk has room: no request may come by then.
      if (waits > 0) schedule(RETRY)
      if (!stored) onProblem('The store takes usage rows again.')
      stored = true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (stored && !over) onProblem(`The store takes no usage rows, they stay in the journal: ${reason}`)
      stored = false
      schedule(RETRY)
      throw error
    }
  }

  const begin = (): Promise<void> => {
    const own = takeNow().finally(() => {
      if (running === own) running = undefined
    })
    running = own
    return own
  }

  /** One after the other; all who ask meanwhile share the next. */
  const takeIn = (): Promise<void> => {
    if (!running) return begin()
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }

  return {
    settle(row) {
      settled += 1
      schedule(stored ? VISIBLE : RETRY)
      const counted = budgets?.settled(row)
      if (!counted) return journal.append({ kind: 'e', row })
      const { spends, held } = counted
      return journal.append({
        kind: 'e',
        row: held === undefined ? row : { ...row, held },
        ...(spends.length > 0 && { spends }),
      })
    },
    writable: journal.writable,
    stored: () => stored,
    waiting: journal.waiting,
    lost: () => journal.lost() + cut(),
    behind: () => settled - done - (journal.lost() - lost),
    takeIn,
    isTaken: () => {
      const { segment, offset } = journal.written()
      return journal.waiting() === 0 && taken.segment === segment && taken.offset === offset
    },
    abandon() {
      over = true
      clearTimeout(timer)
      journal.close()
    },
  }
}
