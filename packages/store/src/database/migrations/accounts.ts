import type { Migration } from 'kysely/migration'
import type { Connection } from '../connection.ts'
import { run } from '../transaction.ts'
import { keys } from './keys.ts'
import { usage } from './usage.ts'

/** What keys are of, and who made them; people, organisations, how people sign in, and who changed what. */
export function accounts(kind: Connection['kind']): Migration {
  const statements = [
    ...keys(kind),
    ...tables(kind),
    ...INDEXES,
    ...(kind === 'postgres' ? POSTGRES : SQLITE),
    ...usage(kind),
  ]
  return {
    up: async (db) => {
      for (const statement of statements) await run(db, statement)
    },
  }
}

function tables(kind: Connection['kind']): readonly string[] {
  const isPostgres = kind === 'postgres'
  const [int, text, bytes] = isPostgres ? ['int8', 'text COLLATE "C"', 'bytea'] : ['INTEGER', 'TEXT', 'BLOB']
  const plain = isPostgres ? '' : ' STRICT'
  const clustered = isPostgres ? '' : ' STRICT, WITHOUT ROWID'
  return [
    `CREATE TABLE organisations (
      id ${text} PRIMARY KEY, name ${text} NOT NULL, sign_up ${text} NOT NULL, domains ${text} NOT NULL, created_at ${int} NOT NULL,
      version ${int} NOT NULL)${plain}`,
    `CREATE TABLE people (
      id ${text} PRIMARY KEY, email ${text} UNIQUE, name ${text} NOT NULL, password ${text}, created_at ${int} NOT NULL,
      disabled_at ${int})${plain}`,
    `CREATE TABLE identities (
      issuer ${text} NOT NULL, subject ${text} NOT NULL, person ${text} NOT NULL, created_at ${int} NOT NULL, seen_at ${int} NOT NULL,
      PRIMARY KEY (issuer, subject))${clustered}`,
    `CREATE TABLE memberships (
      organisation ${text} NOT NULL, person ${text} NOT NULL, role ${text} NOT NULL, provider ${text}, created_at ${int} NOT NULL,
      version ${int} NOT NULL, PRIMARY KEY (organisation, person))${clustered}`,
    `CREATE TABLE projects (
      id ${text} PRIMARY KEY, organisation ${text} NOT NULL, name ${text} NOT NULL, created_at ${int} NOT NULL, archived_at ${int},
      version ${int} NOT NULL)${plain}`,
    `CREATE TABLE invites (
      id ${text} PRIMARY KEY, hash ${bytes} NOT NULL UNIQUE, organisation ${text} NOT NULL, email ${text}, role ${text} NOT NULL,
      invited_by ${text}, created_at ${int} NOT NULL, expires_at ${int} NOT NULL, used_at ${int}, used_by ${text})${plain}`,
    `CREATE TABLE links (
      hash ${bytes} PRIMARY KEY, kind ${text} NOT NULL, organisation ${text}, person ${text}, email ${text}, created_at ${int} NOT NULL,
      expires_at ${int} NOT NULL, used_at ${int})${plain}`,
    `CREATE TABLE sessions (
      id ${text} PRIMARY KEY, hash ${bytes} NOT NULL UNIQUE, person ${text} NOT NULL, method ${text} NOT NULL, created_at ${int} NOT NULL,
      seen_at ${int} NOT NULL, expires_at ${int} NOT NULL, strong_at ${int} NOT NULL, address ${text}, agent ${text})${plain}`,
    `CREATE TABLE passkeys (
      id ${text} PRIMARY KEY, person ${text} NOT NULL, public_key ${bytes} NOT NULL, counter ${int} NOT NULL, transports ${text},
      name ${text} NOT NULL, created_at ${int} NOT NULL, used_at ${int})${plain}`,
    `CREATE TABLE flows (hash ${bytes} PRIMARY KEY, expires_at ${int} NOT NULL)${plain}`,
    `CREATE TABLE sign_in_failures (
      subject ${text} PRIMARY KEY, failures ${int} NOT NULL, last_at ${int} NOT NULL, until_at ${int} NOT NULL)${plain}`,
    `CREATE TABLE answered_requests (
      id ${text} PRIMARY KEY, hash ${bytes} NOT NULL, status ${int}, body ${text}, etag ${text}, created_at ${int} NOT NULL,
      expires_at ${int} NOT NULL)${plain}`,
    `CREATE TABLE audit (
      id ${text} PRIMARY KEY, created_at ${int} NOT NULL, organisation ${text}, actor_kind ${text} NOT NULL, actor ${text},
      session ${text}, address ${text}, agent ${text}, request_id ${text}, action ${text} NOT NULL, target ${text}, before ${text},
      after ${text}, result ${text} NOT NULL)${plain}`,
  ]
}

const INDEXES: readonly string[] = [
  'CREATE INDEX identities_by_person ON identities (person)',
  'CREATE INDEX memberships_by_person ON memberships (person)',
  'CREATE UNIQUE INDEX projects_by_name ON projects (organisation, name) WHERE archived_at IS NULL',
  'CREATE INDEX invites_by_organisation ON invites (organisation, created_at)',
  'CREATE INDEX links_by_person ON links (person)',
  'CREATE INDEX sessions_by_person ON sessions (person)',
  'CREATE INDEX passkeys_by_person ON passkeys (person)',
  'CREATE INDEX audit_by_organisation ON audit (organisation, id)',
  // What is over is deleted by its end.
  ...['invites', 'links', 'sessions', 'flows', 'answered_requests'].map(
    (name) => `CREATE INDEX ${name}_by_end ON ${name} (expires_at)`,
  ),
  'CREATE INDEX sign_in_failures_by_last ON sign_in_failures (last_at)',
  'CREATE INDEX audit_by_time ON audit (created_at)',
]

const SQLITE: readonly string[] = [
  "CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'rows of audit are not changed'); END",
]

const POSTGRES: readonly string[] = [
  `CREATE OR REPLACE FUNCTION headgate_audit_stays() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'rows of audit are not changed'; END $$`,
  'CREATE TRIGGER audit_stays BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION headgate_audit_stays()',
]
