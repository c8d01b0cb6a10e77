import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { sumOf } from '../sum.ts'
import { run } from '../transaction.ts'

const KEY = 'day, principal, family, status'

const MEASURES = [
  ...['requests', 'unpriced'],
  ...['input', 'output', 'cache_read', 'cache_write', 'cache_write_long', 'reasoning', 'audio_input', 'audio_output'],
  ...['searches', 'images', 'seconds', 'characters', 'pages'],
  ...['cost', 'charged', 'held'],
]

/** Days of keys without models, out of the days that there are. */
export function keyDays(kind: Connection['kind']): Migration {
  const isPostgres = kind === 'postgres'
  const [int, text] = isPostgres ? ['int8', 'text COLLATE "C"'] : ['INTEGER', 'TEXT']
  const statements = [
    `CREATE TABLE usage_key_days (
      day ${text} NOT NULL, principal ${text} NOT NULL, family ${text} NOT NULL, status ${int} NOT NULL,
      ${MEASURES.map((name) => `${name} ${int} NOT NULL`).join(', ')}, PRIMARY KEY (${KEY}))${isPostgres ? '' : ' STRICT, WITHOUT ROWID'}`,
    `INSERT INTO usage_key_days (${KEY}, ${MEASURES.join(', ')})
      SELECT ${KEY}, ${MEASURES.map((name) => sumOf(kind, name)).join(', ')} FROM usage_days GROUP BY ${KEY}`,
  ]
  return {
    up: async (db) => {
      for (const statement of statements) await run(db, statement)
    },
  }
}
