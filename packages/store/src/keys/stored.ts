import { definedRights, type KeyRights, type RateLimit } from '@headgate/gateway/ports'
import type { Row } from '../schema/tables.ts'
import { type CreatorColumns, type CreatorState, creatorState } from './creators.ts'
import { storedLimits } from './limits.ts'

/** A stored key, as far as it is checked by. Times are Unix milliseconds. */
export interface KeyFacts extends KeyRights {
  readonly id: string
  /** Id of the project that it belongs to. */
  readonly project: string
  /** `development`, `staging`, `production`, or another name. */
  readonly environment: string
  /** Id of the person whose rights it has at most; absent = a command created it, or it is a service key. */
  readonly createdBy?: string
  /** What has become of that person. */
  readonly creator?: CreatorState
  /** Present = it belongs to its project instead of a person. */
  readonly service?: true
  readonly name?: string
  /** How much it may ask. */
  readonly limits?: RateLimit
  readonly createdAt: number
  /** When the newest of its requests began that reached a provider; to the minute. */
  readonly lastUsedAt?: number
  readonly expiresAt?: number
  readonly revokedAt?: number
  /** Until when it is kept what goes over the wire for its requests; absent = it is not. */
  readonly tracedUntil?: number
  /** Rises with each change of it. */
  readonly version: number
}

/** By what a key is known, without it. */
export interface KeySecret {
  /** Its first and last characters. */
  readonly prefix: string
  readonly createdAt: number
  /** When it ends; absent = with the key. */
  readonly expiresAt?: number
}

/** A stored key, without what it is known by. */
export interface StoredKey extends KeyFacts {
  /** First and last characters of its newest secret. */
  readonly prefix: string
  /** Those that have not ended, newest first: several for a while after it was rotated. */
  readonly secrets: readonly KeySecret[]
}

/** A key as it is read, with its creator. */
export type KeyRow = Row<'keys'> & CreatorColumns

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

function storedRights(row: Row<'keys'>): KeyRights {
  return definedRights((name) => (row[name] === null ? undefined : JSON.parse(row[name])))
}

/** @param secrets of this key alone */
export function storedKey(row: KeyRow, secrets: readonly Row<'key_secrets'>[], now: number): StoredKey {
  const alive = secrets
    .filter(({ expires_at }) => expires_at === null || Number(expires_at) > now)
    .sort((one, other) => Number(other.created_at - one.created_at) || (one.expires_at === null ? -1 : 1))
    .map(secretOf)
  return { ...factsOf(row), prefix: alive[0]?.prefix ?? '', secrets: alive }
}

function secretOf({ prefix, created_at, expires_at }: Row<'key_secrets'>): KeySecret {
  return { prefix, createdAt: Number(created_at), ...(expires_at !== null && { expiresAt: Number(expires_at) }) }
}
