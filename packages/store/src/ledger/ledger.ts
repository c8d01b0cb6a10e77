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

export function createLedger(options: LedgerOptions): StoreLedger {
  const { journal, budgets, cut = () => 0 } = options
  const intake = createIntake(options)
  return {
    settle(row) {
      intake.settled += 1
      intake.schedule()
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
    stored: () => intake.stored,
    waiting: journal.waiting,
    lost: () => journal.lost() + cut(),
    behind: () => intake.settled - intake.done - (journal.lost() - intake.lost),
    takeIn: intake.takeIn,
    isTaken: () => {
      const { segment, offset } = journal.written()
      return journal.waiting() === 0 && intake.taken.segment === segment && intake.taken.offset === offset
    },
    abandon() {
      intake.end()
      journal.close()
    },
  }
}

/** The way of rows from the journal into the store. */
interface Intake {
  settled: number
  /** Number of settled rows that are in the store or lost. */
  done: number
  lost: number
  /** Position up to which the journal is in the store. */
  taken: Position
  /** False while the store accepts no rows. */
  stored: boolean
  /** Stores new rows soon. */
  schedule(): void
  takeIn(): Promise<void>
  end(): void
}

function createIntake({ journal, take, onProblem }: LedgerOptions): Intake {
  let timer: NodeJS.Timeout | undefined
  let over = false
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const takeAt = (wait: number): void => {
    if (timer || over) return
    timer = setTimeout(() => {
      timer = undefined
      intake.takeIn().catch(() => {})
    }, wait)
    timer.unref()
  }

  /** Resolves with the number of rows that wait in memory, or undefined if the store has to be called again. */
  const takeSome = async (): Promise<number | undefined> => {
    journal.flush()
    const [upTo, lost, waits, settled] = [journal.written(), journal.lost(), journal.waiting(), intake.settled]
    if (await take(upTo)) return undefined
    intake.taken = upTo
    intake.done = settled - waits
    intake.lost = lost
    return waits
  }

  const takeNow = async (): Promise<void> => {
    try {
      let waits = await takeSome()
      while (waits === undefined && !over) waits = await takeSome()
      if (waits === undefined) return
      // The journal writes waiting rows once its disk has room, even without another request.
      if (waits > 0) takeAt(RETRY)
      if (!intake.stored) onProblem('The store takes usage rows again.')
      intake.stored = true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (intake.stored && !over) onProblem(`The store takes no usage rows, they stay in the journal: ${reason}`)
      intake.stored = false
      takeAt(RETRY)
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

  const intake: Intake = {
    settled: 0,
    done: 0,
    lost: 0,
    taken: { segment: 0, offset: 0 },
    stored: true,
    schedule: () => takeAt(intake.stored ? VISIBLE : RETRY),
    // One at a time. Calls in the meantime share the next one.
    takeIn() {
      if (!running) return begin()
      next ??= running
        .catch(() => {})
        .then(() => {
          next = undefined
          return begin()
        })
      return next
    },
    end() {
      over = true
      clearTimeout(timer)
    },
  }
  return intake
}
