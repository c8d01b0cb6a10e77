import { sql } from 'kysely'
import type { Connection } from '../database/connection.ts'
import { DEFAULT_ORGANIZATION } from './owners.ts'

/**
 * What a key may be used for because of the person who created it: `active` = all that the person may do; `viewer` =
 * nothing, because viewers have no keys; `disabled` and `left` (the organization of the key's project) = nothing.
 */
export type CreatorState = 'active' | 'viewer' | 'disabled' | 'left'

/** What the store knows of the person who created a key. Both are null if the key has no creator. */
export interface CreatorColumns {
  readonly creator_role: string | null
  readonly creator_disabled_at: bigint | null
}

/** Roles whose people may have keys, and those whose keys may have scopes. */
const KEYS: ReadonlySet<string> = new Set(['owner', 'admin', 'member'])
const SCOPES: ReadonlySet<string> = new Set(['owner', 'admin'])

/** Keys with the organization of their project and the present role of the person who created them. */
export function keysWithCreators(db: Pick<Connection['db'], 'selectFrom'>) {
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

/** Whether the limits of members hold for a person: not for those who set limits. */
export function isBound(role: string | null): boolean {
  return role !== null && !SCOPES.has(role)
}

/** The scopes that a key has at present. A list stays a list: a key that names scopes may do nothing else. */
export function presentScopes(
  scopes: readonly string[] | undefined,
  role: string | undefined,
): readonly string[] | undefined {
  return scopes && role !== undefined && isBound(role) ? [] : scopes
}
