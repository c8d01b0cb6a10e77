import { readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Position in the rows of each process run: segment and offset. */
export type Positions = Readonly<Record<string, readonly [segment: number, offset: number]>>

/** Progress of a sink. */
export interface Cursor {
  /** End of the rows that the sink has accepted. */
  readonly positions: Positions
  /** End of the batch that is being delivered. After a crash, the same batch is delivered again. */
  readonly pending?: Positions | undefined
  /** Rows that the sink accepted, and rows that it rejected. */
  readonly sent: number
  readonly refused: number
  /** Rows that ended process runs left out. */
  readonly leftOut: number
}

const FILE = 'cursor.json'
const START: Cursor = { positions: {}, sent: 0, refused: 0, leftOut: 0 }

/** Cursor of a sink. A missing or damaged one begins again, so that rows are repeated rather than lost. */
export function readCursor(folder: string): Cursor {
  try {
    const read: unknown = JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
    return isCursor(read) ? read : START
  } catch {
    return START
  }
}

function isCursor(value: unknown): value is Cursor {
  if (typeof value !== 'object' || value === null || !('positions' in value)) return false
  const { positions } = value
  return typeof positions === 'object' && positions !== null && 'sent' in value && typeof value.sent === 'number'
}

/** Replaces the cursor. A crash leaves the earlier or the new one. Rejects with the error of the file system. */
export async function writeCursor(folder: string, cursor: Cursor): Promise<void> {
  const next = join(folder, `${FILE}.next`)
  const file = await open(next, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(cursor))
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(next, join(folder, FILE))
}
