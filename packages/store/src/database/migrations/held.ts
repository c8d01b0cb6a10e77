import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { run } from '../transaction.ts'

/** The held part of each amount that counts in a budget, and its sum by key and process run. */
export function held(kind: Connection['kind']): Migration {
  const isPostgres = kind === 'postgres'
  const [int, text] = isPostgres ? ['int8', 'text COLLATE "C"'] : ['INTEGER', 'TEXT']
  const statements = [
    `ALTER TABLE usage_budgets ADD COLUMN held ${int} NOT NULL DEFAULT 0`,
    `CREATE TABLE budget_held (
      budget ${text} NOT NULL, win ${text} NOT NULL, principal ${text} NOT NULL, life ${text} NOT NULL, held ${int} NOT NULL,
      PRIMARY KEY (budget, win, principal, life))${isPostgres ? '' : ' STRICT, WITHOUT ROWID'}`,
    'CREATE INDEX usage_held ON usage (at, id) WHERE held > 0',
  ]
  return {
    up: async (db) => {
      for (const statement of statements) await run(db, statement)
    },
  }
}
