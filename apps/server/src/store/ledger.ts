import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Ledger, recordable, type UsageRow } from '@headgate/core'
import type { PutAside, Refused } from './put-aside.ts'
import type { Spill, SpilledRow } from './spill.ts'
import { isRefusal, rowIdentity, type UsageTable } from './usage.ts'

/** The ledger of the program: rows that end together are one transaction. */
export interface StoreLedger extends Ledger {
  /** Resolves once the row is safe: in the store, in the spill file, or put aside. Never rejects. */
  settle(row: UsageRow): Promise<void>
  /** False while the store can not take rows. */
  writable(): boolean
  /** Rows that the store will never take, and that lie in a file of their own since the start. */
  putAside(): number
  /** Rows that are nowhere, since the start. */
  lost(): number
  /** Takes in what was spilled, also by processes that are gone. */
  takeIn(): Promise<void>
  /** Writes what waits, now: into the store, or else into a spill file. What neither takes is lost, and said. */
  close(): void
}

export interface LedgerOptions {
  readonly table: UsageTable
  readonly spill: Spill
  readonly aside: PutAside
  /** Told once when the store fails, and of every row that is put aside or lost. */
  readonly onProblem: (message: string) => void
  /** How often a store that failed is tried again, in milliseconds; 1,000. */
  readonly retry?: number
}

/** Most rows that wait in memory when even the spill file can not be written. */
const HELD = 10_000
/**
 * Least time between two transactions, in milliseconds. A row that ends a while after the last one is written in its own turn of the
 * event loop; under load rows wait for company, as a transaction costs as much as four rows.
 */
const APART = 1
/** Rows that are taken in at once, so that requests between them do not wait long. */
const CHUNK = 500
/** Most lost rows that are named. */
const NAMED = 100

export function createLedger({ table, spill, aside, onProblem, retry = 1_000 }: LedgerOptions): StoreLedger {
  let waiting: UsageRow[] = []
  let turn: Promise<void> | undefined
  let flushedAt = Number.NEGATIVE_INFINITY
  let held: SpilledRow[] = []
  let lastId = table.lastId()
  let writable = true
  let lost = 0
  let taking: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const fail = (error: unknown) => {
    if (writable) onProblem(`The store can not take usage rows, they go to a spill file: ${reasonOf(error)}`)
    writable = false
    timer ??= setTimeout(() => {
      timer = undefined
      void takeIn()
    }, retry).unref()
  }

  const lose = (rows: readonly SpilledRow[], error: unknown) => {
    if (rows.length === 0) return
    lost += rows.length
    const named = rows.slice(0, NAMED).map(({ row }) => row.requestId)
    const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : ''
    onProblem(`${rows.length} usage rows are lost (${reasonOf(error)}), those of the requests ${named.join(', ')}${more}`)
  }

  const putAside = (refused: Refused, error: unknown) => {
    aside.add(refused, reasonOf(error))
    const what = 'row' in refused ? `The usage row of request ${refused.row.requestId}` : 'A line of a spill file'
    onProblem(`${what} can not be stored and is put aside: ${reasonOf(error)}`)
  }

  /** Writes rows, all at once or else one by one: those that the store refuses are put aside. @throws when it can take none now. */
  const insert = (rows: readonly UsageRow[]): void => {
    try {
      lastId = table.insert(rows)
    } catch (error) {
      if (!isRefusal(error)) throw error
      const [first, ...others] = rows
      if (first && others.length === 0) putAside({ row: first }, error)
      else for (const row of rows) insert([row])
    }
  }

  const hold = (rows: readonly SpilledRow[], error: unknown) => {
    const room = Math.max(0, HELD - held.length)
    held.push(...rows.slice(0, room))
    const over = rows.slice(room)
    onProblem(`The spill file can not be written (${reasonOf(error)}): ${held.length} usage rows wait in memory, ${over.length} are lost`)
    lose(over, error)
  }

  const spillRows = (rows: readonly UsageRow[], after: number) => {
    const left = spill.append(rows.map((row) => ({ after, row: recordable(row) })))
    if (left.rows.length > 0) hold(left.rows, left.error)
  }

  const flush = () => {
    const rows = waiting
    if (rows.length === 0) return
    waiting = []
    // Of a batch that is written row by row, some may be in the store when it fails.
    const before = lastId
    if (!writable) return spillRows(rows, before)
    try {
      insert(rows)
    } catch (error) {
      spillRows(rows, before)
      fail(error)
    }
  }

  /** Those that are not in the store already, from an earlier try. */
  const missing = (spilled: readonly SpilledRow[]): UsageRow[] => {
    const known = table.identitiesAfter(spilled.reduce((least, { after }) => Math.min(least, after), lastId))
    return spilled.map(({ row }) => row).filter((row) => !known.has(rowIdentity(row)))
  }

  /** In chunks, with requests served between them. */
  const takeInRows = async (spilled: readonly SpilledRow[]) => {
    const rows = missing(spilled)
    for (let start = 0; start < rows.length; start += CHUNK) {
      insert(rows.slice(start, start + CHUNK))
      writable = true
      await nextTurn()
    }
  }

  const takeInFiles = async (files: readonly string[]) => {
    for (const file of files) {
      const { rows, damaged } = spill.read(file)
      await takeInRows(rows)
      for (const line of damaged) putAside({ line }, 'it holds no usage row')
      spill.remove(file)
    }
  }

  const takeInAll = async () => {
    try {
      const rows = [...held]
      await takeInRows(rows)
      held = held.slice(rows.length)
      for (let files = spill.files(); files.length > 0; files = spill.files()) await takeInFiles(files)
      if (!writable) table.insert([])
      writable = true
    } catch (error) {
      fail(error)
      spillHeld()
    }
  }

  /** The store can take nothing yet, but the disk may have room again. */
  const spillHeld = () => {
    // Those that are left go on waiting, as was said when they began to.
    held = [...spill.append(held).rows]
  }

  const takeIn = () => {
    taking ??= takeInAll().finally(() => {
      taking = undefined
    })
    return taking
  }

  /** Brings what waits in memory to wherever there is room. */
  const saveHeld = () => {
    const rows = held
    held = []
    try {
      insert(missing(rows))
    } catch {
      const left = spill.append(rows)
      lose(left.rows, left.error)
    }
  }

  return {
    settle: (row) => {
      waiting.push(row)
      turn ??= new Promise((resolve) => {
        const write = () => {
          turn = undefined
          flush()
          flushedAt = performance.now()
          resolve()
        }
        if (performance.now() - flushedAt > APART) setImmediate(write)
        else setTimeout(write, APART)
      })
      return turn
    },
    writable: () => writable,
    putAside: aside.count,
    lost: () => lost,
    takeIn,
    close: () => {
      clearTimeout(timer)
      flush()
      if (held.length > 0) saveHeld()
    },
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
