import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { AttemptRow, UsageRow } from '@headgate/core'

/** Columns of `usage` and what of a row goes into them. */
const COLUMNS: Readonly<Record<string, (row: UsageRow) => SQLInputValue>> = {
  request_id: ({ requestId }) => requestId,
  principal: ({ principal }) => principal,
  family: ({ family }) => family,
  format: ({ format }) => format,
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  provider_model: ({ providerModel }) => providerModel,
  stream: ({ stream }) => Number(stream),
  translated: ({ translated }) => Number(translated),
  status: ({ status }) => status,
  input: ({ usage }) => integer(usage?.input),
  output: ({ usage }) => integer(usage?.output),
  cache_read: ({ usage }) => integer(usage?.cacheRead),
  cache_write: ({ usage }) => integer(usage?.cacheWrite),
  cache_write_long: ({ usage }) => integer(usage?.cacheWriteLong),
  reasoning: ({ usage }) => integer(usage?.reasoning),
  audio_input: ({ usage }) => integer(usage?.audioInput),
  audio_output: ({ usage }) => integer(usage?.audioOutput),
  web_searches: ({ usage }) => integer(usage?.webSearches),
  cost: ({ cost }) => integer(cost),
  price_id: ({ priceId }) => priceId,
  billed: ({ billed }) => Number(billed),
  why: ({ why }) => why,
  finish: ({ finish }) => finish ?? null,
  failure: ({ failure }) => failure ?? null,
  losses: ({ losses }) => (losses.length > 0 ? JSON.stringify(losses) : null),
  started_at: ({ startedAt }) => Math.round(startedAt),
  first_byte_ms: ({ firstByteMs }) => integer(firstByteMs),
  duration_ms: ({ durationMs }) => Math.round(durationMs),
}

/** A row of `usage` as it lies in the store. */
export type StoredUsage = Readonly<Record<string, unknown>>

/** Writes and reads `usage` and `usage_attempts`. */
export interface UsageTable {
  /** Writes all of them in one transaction, or none and throws. Returns the id of the last one. */
  insert(rows: readonly UsageRow[]): number
  /** The id of the newest row; 0 when there is none. */
  lastId(): number
  /** What tells the rows after an id from each other: {@link rowIdentity}. */
  identitiesAfter(id: number): Set<string>
  /** The newest rows, newest first. */
  last(count: number): StoredUsage[]
}

export function createUsageTable(database: DatabaseSync): UsageTable {
  const values = Object.values(COLUMNS)
  const insertRow = database.prepare(`INSERT INTO usage (${Object.keys(COLUMNS).join(', ')}) VALUES (${values.map(() => '?').join(', ')})`)
  const insertAttempt = database.prepare('INSERT INTO usage_attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const lastId = database.prepare('SELECT max(id) AS id FROM usage')
  const after = database.prepare('SELECT request_id, started_at FROM usage WHERE id > ?')
  const newest = database.prepare('SELECT * FROM usage ORDER BY id DESC LIMIT ?')

  const insertOne = (row: UsageRow): number => {
    const id = Number(insertRow.run(...values.map((value) => value(row))).lastInsertRowid)
    row.attempts.forEach((attempt, position) => void insertAttempt.run(id, position, ...attemptValues(attempt)))
    return id
  }

  return {
    insert: (rows) => {
      begin.run()
      try {
        let id = 0
        for (const row of rows) id = insertOne(row)
        commit.run()
        return id
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
    },
    lastId: () => Number(lastId.get()?.['id'] ?? 0),
    identitiesAfter: (id) => new Set(after.all(id).map((row) => `${row['request_id']} ${row['started_at']}`)),
    last: (count) => newest.all(count),
  }
}

/** What tells one request from all others. */
export function rowIdentity({ requestId, startedAt }: UsageRow): string {
  return `${requestId} ${Math.round(startedAt)}`
}

function attemptValues({ provider, model, startedAt, durationMs, status, failure }: AttemptRow): SQLInputValue[] {
  return [provider, model, Math.round(startedAt), Math.round(durationMs), status ?? null, failure ?? null]
}

/** Whatever an upstream reports: what is no number is unknown, and one odd value must not keep a batch out of the store. */
function integer(value: number | null | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : null
}
