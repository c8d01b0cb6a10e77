import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Says that whoever holds it is the owner of a life, or that its owner is dead. */
export interface Lock {
  release(): void
}

/** Never open it but as a database: closing any descriptor of a file frees all locks that the process has on it. */
export const LOCK_FILE = 'owner.lock'

const SQLITE_BUSY = 5

/**
 * Takes the lock of a life's folder, at once or not at all: undefined = its owner lives (also when it is stopped),
 * someone else takes it in, or the folder is gone. The kernel frees it when its process dies.
 * @throws what SQLite says when the file can not be opened.
 */
export function lockLife(folder: string): Lock | undefined {
  if (!existsSync(folder)) return undefined
  const file = join(folder, LOCK_FILE)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    // In memory: a file of its own would outlive a kill.
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
  // Whoever had it has removed the folder in the meantime.
  release()
  return undefined
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === SQLITE_BUSY
}
