import type { Int, JsonText, MaybeInt, MaybeJson, MaybeText } from './column-types.ts'

export interface OrganisationTable {
  id: string
  name: string
  /** `invite` or `open`. */
  sign_up: string
  /** Mail domains that may sign up; an empty list is all. */
  domains: JsonText
  created_at: Int
  version: Int
  /** How much each of its members may ask, with all of their keys together. */
  requests_per_minute: MaybeInt
  tokens_per_minute: MaybeInt
  concurrent: MaybeInt
}

export interface PersonTable {
  id: string
  /** Normalised; null of somebody whose mail address nobody has verified. */
  email: MaybeText
  name: string
  /** A PHC string; null of somebody who signs in otherwise. */
  password: MaybeText
  created_at: Int
  disabled_at: MaybeInt
}

/** Who somebody is at an OIDC provider. */
export interface IdentityTable {
  issuer: string
  subject: string
  person: string
  created_at: Int
  seen_at: Int
}

export interface MembershipTable {
  organisation: string
  person: string
  role: string
  /** The OIDC provider whose groups say the role; null where people do. */
  provider: MaybeText
  created_at: Int
  version: Int
}

export interface ProjectTable {
  id: string
  organisation: string
  name: string
  created_at: Int
  archived_at: MaybeInt
  version: Int
  /** 1 = all keys of the project have each other's stored responses; null = they do not. */
  shares_responses: MaybeInt
}

export interface InviteTable {
  id: string
  /** SHA-256 of its token. */
  hash: Uint8Array
  organisation: string
  /** The only mail address that it makes an account for; null = any. */
  email: MaybeText
  role: string
  /** Id of a person; null = the operator. */
  invited_by: MaybeText
  created_at: Int
  expires_at: Int
  used_at: MaybeInt
  used_by: MaybeText
}

/**
 * A token that somebody holds who is not signed in: for the first account, a new password, an account by open sign-up.
 */
export interface LinkTable {
  /** SHA-256 of its token. */
  hash: Uint8Array
  kind: string
  organisation: MaybeText
  person: MaybeText
  email: MaybeText
  created_at: Int
  expires_at: Int
  used_at: MaybeInt
}

export interface SessionTable {
  id: string
  /** SHA-256 of its token. */
  hash: Uint8Array
  person: string
  /** `password`, `passkey`, `oidc`, `link`. */
  method: string
  created_at: Int
  seen_at: Int
  expires_at: Int
  /** When the person last showed who they are. */
  strong_at: Int
  address: MaybeText
  agent: MaybeText
}

export interface PasskeyTable {
  /** Of the credential, in base64url. */
  id: string
  person: string
  public_key: Uint8Array
  counter: Int
  transports: MaybeJson
  name: string
  created_at: Int
  used_at: MaybeInt
}

/**
 * A sign-in or the like that a browser holds the encrypted state of, and that was finished: it is not finished again.
 */
export interface FlowTable {
  /** SHA-256 of what the browser holds. */
  hash: Uint8Array
  expires_at: Int
}

/** Sign-ins that failed, by account and by address. */
export interface SignInFailureTable {
  /** A code of the account or address, which says neither. */
  subject: string
  failures: Int
  last_at: Int
  /** Nobody may try before. */
  until_at: Int
}

/** A request that is answered once, however often it is sent. */
export interface AnsweredRequestTable {
  /** SHA-256 of who asked, and of what they called it, in hexadecimal digits. */
  id: string
  /** SHA-256 of the request. */
  hash: Uint8Array
  /** Null while it is under way. */
  status: MaybeInt
  /** Of the answer, without secrets. */
  body: MaybeJson
  etag: MaybeText
  created_at: Int
  expires_at: Int
}

/** The key by which somebody asks models in a browser. */
export interface PlaygroundKeyTable {
  /** Id of a person. */
  person: string
  project: string
  key_id: string
  /** The key itself, encrypted. */
  sealed: string
  created_at: Int
}

/** Who changed what. Rows are added and, when they are old, deleted; none is changed. */
export interface AuditTable {
  /** UUIDv7. */
  id: string
  created_at: Int
  organisation: MaybeText
  /** `person`, `key`, `system`, `nobody`. */
  actor_kind: string
  actor: MaybeText
  session: MaybeText
  address: MaybeText
  agent: MaybeText
  request_id: MaybeText
  action: string
  target: MaybeText
  before: MaybeJson
  after: MaybeJson
  /** `done` or `refused`. */
  result: string
}

/** People and organisations. Times are Unix milliseconds. */
export interface AccountsTables {
  organisations: OrganisationTable
  people: PersonTable
  identities: IdentityTable
  memberships: MembershipTable
  projects: ProjectTable
  invites: InviteTable
  links: LinkTable
  sessions: SessionTable
  passkeys: PasskeyTable
  flows: FlowTable
  sign_in_failures: SignInFailureTable
  answered_requests: AnsweredRequestTable
  playground_keys: PlaygroundKeyTable
  audit: AuditTable
}
