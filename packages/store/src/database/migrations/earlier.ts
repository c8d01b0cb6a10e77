import type { DatabaseSync } from 'node:sqlite'
import { dimension, groupId } from '../group.ts'
import type { SqliteConnection } from '../sqlite.ts'
import { sumOf } from '../sum.ts'
import { dayAt } from '../zone.ts'

/** What the program before this package did from its first version on, to those of its stores that it did not reach. */
const STEPS: readonly string[] = [
  'ALTER TABLE keys ADD COLUMN search TEXT; ALTER TABLE keys ADD COLUMN scopes TEXT',
  'ALTER TABLE usage ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE usage ADD COLUMN units TEXT',
]

const TABLES = ['keys', 'usage', 'usage_attempts', 'model_lists'] as const

/** Makes the tables, and moves into them what an SQLite store of the versions 1 to 4 holds. Within a transaction. */
export function takeEarlier({ database }: SqliteConnection, zone: string, tables: readonly string[]): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version > 0) {
    for (const step of STEPS.slice(version - 1)) database.exec(step)
    for (const table of TABLES) database.exec(`ALTER TABLE ${table} RENAME TO earlier_${table}`)
  }
  for (const table of tables) database.exec(table)
  if (version === 0) return
  defineFunctions(database, zone)
  for (const move of MOVES) database.exec(move)
  for (const table of TABLES) database.exec(`DROP TABLE earlier_${table}`)
}

function defineFunctions(database: DatabaseSync, zone: string): void {
  const options = { deterministic: true, useBigIntArguments: true }
  database.function('headgate_dimension', options, (text) => dimension(String(text)))
  database.function('headgate_day', options, (at) => dayAt(zone, Number(at)).date)
  database.function('headgate_group', options, (principal, provider, model, family, status) =>
    groupId({
      principal: dimension(String(principal)),
      provider: dimension(String(provider)),
      model: dimension(String(model)),
      family: dimension(String(family)),
      status: Number(status),
    }),
  )
}

/** A UUIDv7 of an instant and a number: the same whenever it is made. */
function uuid(at: string, number: string): string {
  const time = `printf('%012x', min(max(${at}, 0), 281474976710655))`
  const [a, b] = [`printf('%03x', (${number} >> 62) & 3)`, `printf('%04x', 32768 | ((${number} >> 48) & 16383))`]
  return `substr(${time}, 1, 8) || '-' || substr(${time}, 9) || '-7' || ${a} || '-' || ${b} || '-' || printf('%012x', ${number} & 281474976710655)`
}

/** A unit of the JSON that a row may have, or of the column that searches were in before. */
function unit(name: string): string {
  const inJson = `CASE WHEN json_valid(units) AND json_type(units, '$.${name}') = 'integer' THEN json_extract(units, '$.${name}') END`
  return name === 'searches' ? `coalesce(${inJson}, web_searches)` : inJson
}

const CHARGED =
  "CASE WHEN cost IS NULL AND why IN ('price-unknown', 'usage-unknown') THEN NULL WHEN billed <> 0 THEN cost ELSE 0 END"
const UNITS = "coalesce(units, CASE WHEN web_searches IS NOT NULL THEN json_object('searches', web_searches) END)"

/** Roll-ups begin and end where the calendar does. */
const INSTANT = 'min(max(started_at, 0), 8639999740800000)'

const MEASURES: Readonly<Record<string, string>> = {
  requests: '1',
  unpriced: 'cost IS NULL',
  ...Object.fromEntries(
    [
      'input',
      'output',
      'cache_read',
      'cache_write',
      'cache_write_long',
      'reasoning',
      'audio_input',
      'audio_output',
    ].map((name) => [name, name]),
  ),
  ...Object.fromEntries(['searches', 'images', 'seconds', 'characters', 'pages'].map((name) => [name, unit(name)])),
  cost: 'cost',
  charged: CHARGED,
  held: '0',
}

const DIMENSIONS = ['principal', 'provider', 'model', 'family'].map((name) => `headgate_dimension(${name}) AS ${name}_`)

function rollUp(table: string, period: string, from: string): string {
  const sums = Object.values(MEASURES).map((value) => sumOf('sqlite', value))
  return `INSERT INTO ${table} (${period}, principal, provider, model, family, status, ${Object.keys(MEASURES).join(', ')})
    SELECT ${from} AS period_, ${DIMENSIONS.join(', ')}, status, ${sums.join(', ')} FROM earlier_usage
    GROUP BY period_, principal_, provider_, model_, family_, status`
}

const MODEL_DAY = 'day, provider, model, family, status'

const COPIED = [
  ...[
    'request_id',
    'principal',
    'family',
    'format',
    'model',
    'provider',
    'provider_model',
    'stream',
    'translated',
    'status',
  ],
  ...[
    'input',
    'output',
    'cache_read',
    'cache_write',
    'cache_write_long',
    'reasoning',
    'audio_input',
    'audio_output',
    'estimated',
    'cost',
  ],
  ...['price_id', 'billed', 'why', 'finish', 'failure', 'losses', 'first_byte_ms', 'duration_ms'],
].join(', ')
const KEYS = 'id, hash, prefix, name, models, search, scopes, created_at, expires_at, revoked_at'
const ATTEMPT = ['provider', 'model', 'started_at', 'duration_ms', 'status', 'failure']

const MOVES: readonly string[] = [
  `INSERT INTO keys (${KEYS}) SELECT ${KEYS} FROM earlier_keys ORDER BY rowid`,
  'INSERT INTO model_lists (provider, models, read_at) SELECT provider, models, read_at FROM earlier_model_lists',
  `INSERT INTO usage (id, at, group_id, units, charged, ${COPIED})
    SELECT ${uuid('started_at', 'id')}, started_at, headgate_group(principal, provider, model, family, status), ${UNITS}, ${CHARGED}, ${COPIED}
    FROM earlier_usage ORDER BY id`,
  // Attempts whose row is gone stay what they are.
  `INSERT INTO usage_attempts (at, usage_id, position, ${ATTEMPT.join(', ')})
    SELECT began, ${uuid('began', 'usage_id')}, position, ${ATTEMPT.join(', ')} FROM (
      SELECT a.*, coalesce(u.started_at, min(a.started_at) OVER (PARTITION BY a.usage_id)) AS began
      FROM earlier_usage_attempts AS a LEFT JOIN earlier_usage AS u ON u.id = a.usage_id)`,
  rollUp('usage_hours', 'hour', `${INSTANT} / 3600000 * 3600000`),
  rollUp('usage_days', 'day', 'headgate_day(started_at)'),
  `INSERT INTO usage_model_days (${MODEL_DAY}, ${Object.keys(MEASURES).join(', ')})
    SELECT ${MODEL_DAY}, ${Object.keys(MEASURES)
      .map((name) => sumOf('sqlite', name))
      .join(', ')} FROM usage_days GROUP BY ${MODEL_DAY}`,
  `INSERT INTO usage_groups (id, principal, provider, model, family, status, last_at)
    SELECT headgate_group(principal, provider, model, family, status), principal, provider, model, family, status, max(hour)
    FROM usage_hours GROUP BY principal, provider, model, family, status`,
]
