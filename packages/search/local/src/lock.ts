import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two tries. */
const PAUSE = 200
/** Tries after which somebody should know why nothing happens. */
const PATIENCE = 10

/**
 * Waits until no other process brings the index up to date. The lock is one of SQLite's on a file of its own: the
 * system takes it back from a process that dies. Resolves with what gives it back.
 */
export async function lockForWriting(file: string, signal: AbortSignal, onWait: () => void): Promise<() => void> {
  const db = new DatabaseSync(file)
  try {
    for (let tries = 1; !isLocked(db); tries++) {
      if (tries === PATIENCE) onWait()
      await sleep(PAUSE, undefined, { signal })
    }
  } catch (error) {
    db.close()
    throw error
  }
  return () => db.close()
}

function isLocked(db: DatabaseSync): boolean {
  try {
    db.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return false
    throw error
  }
}
