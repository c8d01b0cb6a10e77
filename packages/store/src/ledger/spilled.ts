import { hash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { object, type UsageRow } from '@headgate/gateway/ports'
import { namesIn } from '../journal/segment.ts'
import type { LedgerRow } from '../usage/row.ts'
import { notStored } from './not-stored.ts'
import { putAside, type TakeParts, takeRows } from './take.ts'

/** What the program before the journal wrote beside the store: rows that it could not take. */
const NAME = /^usage-spill-(\d+)-\d+\.jsonl$/
/** Rows that are looked up at once. */
const CHUNK = 500

/** Takes in the files of processes that are gone. Doing it twice, or two doing it at once, stores each row once. */
export async function takeSpilled(parts: TakeParts): Promise<void> {
  for (const name of namesIn(parts.dataDir)) {
    const owner = Number(NAME.exec(name)?.[1])
    if (owner > 0 && !isRunning(owner)) await takeFile(parts, join(parts.dataDir, name))
  }
}

async function takeFile(parts: TakeParts, file: string): Promise<void> {
  const lines = readLines(file)
  const rows: LedgerRow[] = []
  const damaged: string[] = []
  for (const [index, line] of lines.entries()) {
    const row = readLine(line)
    if (row) rows.push(row)
    // Of the last one nobody was told that it is safe.
    else if (index < lines.length - 1) damaged.push(line)
  }
  for (let start = 0; start < rows.length; start += CHUNK)
    // The program may have died between a take-in and the end of the file.
    await takeRows(parts, await notStored(parts.connection, rows.slice(start, start + CHUNK)))
  for (const line of damaged) putAside(parts, { line }, 'it holds no usage row')
  rmSync(file, { force: true })
}

/** None where somebody else has taken it in meanwhile. */
function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** What else the row has to have, the store says. */
function readLine(line: string): LedgerRow | undefined {
  try {
    const row = object(object(JSON.parse(line))?.['row'])
    return row && typeof row['requestId'] === 'string' ? withId(row as unknown as UsageRow) : undefined
  } catch {
    return undefined
  }
}

/**
 * As the migration of stores of that program has it: an id that is the same whenever it is made, and what counts for
 * the caller.
 */
function withId(row: UsageRow): LedgerRow {
  const { startedAt, requestId, cost, billed, why } = row
  const isUnknown = (cost ?? null) === null && (why === 'price-unknown' || why === 'usage-unknown')
  const digits = hash('sha256', `${requestId} ${startedAt}`)
  const time = Math.min(Math.max(Math.round(Number(startedAt)) || 0, 0), 2 ** 48 - 1)
  const at = time.toString(16).padStart(12, '0')
  const id = `${at.slice(0, 8)}-${at.slice(8)}-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`
  return { ...row, id, charged: isUnknown ? null : billed ? cost : 0 }
}

function isRunning(owner: number): boolean {
  try {
    process.kill(owner, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
