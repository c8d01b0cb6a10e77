import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { UsageRow } from '@headgate/core'

/** A usage row that the store could not take. */
export interface SpilledRow {
  readonly row: UsageRow
  /** The newest id of `usage` that was known then: the row, if it is in the store after all, comes later. */
  readonly after: number
}

/** Files in the data directory that take usage rows while the store can not. */
export interface Spill {
  /** Returns once the rows are on the disk. */
  append(rows: readonly SpilledRow[]): void
  /** The files to take in; what is appended from now on goes to another one. */
  files(): string[]
  /** Lines that a crash has cut are left out: nobody was told that they are safe. */
  read(file: string): SpilledRow[]
  remove(file: string): void
}

const NAME = /^usage-spill-(\d+)-\d+\.jsonl$/

export function createSpill(dataDir: string): Spill {
  let generation = Date.now()
  const current = () => join(dataDir, `usage-spill-${process.pid}-${generation}.jsonl`)

  return {
    append: (rows) => {
      const file = openSync(current(), 'a', 0o600)
      try {
        writeSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
    },
    files: () => {
      generation += 1
      return readdirSync(dataDir)
        .filter((name) => isOurs(name))
        .sort()
        .map((name) => join(dataDir, name))
    },
    read: (file) => readFileSync(file, 'utf8').split('\n').flatMap(parseLine),
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

function parseLine(line: string): SpilledRow[] {
  if (line === '') return []
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}
