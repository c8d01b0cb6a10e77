import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { object, type UsageRow } from '@headgate/core'
import { appendLines, type Write } from './lines.ts'

/** A usage row that the store could not take. */
export interface SpilledRow {
  readonly row: UsageRow
  /** The newest id of `usage` that was known then: the row, if it is in the store after all, comes later. */
  readonly after: number
}

/** What lies in a spill file. */
export interface Spilled {
  readonly rows: readonly SpilledRow[]
  /** Lines that hold no row, as they are. */
  readonly damaged: readonly string[]
}

/** Rows that no spill file could take: the last ones. */
export interface Unspilled {
  readonly rows: readonly SpilledRow[]
  /** Undefined when there are none. */
  readonly error?: unknown
}

/** Files in the data directory that take usage rows while the store can not. */
export interface Spill {
  /**
   * Returns once the rows are on the disk, but for those that found no room, and why. A file may be allowed less than they need, and
   * a disk have room for some of them.
   */
  append(rows: readonly SpilledRow[]): Unspilled
  /** The files to take in; what is appended from now on goes to another one. */
  files(): string[]
  /** A last line that a crash has cut is left out: nobody was told that it is safe. */
  read(file: string): Spilled
  remove(file: string): void
}

const NAME = /^usage-spill-(\d+)-\d+\.jsonl$/

/** `write` is for tests. */
export function createSpill(dataDir: string, write?: Write): Spill {
  let generation = Date.now()
  const current = () => join(dataDir, `usage-spill-${process.pid}-${generation}.jsonl`)

  const appendAll = (lines: readonly string[]) => {
    try {
      appendLines(current(), lines, write)
    } catch (error) {
      // Should half a line have stayed in this one, nothing follows it.
      generation += 1
      throw error
    }
  }

  return {
    append: (rows) => {
      const lines = rows.map((row) => JSON.stringify(row))
      let done = 0
      let size = lines.length
      let isFresh = false
      while (done < lines.length) {
        try {
          appendAll(lines.slice(done, done + size))
          done += size
          isFresh = false
        } catch (error) {
          if (isFresh && size === 1) return { rows: rows.slice(done), error }
          if (isFresh) size = Math.ceil(size / 2)
          isFresh = true
        }
      }
      return { rows: [] }
    },
    files: () => {
      generation += 1
      return readdirSync(dataDir)
        .filter((name) => isOurs(name))
        .sort()
        .map((name) => join(dataDir, name))
    },
    read: (file) => readLines(readFileSync(file, 'utf8').split('\n')),
    remove: (file) => rmSync(file, { force: true }),
  }
}

/** Files of other processes that still run are theirs. */
function isOurs(name: string): boolean {
  const owner = Number(NAME.exec(name)?.[1])
  return owner === process.pid || (owner > 0 && !isRunning(owner))
}

function isRunning(owner: number): boolean {
  try {
    process.kill(owner, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function readLines(lines: readonly string[]): Spilled {
  const rows: SpilledRow[] = []
  const damaged: string[] = []
  for (const [index, line] of lines.entries()) {
    const spilled = readLine(line)
    if (spilled) rows.push(spilled)
    else if (index < lines.length - 1) damaged.push(line)
  }
  return { rows, damaged }
}

function readLine(line: string): SpilledRow | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isSpilled(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What else the row has to have, the store says. */
function isSpilled(value: unknown): value is SpilledRow {
  return object(object(value)?.['row']) !== undefined && Number.isSafeInteger(object(value)?.['after'])
}
