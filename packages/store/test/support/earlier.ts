import { DatabaseSync } from 'node:sqlite'

/** What the program before this package made of an SQLite file, by its four versions: as it did, word for word. */
const STEPS: readonly string[] = [
  `CREATE TABLE keys (
    id TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, prefix TEXT NOT NULL, name TEXT, models TEXT,
    created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER
  ) STRICT;
  CREATE TABLE usage (
    id INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL, principal TEXT NOT NULL, family TEXT NOT NULL, format TEXT NOT NULL, model TEXT NOT NULL,
    provider TEXT NOT NULL, provider_model TEXT NOT NULL, stream INTEGER NOT NULL, translated INTEGER NOT NULL, status INTEGER NOT NULL,
    input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, cache_write_long INTEGER, reasoning INTEGER,
    audio_input INTEGER, audio_output INTEGER, web_searches INTEGER, cost INTEGER, price_id TEXT,
    billed INTEGER NOT NULL, why TEXT NOT NULL, finish TEXT, failure TEXT, losses TEXT,
    started_at INTEGER NOT NULL, first_byte_ms INTEGER, duration_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE usage_attempts (
    usage_id INTEGER NOT NULL, position INTEGER NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
    started_at INTEGER NOT NULL, duration_ms INTEGER NOT NULL, status INTEGER, failure TEXT,
    PRIMARY KEY (usage_id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE model_lists (provider TEXT PRIMARY KEY, models TEXT NOT NULL, read_at INTEGER NOT NULL) STRICT;`,
  'ALTER TABLE keys ADD COLUMN search TEXT; ALTER TABLE keys ADD COLUMN scopes TEXT;',
  'ALTER TABLE usage ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE usage ADD COLUMN units TEXT',
]

export const EARLIER_VERSIONS = [1, 2, 3, 4] as const

/** Makes the store of an earlier version, and fills it. Closed when it returns. */
export function makeEarlier(file: string, version: number, fill: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = wal')
  for (const step of STEPS.slice(0, version)) database.exec(step)
  database.exec(`PRAGMA user_version = ${version}`)
  fill(database)
  database.close()
}

const USAGE = {
  request_id: 'req',
  principal: 'key_1',
  family: 'chat',
  format: 'messages',
  model: 'fast',
  provider: 'mine',
  provider_model: 'model-1',
  stream: 0,
  translated: 1,
  status: 200,
  billed: 1,
  why: 'served',
  started_at: 1_700_000_000_000,
  duration_ms: 34,
}

export function insertEarlier(
  database: DatabaseSync,
  table: 'usage' | 'usage_attempts' | 'keys' | 'model_lists',
  row: object,
): void {
  const entries = Object.entries(table === 'usage' ? { ...USAGE, ...row } : row)
  database
    .prepare(
      `INSERT INTO ${table} (${entries.map(([name]) => name).join(', ')}) VALUES (${entries.map(() => '?').join(', ')})`,
    )
    .run(...entries.map(([, value]) => value))
}
