import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ledger, UsageRow } from '@headgate/core'
import type { Spill, SpilledRow } from './spill.ts'
import { rowIdentity, type UsageTable } from './usage.ts'

/** The ledger of the program: rows that end together are one transaction. */
export interface StoreLedger extends Ledger {
  /** Resolves once the row is safe: in the store, or in the spill file. Never rejects. */
  settle(row: UsageRow): Promise<void>
  /** False while the store can not take rows. */
  writable(): boolean
  /** Takes in what was spilled, also by processes that are gone. */
  takeIn(): Promise<void>
  /** Writes what waits, now. */
  flush(): void
  close(): void
}

export interface LedgerOptions {
  readonly table: UsageTable
  readonly spill: Spill
  /** Told once when the store fails, and of every row that is lost. */
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

export function createLedger({ table, spill, onProblem, retry = 1_000 }: LedgerOptions): StoreLedger {
  let waiting: UsageRow[] = []
  let turn: Promise<void> | undefined
  let flushedAt = Number.NEGATIVE_INFINITY
  let held: SpilledRow[] = []
  let lastId = table.lastId()
  let writable = true
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

  const spillRows = (rows: readonly UsageRow[]) => {
    const spilled = rows.map((row) => ({ after: lastId, row }))
    try {
      spill.append(spilled)
    } catch (error) {
      const room = Math.max(0, HELD - held.length)
      held.push(...spilled.slice(0, room))
      const lost = spilled.length - Math.min(room, spilled.length)
      onProblem(`The spill file can not be written (${reasonOf(error)}): ${held.length} usage rows wait in memory, ${lost} are lost`)
    }
  }

  const flush = () => {
    const rows = waiting
    if (rows.length === 0) return
    waiting = []
    if (!writable) return spillRows(rows)
    try {
      lastId = table.insert(rows)
    } catch (error) {
      spillRows(rows)
      fail(error)
    }
  }

  /** In chunks, with requests served between them. What is there already, from an earlier try, is passed over. */
  const takeInRows = async (spilled: readonly SpilledRow[]) => {
    const known = table.identitiesAfter(spilled.reduce((least, { after }) => Math.min(least, after), lastId))
    const rows = spilled.map(({ row }) => row).filter((row) => !known.has(rowIdentity(row)))
    for (let start = 0; start < rows.length; start += CHUNK) {
      lastId = table.insert(rows.slice(start, start + CHUNK))
      writable = true
      await nextTurn()
    }
  }

  const takeInFiles = async (files: readonly string[]) => {
    for (const file of files) {
      await takeInRows(spill.read(file))
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
    }
  }

  const takeIn = () => {
    taking ??= takeInAll().finally(() => {
      taking = undefined
    })
    return taking
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
    takeIn,
    flush,
    close: () => {
      clearTimeout(timer)
      flush()
      const rows = held
      held = []
      if (rows.length > 0) spillRows(rows.map(({ row }) => row))
    },
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
