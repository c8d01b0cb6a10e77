import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { run } from '../transaction.ts'

/**
 * Service keys, projects that share responses, limits of members, and responses that belong to people, projects and
 * keys.
 */
export function rights(kind: Connection['kind']): Migration {
  const [int, text] = kind === 'postgres' ? ['int8', 'text COLLATE "C"'] : ['INTEGER', 'TEXT']
  const statements = [
    `ALTER TABLE keys ADD COLUMN service ${int}`,
    `ALTER TABLE projects ADD COLUMN shares_responses ${int}`,
    ...['requests_per_minute', 'tokens_per_minute', 'concurrent'].map(
      (name) => `ALTER TABLE organisations ADD COLUMN ${name} ${int}`,
    ),
    // Earlier rows name no owner, and their ids can be derived from the ids of requests.
    'DELETE FROM answer_items',
    'DELETE FROM answers',
    `ALTER TABLE answers ADD COLUMN project ${text}`,
    'CREATE INDEX answers_by_id ON answers (id)',
    'CREATE INDEX answer_items_by_id ON answer_items (id)',
  ]
  return {
    up: async (db) => {
      for (const statement of statements) await run(db, statement)
    },
  }
}
