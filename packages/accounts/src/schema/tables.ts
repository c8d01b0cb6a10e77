import { bytes, int, json, maybe, type RowsOf, type StoreSchema, table, text } from '@headgate/store/schema'
import type {
  TableRow as RowIn,
  StoreConnection,
  StoreTables,
  WriteTransaction as WritingIn,
} from '@headgate/store/sql'

/** Rows of accounts expire at `expires_at`. */
const EXPIRES = { by_end: '(expires_at)' } as const

/** Sign-in, invitations and the audit log. Times are Unix milliseconds. */
export const ACCOUNT_TABLES = {
  /** Account of a person at an OIDC provider. */
  identities: table({
    columns: { issuer: text, subject: text, person: text, created_at: int, seen_at: int },
    key: ['issuer', 'subject'],
    clustered: true,
    indexes: { by_person: '(person)' },
  }),

  invites: table({
    columns: {
      id: text,
      /** SHA-256 of its token. */
      hash: bytes,
      organization: text,
      /** The only mail address that may accept it; null = any. */
      email: maybe(text),
      role: text,
      /** Id of a person; null = the operator. */
      invited_by: maybe(text),
      created_at: int,
      expires_at: int,
      used_at: maybe(int),
      used_by: maybe(text),
    },
    key: ['id'],
    indexes: { ...EXPIRES, by_organization: '(organization, created_at)' },
    unique: { by_hash: '(hash)' },
  }),

  /** Token for a visitor who is not signed in: the first account, a new password, an account by open sign-up. */
  links: table({
    columns: {
      /** SHA-256 of its token. */
      hash: bytes,
      kind: text,
      organization: maybe(text),
      person: maybe(text),
      email: maybe(text),
      created_at: int,
      expires_at: int,
      used_at: maybe(int),
    },
    key: ['hash'],
    indexes: { ...EXPIRES, by_person: '(person)' },
  }),

  sessions: table({
    columns: {
      id: text,
      /** SHA-256 of its token. */
      hash: bytes,
      person: text,
      /** `password`, `passkey`, `oidc`, `link`. */
      method: text,
      created_at: int,
      seen_at: int,
      expires_at: int,
      /** Last time the person signed in or confirmed. */
      strong_at: int,
      address: maybe(text),
      agent: maybe(text),
    },
    key: ['id'],
    indexes: { ...EXPIRES, by_person: '(person)' },
    unique: { by_hash: '(hash)' },
  }),

  passkeys: table({
    columns: {
      /** Id of the credential, in base64url. */
      id: text,
      person: text,
      public_key: bytes,
      counter: int,
      transports: maybe(json),
      name: text,
      created_at: int,
      used_at: maybe(int),
    },
    key: ['id'],
    indexes: { by_person: '(person)' },
  }),

  /** Finished sign-ins and other flows whose encrypted state a browser has: a flow cannot be finished twice. */
  flows: table({
    columns: {
      /** SHA-256 of the state. */
      hash: bytes,
      expires_at: int,
    },
    key: ['hash'],
    indexes: EXPIRES,
  }),

  /** Failed sign-ins, by account and by address. */
  sign_in_failures: table({
    columns: {
      /** A hash of the account or address. */
      subject: text,
      failures: int,
      last_at: int,
      /** Earliest next attempt. */
      until_at: int,
    },
    key: ['subject'],
    indexes: { by_last: '(last_at)' },
  }),

  /** Responses to requests with an idempotency key: the request runs once, however often it is sent. */
  answered_requests: table({
    columns: {
      /** SHA-256 of the caller and the idempotency key, in hexadecimal digits. */
      id: text,
      /** SHA-256 of the request. */
      hash: bytes,
      /** Null = in progress. */
      status: maybe(int),
      /** Body of the response, without secrets. */
      body: maybe(json),
      etag: maybe(text),
      created_at: int,
      expires_at: int,
    },
    key: ['id'],
    indexes: EXPIRES,
  }),

  /** Key of a person for the playground. */
  playground_keys: table({
    columns: {
      /** Id of a person. */
      person: text,
      project: text,
      key_id: text,
      /** The key itself, encrypted. */
      sealed: text,
      created_at: int,
    },
    key: ['person', 'project'],
    clustered: true,
  }),

  /** Saved views of lists on the dashboard. */
  saved_views: table({
    columns: {
      id: text,
      organization: text,
      /** Id of a person; empty = all members of the organization. */
      owner: text,
      page: text,
      name: text,
      /** Query of its address. */
      search: text,
      created_at: int,
    },
    key: ['id'],
    unique: { by_name: '(organization, owner, page, name)' },
  }),

  /** Chain of audit entries of an organization. */
  audit_chains: table({
    columns: {
      /** Empty for entries without an organization. */
      organization: text,
      /** Number and hash of the newest entry. */
      number: int,
      hash: text,
      /** Number of the oldest entry that retention has not deleted. */
      first: int,
    },
    key: ['organization'],
    clustered: true,
  }),

  /** Process that exports audit entries to a destination. */
  audit_exports: table({
    columns: { destination: text, holder: text, held_until: int },
    key: ['destination'],
    clustered: true,
  }),

  /** Newest entry of a chain that a destination has accepted. */
  audit_positions: table({
    columns: { destination: text, organization: text, number: int },
    key: ['destination', 'organization'],
    clustered: true,
  }),

  /** Mails with the statement of a month: one row per recipient, so that each is sent once. */
  statement_mails: table({
    columns: {
      organization: text,
      /** `2026-11`. */
      month: text,
      /** Id of a person. */
      person: text,
      /** Id of a project; empty = all projects. */
      project: text,
      tries: int,
      /** Time of the next attempt; null = sent or given up. */
      next_at: maybe(int),
      sent_at: maybe(int),
    },
    key: ['organization', 'month', 'person', 'project'],
    clustered: true,
    indexes: { by_next: '(next_at)' },
  }),

  /** Audit log. Rows are added and, when old, deleted. They are never changed. */
  audit: table({
    columns: {
      /** UUIDv7. */
      id: text,
      created_at: int,
      organization: maybe(text),
      /** `person`, `key`, `system`, `anonymous`. */
      actor_kind: text,
      actor: maybe(text),
      session: maybe(text),
      address: maybe(text),
      agent: maybe(text),
      request_id: maybe(text),
      action: text,
      target: maybe(text),
      before: maybe(json),
      after: maybe(json),
      /** `done` or `refused`. */
      result: text,
      /** Sequence number in the chain of the organization, from 1. */
      number: int,
      /** SHA-256 of the entry before, in hexadecimal digits. */
      previous: text,
    },
    key: ['id'],
    indexes: { by_organization: '(organization, id)', by_time: '(created_at)' },
    unique: { by_number: '(organization, number)' },
    extras: {
      sqlite: [
        "CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'rows of audit are not changed'); END",
      ],
      postgres: [
        `CREATE OR REPLACE FUNCTION headgate_audit_stays() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'rows of audit are not changed'; END $$`,
        'CREATE TRIGGER audit_stays BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION headgate_audit_stays()',
      ],
    },
  }),
}

/** Tables of this package, in addition to the tables of the store. */
export const ACCOUNTS: StoreSchema = { name: 'accounts', tables: ACCOUNT_TABLES, upgrades: [] }

export type AccountsTables = StoreTables & RowsOf<typeof ACCOUNT_TABLES>
/**
 * Connection that functions of the store accept too. Kysely's types do not show that a query with more tables supports
 * all their queries.
 */
export type AccountsConnection = StoreConnection<AccountsTables> & StoreConnection
export type AccountsTransaction = WritingIn<AccountsTables> & WritingIn
/** A row as a query returns it. */
export type AccountsRow<Name extends keyof AccountsTables> = RowIn<Name, AccountsTables>
