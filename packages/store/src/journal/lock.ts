import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Lock of a process run's folder. Its holder is the process itself, or ingests its journal after its end. */
export interface Lock {
  release(): void
}

/**
 * Lock file, an SQLite database. Never open it otherwise: closing any descriptor of a file releases all locks that the
 * process has on it.
 */
export const LOCK_FILE = 'owner.lock'

const SQLITE_BUSY = 5

/**
 * Locks a process run's folder without waiting. Returns undefined if its owner runs (even if suspended), another
 * process ingests its journal, or the folder is gone. The kernel releases the lock when the process ends.
 * @throws the error of SQLite if the file cannot be opened
 */
export function lockRun(folder: string): Lock | undefined {
  if (!existsSync(folder)) return undefined
  const file = join(folder, LOCK_FILE)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    // In memory, since a journal file would outlive a killed process.
    database.exec('PRAGMA journal_mode = memory; BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if (isBusy(error) || !existsSync(folder)) return undefined
    throw error
  }
  const held = database
  const release = () => {
    if (held.isOpen) held.close()
  }
  if (existsSync(file)) return { release }
  // The previous holder has deleted the folder meanwhile.
  release()
  return undefined
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === SQLITE_BUSY
}
