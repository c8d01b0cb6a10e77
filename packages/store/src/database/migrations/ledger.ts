import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { makeMonths, monthsFrom } from '../partitions.ts'
import { run } from '../transaction.ts'
import { takeEarlier } from './earlier.ts'

const MEASURES = [
  ...['requests', 'unpriced'],
  ...['input', 'output', 'cache_read', 'cache_write', 'cache_write_long', 'reasoning', 'audio_input', 'audio_output'],
  ...['searches', 'images', 'seconds', 'characters', 'pages'],
  ...['cost', 'charged', 'held'],
]

/** The first tables of this package; in SQLite, with what the program before it had stored. */
export function ledger(connection: Connection, zone: string): Migration {
  return {
    up: async (db) => {
      const statements = tables(connection.kind)
      if (connection.kind === 'sqlite') return takeEarlier(connection, zone, statements)
      for (const statement of statements) await run(db, statement)
      await makeMonths(db as Parameters<typeof makeMonths>[0], monthsFrom(Date.now(), 3))
    },
  }
}

/** SQL that makes tables, then indexes. */
function tables(kind: Connection['kind']): readonly string[] {
  const isPostgres = kind === 'postgres'
  const [int, text, uuid, bytes] = isPostgres
    ? ['int8', 'text COLLATE "C"', 'uuid', 'bytea']
    : ['INTEGER', 'TEXT', 'TEXT', 'BLOB']
  const plain = isPostgres ? '' : ' STRICT'
  const clustered = isPostgres ? '' : ' STRICT, WITHOUT ROWID'
  const monthly = isPostgres ? ' PARTITION BY RANGE (at)' : plain
  const ofModels = `provider ${text} NOT NULL, model ${text} NOT NULL, family ${text} NOT NULL, status ${int} NOT NULL`
  const dimensions = `principal ${text} NOT NULL, ${ofModels}`
  const measures = MEASURES.map((name) => `${name} ${int} NOT NULL`).join(', ')
  return [
    `CREATE TABLE settings (name ${text} PRIMARY KEY, value ${text} NOT NULL)${plain}`,
    `CREATE TABLE changes (topic ${text} PRIMARY KEY, version ${int} NOT NULL)${plain}`,
    `CREATE TABLE keys (
      id ${text} PRIMARY KEY, hash ${bytes} NOT NULL UNIQUE, prefix ${text} NOT NULL, name ${text}, models ${text}, search ${text},
      scopes ${text}, created_at ${int} NOT NULL, expires_at ${int}, revoked_at ${int})${plain}`,
    `CREATE TABLE model_lists (provider ${text} PRIMARY KEY, models ${text} NOT NULL, read_at ${int} NOT NULL)${plain}`,
    `CREATE TABLE prices (
      id ${text} PRIMARY KEY, provider ${text} NOT NULL, model ${text} NOT NULL, source ${text} NOT NULL, valid_from ${int} NOT NULL,
      rates ${text} NOT NULL)${plain}`,
    // The key makes a second try harmless, and is the order of time: pages and retention walk it.
    `CREATE TABLE usage (
      id ${uuid} NOT NULL, at ${int} NOT NULL, group_id ${int} NOT NULL, request_id ${text} NOT NULL, principal ${text} NOT NULL,
      family ${text} NOT NULL, format ${text} NOT NULL, model ${text} NOT NULL, provider ${text} NOT NULL, provider_model ${text} NOT NULL,
      stream ${int} NOT NULL, translated ${int} NOT NULL, status ${int} NOT NULL, input ${int}, output ${int}, cache_read ${int},
      cache_write ${int}, cache_write_long ${int}, reasoning ${int}, audio_input ${int}, audio_output ${int}, units ${text},
      estimated ${int} NOT NULL, cost ${int}, charged ${int}, held ${int}, price_id ${text}, billed ${int} NOT NULL, why ${text} NOT NULL,
      finish ${text}, failure ${text}, losses ${text}, corrects ${uuid}, first_byte_ms ${int}, duration_ms ${int} NOT NULL,
      PRIMARY KEY (at, id))${monthly}`,
    `CREATE TABLE usage_attempts (
      at ${int} NOT NULL, usage_id ${uuid} NOT NULL, position ${int} NOT NULL, provider ${text} NOT NULL, model ${text} NOT NULL,
      started_at ${int} NOT NULL, duration_ms ${int} NOT NULL, status ${int}, failure ${text}, cost ${int}, price_id ${text},
      PRIMARY KEY (at, usage_id, position))${isPostgres ? monthly : clustered}`,
    `CREATE TABLE usage_groups (id ${int} PRIMARY KEY, ${dimensions}, last_at ${int} NOT NULL)${plain}`,
    `CREATE TABLE usage_hours (
      hour ${int} NOT NULL, ${dimensions}, ${measures}, PRIMARY KEY (hour, model, provider, principal, family, status))${clustered}`,
    `CREATE TABLE usage_days (
      day ${text} NOT NULL, ${dimensions}, ${measures}, PRIMARY KEY (day, model, provider, principal, family, status))${clustered}`,
    // Without keys, so that few rows make a series.
    `CREATE TABLE usage_model_days (
      day ${text} NOT NULL, ${ofModels}, ${measures}, PRIMARY KEY (day, model, provider, family, status))${clustered}`,
    `CREATE TABLE taken (life ${text} NOT NULL, segment ${int} NOT NULL, upto ${int} NOT NULL, PRIMARY KEY (life, segment))${clustered}`,
    // Finds the rows of any filter by dimensions, however rare: all combinations that match are known, and each lies
    // together.
    'CREATE INDEX usage_by_group ON usage (group_id, at)',
    ...(isPostgres
      ? [
          'CREATE TABLE usage_default PARTITION OF usage DEFAULT',
          'CREATE TABLE usage_attempts_default PARTITION OF usage_attempts DEFAULT',
        ]
      : []),
  ]
}
