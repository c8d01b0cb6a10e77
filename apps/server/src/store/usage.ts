import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type AttemptRow, recordable, type UsageRow } from '@headgate/core'

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
  input: ({ usage }) => usage?.input ?? null,
  output: ({ usage }) => usage?.output ?? null,
  cache_read: ({ usage }) => usage?.cacheRead ?? null,
  cache_write: ({ usage }) => usage?.cacheWrite ?? null,
  cache_write_long: ({ usage }) => usage?.cacheWriteLong ?? null,
  reasoning: ({ usage }) => usage?.reasoning ?? null,
  audio_input: ({ usage }) => usage?.audioInput ?? null,
  audio_output: ({ usage }) => usage?.audioOutput ?? null,
  web_searches: ({ usage }) => usage?.units?.['searches'] ?? null,
  units: ({ usage }) => (usage?.units ? JSON.stringify(usage.units) : null),
  estimated: ({ estimated }) => Number(estimated ?? false),
  cost: ({ cost }) => cost,
  price_id: ({ priceId }) => priceId,
  billed: ({ billed }) => Number(billed),
  why: ({ why }) => why,
  finish: ({ finish }) => finish ?? null,
  failure: ({ failure }) => failure ?? null,
  losses: ({ losses }) => (losses.length > 0 ? JSON.stringify(losses) : null),
  started_at: ({ startedAt }) => whole(startedAt),
  first_byte_ms: ({ firstByteMs }) => whole(firstByteMs),
  duration_ms: ({ durationMs }) => whole(durationMs),
}

/** A row of `usage` as it lies in the store. Numbers are bigint: a store may hold what a double does not. */
export type StoredUsage = Readonly<Record<string, unknown>>

/** What SQLite says of a value that it can not take: too big, a constraint, a mismatch, out of range. */
const REFUSALS: ReadonlySet<number> = new Set([18, 19, 20, 25])

/** Whether the row that was written is at fault, and not the store: it will never be taken. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true
  return error instanceof Error && 'errcode' in error && REFUSALS.has(Number(error.errcode) & 0xff)
}

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
  // Whoever deletes rows of `usage` may leave those of their attempts behind, and ids are given again.
  const insertAttempt = database.prepare('INSERT OR REPLACE INTO usage_attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const lastId = database.prepare('SELECT max(id) AS id FROM usage')
  const after = database.prepare('SELECT request_id, started_at FROM usage WHERE id > ?')
  const newest = database.prepare('SELECT * FROM usage ORDER BY id DESC LIMIT ?')
  for (const statement of [after, newest]) statement.setReadBigInts(true)

  const insertOne = (given: UsageRow): number => {
    const row = recordable(given)
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
  return [provider, model, whole(startedAt), whole(durationMs), status ?? null, failure ?? null]
}

/** A time in whole milliseconds; null for what is none, which a column that must have one refuses. */
function whole(time: number | undefined): number | null {
  return Number.isFinite(time) ? Math.round(Number(time)) : null
}
