import type { Connection } from '../connection.ts'
import { sumOf } from '../sum.ts'

const MEASURES = [
  ...['requests', 'unpriced'],
  ...['input', 'output', 'cache_read', 'cache_write', 'cache_write_long', 'reasoning', 'audio_input', 'audio_output'],
  ...['searches', 'images', 'seconds', 'characters', 'pages'],
  ...['cost', 'charged', 'held'],
]
const UPSTREAM = ['calls', 'unpriced', 'input', 'output', 'cache_read', 'cache_write', 'cost']

/** Tags of requests, sums by them, and sums by what providers call their models. */
export function usage(kind: Connection['kind']): readonly string[] {
  const isPostgres = kind === 'postgres'
  const [int, text] = isPostgres ? ['int8', 'text COLLATE "C"'] : ['INTEGER', 'TEXT']
  const plain = isPostgres ? '' : ' STRICT'
  const clustered = isPostgres ? '' : ' STRICT, WITHOUT ROWID'
  const counts = (names: readonly string[]) => names.map((name) => `${name} ${int} NOT NULL`).join(', ')
  const ofTag = `project ${text} NOT NULL, tag ${text} NOT NULL, value ${text} NOT NULL, ${counts(MEASURES)}`
  return [
    `CREATE TABLE IF NOT EXISTS principals (
      id ${text} PRIMARY KEY, project ${text} NOT NULL, environment ${text} NOT NULL, member ${text}, name ${text})${plain}`,
    `ALTER TABLE usage ADD COLUMN tags ${text}`,
    `CREATE TABLE usage_tag_hours (hour ${int} NOT NULL, ${ofTag}, PRIMARY KEY (tag, hour, project, value))${clustered}`,
    `CREATE TABLE usage_tag_days (day ${text} NOT NULL, ${ofTag}, PRIMARY KEY (tag, day, project, value))${clustered}`,
    'CREATE INDEX usage_tag_hours_by_hour ON usage_tag_hours (hour)',
    'CREATE INDEX usage_tag_days_by_day ON usage_tag_days (day, project, tag)',
    `CREATE TABLE usage_upstream_days (
      day ${int} NOT NULL, provider ${text} NOT NULL, model ${text} NOT NULL, ${counts(UPSTREAM)},
      PRIMARY KEY (provider, day, model))${clustered}`,
    ...daysByKey(kind),
    ...ofEarlierRows(kind),
  ]
}

/**
 * Days lie by key from now on, so that sums by what keys belong to need no sorting. SQLite makes the table anew;
 * Postgres sums up by hashes, and finds those of a key.
 */
function daysByKey(kind: Connection['kind']): readonly string[] {
  const key = 'day, principal, model, provider, family, status'
  if (kind === 'postgres')
    return ['ALTER TABLE usage_days DROP CONSTRAINT usage_days_pkey', `ALTER TABLE usage_days ADD PRIMARY KEY (${key})`]
  const names = ['principal', 'provider', 'model', 'family']
  const columns = [
    ...names.map((name) => `${name} TEXT NOT NULL`),
    ...['status', ...MEASURES].map((name) => `${name} INTEGER NOT NULL`),
  ]
  const all = ['day', ...names, 'status', ...MEASURES].join(', ')
  return [
    'ALTER TABLE usage_days RENAME TO earlier_usage_days',
    `CREATE TABLE usage_days (day TEXT NOT NULL, ${columns.join(', ')}, PRIMARY KEY (${key})) STRICT, WITHOUT ROWID`,
    `INSERT INTO usage_days (${all}) SELECT ${all} FROM earlier_usage_days ORDER BY ${key}`,
    'DROP TABLE earlier_usage_days',
  ]
}

/** What rows that are there already add to `usage_upstream_days`. */
function ofEarlierRows(kind: Connection['kind']): readonly string[] {
  const [least, greatest] = kind === 'postgres' ? ['least', 'greatest'] : ['min', 'max']
  const day = `${least}(${greatest}(u.at, 0), 8639999740800000) / 86400000 * 86400000`
  const ofModel = 'CASE WHEN a.provider = u.provider THEN u.provider_model ELSE a.model END'
  const into = (provider: string, model: string, values: Readonly<Record<string, string>>, from: string) =>
    `INSERT INTO usage_upstream_days (day, provider, model, ${UPSTREAM.join(', ')})
      SELECT ${day}, substr(${provider}, 1, 200), substr(${model}, 1, 200), ${UPSTREAM.map((name) => values[name] ?? '0').join(', ')}
      FROM ${from} WHERE 1 = 1 GROUP BY 1, 2, 3
      ON CONFLICT (provider, day, model) DO UPDATE SET ${UPSTREAM.map((name) => `${name} = usage_upstream_days.${name} + excluded.${name}`).join(', ')}`
  const tokens = Object.fromEntries(
    ['input', 'output', 'cache_read', 'cache_write'].map((name) => [name, sumOf(kind, `u.${name}`)]),
  )
  const calls = { calls: 'count(*)', unpriced: 'count(*) - count(a.cost)', cost: sumOf(kind, 'a.cost') }
  return [
    into('u.provider', 'u.provider_model', tokens, 'usage AS u'),
    into('a.provider', ofModel, calls, 'usage AS u JOIN usage_attempts AS a ON a.at = u.at AND a.usage_id = u.id'),
  ]
}
