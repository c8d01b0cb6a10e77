import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { run } from '../transaction.ts'

/** Tasks, and how fast each provider is asked for its own. */
export function tasks(kind: Connection['kind']): Migration {
  return {
    up: async (db) => {
      for (const statement of kind === 'postgres' ? POSTGRES : SQLITE) await run(db, statement)
    },
  }
}

function tables(int: string, text: string, end: string): readonly string[] {
  return [
    `CREATE TABLE tasks (
      id ${text} PRIMARY KEY, family ${text} NOT NULL, owner ${text} NOT NULL, model ${text} NOT NULL, provider ${text} NOT NULL,
      provider_model ${text} NOT NULL, tier ${text} NOT NULL, status ${text} NOT NULL, created_at ${int} NOT NULL,
      updated_at ${int} NOT NULL, next_at ${int}, held_until ${int} NOT NULL, kept_until ${int}, ends_at ${int} NOT NULL,
      version ${int} NOT NULL, data ${text} NOT NULL)${end}`,
    `CREATE TABLE task_paces (provider ${text} PRIMARY KEY, spent_until ${int} NOT NULL)${end}`,
    // Those that are held have the oldest turns, and are passed over without their rows being read.
    'CREATE INDEX tasks_by_turn ON tasks (family, provider, next_at, held_until) WHERE next_at IS NOT NULL',
    'CREATE INDEX tasks_by_end ON tasks (ends_at)',
  ]
}

const SQLITE: readonly string[] = [
  ...tables('INTEGER', 'TEXT', ' STRICT'),
  // All that a list filters by: to count thousands takes no row of theirs.
  'CREATE INDEX tasks_by_owner ON tasks (owner, family, created_at, id, status, tier, model, provider_model)',
]

const POSTGRES: readonly string[] = [
  ...tables('int8', 'text COLLATE "C"', ''),
  // A caller names the model, and an index of Postgres takes no long name.
  'CREATE INDEX tasks_by_owner ON tasks (owner, family, created_at, id)',
  // So rows without their data are small: to count thousands reads few pages.
  'ALTER TABLE tasks SET (toast_tuple_target = 128)',
]
