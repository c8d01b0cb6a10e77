import { bytes, int, json, maybe, table, text } from './declare.ts'

/** Keys of callers, their secrets, and the principals of usage. Times are Unix milliseconds. */
export const KEY_TABLES = {
  /** Project, environment and creator of a key never change, since sums of usage refer to them. */
  keys: table({
    columns: {
      id: text,
      project: text,
      environment: text,
      /** Id of a user; null = unknown. */
      created_by: maybe(text),
      name: maybe(text),
      models: maybe(json),
      search: maybe(json),
      scopes: maybe(json),
      created_at: int,
      expires_at: maybe(int),
      revoked_at: maybe(int),
      requests_per_minute: maybe(int),
      tokens_per_minute: maybe(int),
      /** Maximum concurrent requests. */
      concurrent: maybe(int),
      families: maybe(json),
      providers: maybe(json),
      addresses: maybe(json),
      last_used_at: maybe(int),
      /** Number that increases with each change of the key. */
      version: int,
      /** End of recording its requests as traces; null = not recorded. */
      traced_until: maybe(int),
      /** 1 = belongs to its project instead of a user; null = belongs to its creator. */
      service: maybe(int),
      policies: maybe(json),
      labels: maybe(json),
      class: maybe(text),
      weight: maybe(int),
      tracing: maybe(text),
    },
    key: ['id'],
    indexes: { by_project: '(project)' },
  }),

  /** Secrets of keys. A key has several for some time after a rotation. */
  key_secrets: table({
    columns: {
      /** SHA-256. */
      hash: bytes,
      key_id: text,
      /** First and last characters. */
      prefix: text,
      created_at: int,
      /** Null = expires with its key. */
      expires_at: maybe(int),
    },
    key: ['hash'],
    indexes: { by_key: '(key_id)' },
  }),

  /** Traces of requests and responses, on both sides of the gateway. */
  traces: table({
    columns: {
      request_id: text,
      key_id: text,
      at: int,
      /** Time of its deletion. */
      ends_at: int,
      /** Encrypted. */
      sealed: text,
    },
    key: ['request_id'],
    indexes: { by_end: '(ends_at)' },
  }),

  /** Principals of usage: stored and configured keys. */
  principals: table({
    columns: {
      id: text,
      project: text,
      environment: text,
      /** Id of the user who created it. */
      member: maybe(text),
      name: maybe(text),
    },
    key: ['id'],
  }),
}

/**
 * Owners of keys. The store declares them for the lookup of keys; only `@headgate/accounts` writes to them. Times are
 * Unix milliseconds.
 */
export const OWNER_TABLES = {
  organizations: table({
    columns: {
      id: text,
      name: text,
      /** `invite` or `open`. */
      sign_up: text,
      /** Mail domains that may sign up; an empty list = all. */
      domains: json,
      created_at: int,
      version: int,
      /** Rate limits of each member, over all of their keys. */
      requests_per_minute: maybe(int),
      tokens_per_minute: maybe(int),
      concurrent: maybe(int),
      /** Bounds of keys that members create; null = none. */
      key_defaults: maybe(json),
      /** Recipients of monthly statements, and since when; null = none. */
      statement_mail: maybe(json),
    },
    key: ['id'],
  }),

  people: table({
    columns: {
      id: text,
      /** Normalized; null = no verified mail address. */
      email: maybe(text),
      name: text,
      /** PHC string; null = no password. */
      password: maybe(text),
      created_at: int,
      disabled_at: maybe(int),
    },
    key: ['id'],
    unique: { by_email: '(email)' },
  }),

  memberships: table({
    columns: {
      organization: text,
      person: text,
      role: text,
      /** OIDC provider whose groups set the role; null = set by an administrator. */
      provider: maybe(text),
      created_at: int,
      version: int,
    },
    key: ['organization', 'person'],
    clustered: true,
    indexes: { by_person: '(person)' },
  }),

  projects: table({
    columns: {
      id: text,
      organization: text,
      name: text,
      created_at: int,
      archived_at: maybe(int),
      version: int,
      /** 1 = keys of the project share stored responses; null = they do not. */
      shares_responses: maybe(int),
    },
    key: ['id'],
    unique: { by_name: '(organization, name) WHERE archived_at IS NULL' },
  }),
}
