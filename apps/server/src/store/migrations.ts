import type { DatabaseSync } from 'node:sqlite'
import { HeadgateError } from '@headgate/core'

/**
 * What turned the store from each version to the next. Only ever append: a store of version n has had the first n.
 *
 * `usage` has an integer key and no secondary index, since every request pays for each of them.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    name TEXT,
    models TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
  ) STRICT;
  CREATE TABLE usage (
    id INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL,
    principal TEXT NOT NULL,
    family TEXT NOT NULL,
    format TEXT NOT NULL,
    model TEXT NOT NULL,
    provider TEXT NOT NULL,
    provider_model TEXT NOT NULL,
    stream INTEGER NOT NULL,
    translated INTEGER NOT NULL,
    status INTEGER NOT NULL,
    input INTEGER,
    output INTEGER,
    cache_read INTEGER,
    cache_write INTEGER,
    cache_write_long INTEGER,
    reasoning INTEGER,
    audio_input INTEGER,
    audio_output INTEGER,
    web_searches INTEGER,
    cost INTEGER,
    price_id TEXT,
    billed INTEGER NOT NULL,
    why TEXT NOT NULL,
    finish TEXT,
    failure TEXT,
    losses TEXT,
    started_at INTEGER NOT NULL,
    first_byte_ms INTEGER,
    duration_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE usage_attempts (
    usage_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    status INTEGER,
    failure TEXT,
    PRIMARY KEY (usage_id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE model_lists (
    provider TEXT PRIMARY KEY,
    models TEXT NOT NULL,
    read_at INTEGER NOT NULL
  ) STRICT;`,
  `ALTER TABLE keys ADD COLUMN search TEXT;
  ALTER TABLE keys ADD COLUMN scopes TEXT;`,
  'ALTER TABLE usage ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0',
  // Rows of before have their searches in a column of their own.
  'ALTER TABLE usage ADD COLUMN units TEXT',
]

/** Brings the store to the newest version. Safe while another process does the same. */
export function migrate(database: DatabaseSync, file: string): void {
  if (storeVersion(database) === MIGRATIONS.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    const version = checkVersion(database, file)
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

/** The version of a store. @throws HeadgateError for one of a newer program. */
export function checkVersion(database: DatabaseSync, file: string): number {
  const version = storeVersion(database)
  if (version <= MIGRATIONS.length) return version
  throw new HeadgateError(
    'invalid-request',
    `${file} was written by a newer headgate (store version ${version}, this one knows ${MIGRATIONS.length}). Update headgate.`,
  )
}

function storeVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}
