import { sql } from 'kysely'
import type { StoreConnection } from '../database/connection.ts'
import { DEFAULT_ORGANIZATION } from './owners.ts'

/**
 * State of the user who created a key: `active` = the key has the user's rights; `viewer` = none, since viewers have no
 * keys; `disabled`, and `left` (the organization of the key's project) = none.
 */
export type CreatorState = 'active' | 'viewer' | 'disabled' | 'left'

/** Role and state of the user who created a key. Both are null if the key has no creator. */
export interface CreatorColumns {
  readonly creator_role: string | null
  readonly creator_disabled_at: bigint | null
}

/** Roles that may have keys, and roles whose keys may have scopes. */
const KEYS: ReadonlySet<string> = new Set(['owner', 'admin', 'member'])
const SCOPES: ReadonlySet<string> = new Set(['owner', 'admin'])

/** Keys with the organization of their project and the current role of their creator. */
export function keysWithCreators(db: Pick<StoreConnection['db'], 'selectFrom'>) {
  return db
    .selectFrom('keys')
    .leftJoin('projects', 'projects.id', 'keys.project')
    .leftJoin('people', 'people.id', 'keys.created_by')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.person', '=', 'keys.created_by')
        .on('memberships.organization', '=', sql<string>`COALESCE(projects.organization, ${DEFAULT_ORGANIZATION})`),
    )
    .selectAll('keys')
    .select(['memberships.role as creator_role', 'people.disabled_at as creator_disabled_at'])
}

export function creatorState({ creator_role, creator_disabled_at }: CreatorColumns): CreatorState {
  if (creator_role === null) return 'left'
  if (creator_disabled_at !== null) return 'disabled'
  return KEYS.has(creator_role) ? 'active' : 'viewer'
}

/** True if member limits apply to a role. They do not apply to roles that set limits. */
export function isLimited(role: string | null): boolean {
  return role !== null && !SCOPES.has(role)
}

/** Effective scopes of a key. A list remains a list, since a key with scopes is restricted to them. */
export function effectiveScopes(
  scopes: readonly string[] | undefined,
  role: string | undefined,
): readonly string[] | undefined {
  return scopes && role !== undefined && isLimited(role) ? [] : scopes
}
