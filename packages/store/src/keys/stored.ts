import { definedRights, type KeyRights, type RateLimit, settingOf } from '@headgate/gateway/ports'
import type { TableRow } from '../schema/tables.ts'
import { type CreatorColumns, type CreatorState, creatorState } from './creators.ts'
import { storedLimits } from './limits.ts'

/** Stored key with the facts that requests are checked by. Times are Unix milliseconds. */
export interface KeyFacts extends KeyRights {
  readonly id: string
  /** Id of its project. */
  readonly project: string
  /** Environment: `development`, `staging`, `production`, or another name. */
  readonly environment: string
  /** Id of the user whose rights limit it; absent if a command created it, or it is a service key. */
  readonly createdBy?: string
  /** Current state of its creator. */
  readonly creator?: CreatorState
  /** Set if it belongs to its project instead of a user. */
  readonly service?: true
  readonly name?: string
  /** Rate limits. */
  readonly limits?: RateLimit
  readonly createdAt: number
  /** Start of its newest request that reached a provider, accurate to the minute. */
  readonly lastUsedAt?: number
  readonly expiresAt?: number
  readonly revokedAt?: number
  /** End of recording traces of its requests; absent if they are not recorded. */
  readonly tracedUntil?: number
  /** Number that increases with each change. */
  readonly version: number
}

/** Secret of a key, without its value. */
export interface KeySecret {
  /** First and last characters. */
  readonly prefix: string
  readonly createdAt: number
  /** Expiry; absent if it expires with the key. */
  readonly expiresAt?: number
}

/** Stored key, without its secrets' values. */
export interface StoredKey extends KeyFacts {
  /** First and last characters of its newest secret. */
  readonly prefix: string
  /** Active secrets, newest first: several for some time after a rotation. */
  readonly secrets: readonly KeySecret[]
}

/** Row of a key with its creator. */
export type KeyRow = TableRow<'keys'> & CreatorColumns

export function factsOf(row: KeyRow): KeyFacts {
  const { id, project, environment, created_by, name, created_at, last_used_at, expires_at, revoked_at, traced_until } =
    row
  const limits = storedLimits(row)
  return {
    id,
    project,
    environment,
    createdAt: Number(created_at),
    version: Number(row.version),
    ...(created_by !== null && { createdBy: created_by, creator: creatorState(row) }),
    ...(row.service !== null && { service: true }),
    ...(name !== null && { name }),
    ...storedRights(row),
    ...(limits && { limits }),
    ...(last_used_at !== null && { lastUsedAt: Number(last_used_at) }),
    ...(expires_at !== null && { expiresAt: Number(expires_at) }),
    ...(revoked_at !== null && { revokedAt: Number(revoked_at) }),
    ...(traced_until !== null && { tracedUntil: Number(traced_until) }),
  }
}

function storedRights(row: TableRow<'keys'>): KeyRights {
  return {
    ...definedRights((name) => (row[name] === null ? undefined : JSON.parse(row[name]))),
    ...(row.class !== null && settingOf('class', row.class)),
    ...(row.weight !== null && { weight: Number(row.weight) }),
    ...(row.tracing !== null && settingOf('tracing', row.tracing)),
  }
}

/** Builds a key from its row. @param secrets of this key only */
export function storedKey(row: KeyRow, secrets: readonly TableRow<'key_secrets'>[], now: number): StoredKey {
  const alive = secrets
    .filter(({ expires_at }) => expires_at === null || Number(expires_at) > now)
    .sort((one, other) => Number(other.created_at - one.created_at) || (one.expires_at === null ? -1 : 1))
    .map(secretOf)
  return { ...factsOf(row), prefix: alive[0]?.prefix ?? '', secrets: alive }
}

function secretOf({ prefix, created_at, expires_at }: TableRow<'key_secrets'>): KeySecret {
  return { prefix, createdAt: Number(created_at), ...(expires_at !== null && { expiresAt: Number(expires_at) }) }
}
