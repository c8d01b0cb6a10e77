import type { Connection } from '../connection.ts'

/**
 * SQL that gives keys a project and an environment, and secrets of their own. Keys are made anew, since SQLite takes no
 * column away that must be unique.
 */
export function keys(kind: Connection['kind']): readonly string[] {
  const isPostgres = kind === 'postgres'
  const [int, text, bytes] = isPostgres ? ['int8', 'text COLLATE "C"', 'bytea'] : ['INTEGER', 'TEXT', 'BLOB']
  const plain = isPostgres ? '' : ' STRICT'
  const kept =
    'id, name, models, search, scopes, created_at, expires_at, revoked_at, requests_per_minute, tokens_per_minute, concurrent'
  return [
    `CREATE TABLE key_secrets (
      hash ${bytes} PRIMARY KEY, key_id ${text} NOT NULL, prefix ${text} NOT NULL, created_at ${int} NOT NULL, expires_at ${int})${plain}`,
    'INSERT INTO key_secrets (hash, key_id, prefix, created_at) SELECT hash, id, prefix, created_at FROM keys',
    `CREATE TABLE principals (
      id ${text} PRIMARY KEY, project ${text} NOT NULL, environment ${text} NOT NULL, member ${text}, name ${text})${plain}`,
    "INSERT INTO principals (id, project, environment, name) SELECT id, 'prj_default', 'production', name FROM keys",
    'ALTER TABLE keys RENAME TO earlier_keys',
    `CREATE TABLE keys (
      id ${text} PRIMARY KEY, project ${text} NOT NULL, environment ${text} NOT NULL, created_by ${text}, name ${text}, models ${text},
      search ${text}, scopes ${text}, created_at ${int} NOT NULL, expires_at ${int}, revoked_at ${int}, requests_per_minute ${int},
      tokens_per_minute ${int}, concurrent ${int}, families ${text}, providers ${text}, addresses ${text}, last_used_at ${int},
      version ${int} NOT NULL)${plain}`,
    `INSERT INTO keys (${kept}, project, environment, version) SELECT ${kept}, 'prj_default', 'production', 1 FROM earlier_keys`,
    'DROP TABLE earlier_keys',
    'CREATE INDEX key_secrets_by_key ON key_secrets (key_id)',
    'CREATE INDEX keys_by_project ON keys (project)',
    "UPDATE budgets SET owner = 'org_default' WHERE scope = 'organisation' AND owner = 'default'",
  ]
}
