import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { run } from '../transaction.ts'
import { firstBytes } from './first-bytes.ts'

/**
 * Keys by which people ask models in a browser, what went over the wire for requests of which that is kept, and how
 * long first bytes took.
 */
export function playground(kind: Connection['kind']): Migration {
  const isPostgres = kind === 'postgres'
  const [int, text] = isPostgres ? ['int8', 'text COLLATE "C"'] : ['INTEGER', 'TEXT']
  const [plain, clustered] = isPostgres ? ['', ''] : [' STRICT', ' STRICT, WITHOUT ROWID']
  const statements = [
    `ALTER TABLE keys ADD COLUMN traced_until ${int}`,
    `CREATE TABLE playground_keys (
      person ${text} NOT NULL, project ${text} NOT NULL, key_id ${text} NOT NULL, sealed ${text} NOT NULL, created_at ${int} NOT NULL,
      PRIMARY KEY (person, project))${clustered}`,
    `CREATE TABLE traces (
      request_id ${text} PRIMARY KEY, key_id ${text} NOT NULL, at ${int} NOT NULL, ends_at ${int} NOT NULL,
      sealed ${text} NOT NULL)${plain}`,
    'CREATE INDEX traces_by_end ON traces (ends_at)',
    ...firstBytes(kind),
  ]
  return {
    up: async (db) => {
      for (const statement of statements) await run(db, statement)
    },
  }
}
