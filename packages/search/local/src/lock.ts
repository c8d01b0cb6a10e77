import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two attempts. */
const PAUSE = 200
/** Attempts before the wait is reported. */
const PATIENCE = 10

/**
 * Waits until no other process writes the index. The lock is SQLite's lock of a separate file: the system releases it
 * if the process dies. Resolves with a function that releases it.
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
