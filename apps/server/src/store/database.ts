import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { HeadgateError } from '@headgate/core'
import { migrate } from './migrations.ts'

/**
 * How long a statement waits for another process that writes, in milliseconds. It waits on the main thread, so that it
 * is short: what can not be written in time is spilled.
 */
const PATIENCE = 250

/**
 * Opens `headgate.db` in the data directory, and makes both where they are missing. Only the owner may read them.
 *
 * Commits survive the death of the process (`synchronous = normal`), and a loss of power down to the last checkpoint.
 */
export function openDatabase(dataDir: string): DatabaseSync {
  const file = join(dataDir, 'headgate.db')
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    closeSync(openSync(file, 'a', 0o600))
    const database = new DatabaseSync(file, { timeout: PATIENCE })
    database.exec('PRAGMA journal_mode = wal; PRAGMA synchronous = normal')
    migrate(database, file)
    return database
  } catch (error) {
    if (HeadgateError.is(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new HeadgateError(
      'invalid-request',
      `The store ${file} can not be opened: ${reason}. Choose another folder with --data-dir or HEADGATE_DATA_DIR.`,
    )
  }
}
