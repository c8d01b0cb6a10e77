import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { run } from '../transaction.ts'

/** Answers that later requests may name, and what else they are named by. */
export function answers(kind: Connection['kind']): Migration {
  const isPostgres = kind === 'postgres'
  const [int, text] = isPostgres ? ['int8', 'text COLLATE "C"'] : ['INTEGER', 'TEXT']
  const clustered = isPostgres ? '' : ' STRICT, WITHOUT ROWID'
  const plain = isPostgres ? '' : ' STRICT'
  const statements = [
    `CREATE TABLE answers (
      owner ${text} NOT NULL, id ${text} NOT NULL, made_by ${text} NOT NULL, provider ${text}, model ${text} NOT NULL,
      created_at ${int} NOT NULL, kept_until ${int} NOT NULL, ends_at ${int} NOT NULL, items ${text} NOT NULL, size ${int} NOT NULL,
      data ${text}, PRIMARY KEY (owner, id))${plain}`,
    `CREATE TABLE answer_items (
      owner ${text} NOT NULL, id ${text} NOT NULL, answer ${text} NOT NULL, ends_at ${int} NOT NULL, PRIMARY KEY (owner, id))${clustered}`,
    // Those that live here: how much there is of a key, and what is kept no longer, without a row of theirs being read.
    'CREATE INDEX answers_by_key ON answers (made_by, created_at, owner, id, size) WHERE data IS NOT NULL',
    'CREATE INDEX answers_by_time ON answers (kept_until) WHERE data IS NOT NULL',
    'CREATE INDEX answers_by_end ON answers (ends_at)',
    'CREATE INDEX answer_items_by_end ON answer_items (ends_at)',
  ]
  return {
    up: async (db) => {
      for (const statement of statements) await run(db, statement)
    },
  }
}
