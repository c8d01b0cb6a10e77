import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { run } from '../transaction.ts'

/** What keys may ask; budgets, what is spent of each in each of its windows, and what processes may spend of it. */
export function limits(kind: Connection['kind']): Migration {
  const isPostgres = kind === 'postgres'
  const [int, text, uuid] = isPostgres ? ['int8', 'text COLLATE "C"', 'uuid'] : ['INTEGER', 'TEXT', 'TEXT']
  const plain = isPostgres ? '' : ' STRICT'
  const clustered = isPostgres ? '' : ' STRICT, WITHOUT ROWID'
  const statements = [
    ...['requests_per_minute', 'tokens_per_minute', 'concurrent'].map(
      (name) => `ALTER TABLE keys ADD COLUMN ${name} ${int}`,
    ),
    `CREATE TABLE budgets (
      id ${text} PRIMARY KEY, scope ${text} NOT NULL, owner ${text} NOT NULL, name ${text} NOT NULL, limit_nanos ${int} NOT NULL,
      period ${text} NOT NULL, zone ${text} NOT NULL, soft ${int} NOT NULL, counts ${text} NOT NULL, source ${text} NOT NULL,
      created_at ${int} NOT NULL, removed_at ${int}, version ${int} NOT NULL)${plain}`,
    'CREATE INDEX budgets_by_owner ON budgets (owner, scope)',
    'CREATE INDEX budgets_by_version ON budgets (version)',
    `CREATE TABLE budget_windows (
      budget ${text} NOT NULL, win ${text} NOT NULL, starts_at ${int} NOT NULL, ends_at ${int}, spent ${int} NOT NULL,
      leased ${int} NOT NULL, recall ${int} NOT NULL, PRIMARY KEY (budget, win))${clustered}`,
    `CREATE TABLE budget_leases (
      budget ${text} NOT NULL, win ${text} NOT NULL, life ${text} NOT NULL, granted ${int} NOT NULL, used ${int} NOT NULL,
      seq ${int} NOT NULL, delta ${int} NOT NULL, answered ${int} NOT NULL, PRIMARY KEY (budget, win, life))${clustered}`,
    'CREATE INDEX budget_leases_by_life ON budget_leases (life)',
    `CREATE TABLE lives (id ${text} PRIMARY KEY, node ${text} NOT NULL, seen_at ${int} NOT NULL, state ${text} NOT NULL)${plain}`,
    `CREATE TABLE budget_alerts (
      id ${text} PRIMARY KEY, budget ${text} NOT NULL, win ${text} NOT NULL, ends_at ${int}, percent ${int} NOT NULL, name ${text} NOT NULL,
      scope ${text} NOT NULL, owner ${text} NOT NULL, soft ${int} NOT NULL, limit_nanos ${int} NOT NULL, spent ${int} NOT NULL,
      at ${int} NOT NULL, tries ${int} NOT NULL, next_at ${int}, done_at ${int})${plain}`,
    'CREATE INDEX budget_alerts_by_turn ON budget_alerts (next_at) WHERE next_at IS NOT NULL',
    'CREATE INDEX budget_alerts_by_time ON budget_alerts (at)',
    // Says of each row what it counts for, so that sums can be compared, and a row that comes twice counts once.
    `CREATE TABLE usage_budgets (
      at ${int} NOT NULL, usage_id ${uuid} NOT NULL, budget ${text} NOT NULL, win ${text} NOT NULL, amount ${int} NOT NULL,
      PRIMARY KEY (at, usage_id, budget, win))${clustered}`,
  ]
  return {
    up: async (db) => {
      for (const statement of statements) await run(db, statement)
    },
  }
}
