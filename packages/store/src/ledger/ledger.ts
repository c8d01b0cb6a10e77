import type { Ledger } from '@headgate/gateway/ports'
import type { BudgetEngine } from '../budgets/engine.ts'
import type { Journal } from '../journal/journal.ts'
import { within } from '../within.ts'
import type { JournalPosition } from './ingest.ts'

/** Ledger of a process: rows are written to its journal, and from there to the store. */
export interface StoreLedger extends Ledger {
  /** Resolves once the row is safe in the journal, or waits in memory because the disk rejects it. Never rejects. */
  settle(row: Parameters<Ledger['settle']>[0]): Promise<void>
  /** False while the journal cannot be written and rows wait in memory. */
  writable(): boolean
  /** False while the store accepts no rows and they stay in the journal. */
  stored(): boolean
  /** Number of rows that wait in memory. */
  waiting(): number
  /** Number of lost rows since the start. */
  lost(): number
  /** Number of rows that are not in the store yet, as far as this process knows: they are in its journal, or wait. */
  behind(): number
  /** Ingests the journal into the store. @throws the store's error if it cannot accept rows now */
  ingest(): Promise<void>
  /** True if the store has all settled rows, except lost ones. */
  isIngested(): boolean
  /** Writes waiting rows to the journal and closes it, before the process exits. */
  abandon(): void
}

export interface LedgerOptions {
  readonly journal: Journal
  /** Budgets that count rows. */
  readonly budgets?: Pick<BudgetEngine, 'settled'> | undefined
  /** Number of usage rows lost because a journal was truncated; default 0. */
  cut?(): number
  /** Ingests this process's journal up to a position. Resolves with true if it must be called again. */
  ingestUpTo(upTo: JournalPosition): Promise<boolean>
  /** Copies records of the journal to the store while their rows wait for others; default: nothing. */
  copyUpTo?: ((upTo: JournalPosition) => Promise<void>) | undefined
  /** True if rows are settled only once the store has them, as long as it accepts rows; default false. */
  readonly awaitsStore?: boolean | undefined
  /** Called once when the store fails, and once when it recovers. */
  onProblem(message: string): void
}

/** Maximum time until a row is ingested from the journal, in milliseconds. */
const VISIBLE = 250
/** Interval of copies of records while rows are being written, in milliseconds. */
const COPY = 150
/** Interval of retries after the store has failed, in milliseconds. */
const RETRY = 1_000
/** Maximum time that `settle` waits for the store, in milliseconds. */
const WAIT = 3_000

export function createLedger(options: LedgerOptions): StoreLedger {
  const { journal, budgets, cut = () => 0, awaitsStore = false } = options
  const ingestion = createIngestion(options)
  /** Resolves once the store has a written row, or does not accept it in time. */
  const stored = async (written: Promise<void>): Promise<void> => {
    await written
    if (ingestion.stored) await within(WAIT, ingestion.ingest())
  }
  return {
    settle(row) {
      ingestion.settled += 1
      ingestion.schedule()
      const counted = budgets?.settled(row)
      const { spends = [], held } = counted ?? {}
      const written = journal.append({
        kind: 'e',
        row: held === undefined ? row : { ...row, held },
        ...(spends.length > 0 && { spends }),
      })
      return awaitsStore ? stored(written) : written
    },
    writable: journal.writable,
    stored: () => ingestion.stored,
    waiting: journal.waiting,
    lost: () => journal.lost() + cut(),
    behind: () => ingestion.settled - ingestion.done - (journal.lost() - ingestion.lost),
    ingest: ingestion.ingest,
    isIngested: () => {
      const { segment, offset } = journal.written()
      return journal.waiting() === 0 && ingestion.ingested.segment === segment && ingestion.ingested.offset === offset
    },
    abandon() {
      ingestion.end()
      journal.close()
    },
  }
}

/** Transfer of rows from the journal to the store. */
interface Ingestion {
  settled: number
  /** Number of settled rows that are in the store or lost. */
  done: number
  lost: number
  /** Position up to which the journal is in the store. */
  ingested: JournalPosition
  /** False while the store accepts no rows. */
  stored: boolean
  /** Stores new rows soon. */
  schedule(): void
  ingest(): Promise<void>
  end(): void
}

function createIngestion({ journal, ingestUpTo, copyUpTo, onProblem }: LedgerOptions): Ingestion {
  let timer: NodeJS.Timeout | undefined
  let isEnded = false
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const ingestAfter = (wait: number): void => {
    if (timer || isEnded) return
    timer = setTimeout(() => {
      timer = undefined
      ingestion.ingest().catch(() => {})
    }, wait)
    timer.unref()
  }

  /** Resolves with the number of rows that wait in memory, or undefined if the store must be called again. */
  const ingestSome = async (): Promise<number | undefined> => {
    journal.flush()
    const [upTo, lost, waits, settled] = [journal.written(), journal.lost(), journal.waiting(), ingestion.settled]
    if (await ingestUpTo(upTo)) return undefined
    ingestion.ingested = upTo
    ingestion.done = settled - waits
    ingestion.lost = lost
    return waits
  }

  const ingestNow = async (): Promise<void> => {
    try {
      let waits = await ingestSome()
      while (waits === undefined && !isEnded) waits = await ingestSome()
      if (waits === undefined) return
      // Waiting rows are written once the disk has space, even without another request.
      if (waits > 0) ingestAfter(RETRY)
      if (!ingestion.stored) onProblem('The store accepts usage rows again.')
      ingestion.stored = true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (ingestion.stored && !isEnded)
        onProblem(`The store does not accept usage rows; they stay in the journal: ${reason}`)
      ingestion.stored = false
      ingestAfter(RETRY)
      throw error
    }
  }

  const copy = (): void => {
    journal.flush()
    // Ingestion reports a store that does not answer.
    copyUpTo?.(journal.written()).catch(() => {})
  }

  const begin = (): Promise<void> => {
    const copying = copyUpTo && setInterval(copy, COPY).unref()
    const own = ingestNow().finally(() => {
      clearInterval(copying)
      if (running === own) running = undefined
    })
    running = own
    return own
  }

  const ingestion: Ingestion = {
    settled: 0,
    done: 0,
    lost: 0,
    ingested: { segment: 0, offset: 0 },
    stored: true,
    schedule: () => ingestAfter(ingestion.stored ? VISIBLE : RETRY),
    // Only one call runs at a time. Calls in the meantime share the next one.
    ingest() {
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
      isEnded = true
      clearTimeout(timer)
    },
  }
  return ingestion
}
