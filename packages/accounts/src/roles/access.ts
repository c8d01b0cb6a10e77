import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { projectsOf } from '../keys/owned.ts'
import type { Parts } from '../parts.ts'
import { homeOf } from '../people/home.ts'
import { type Allowed, allow, type Caller, checkStrong } from './caller.ts'
import type { Action } from './roles.ts'

/** What somebody is about to do. */
export interface Asked {
  /** Default: that of the key, or the first that the person joined. */
  readonly organization?: string | undefined
  readonly action: Action
  /** Whether it asks that they have just shown who they are. */
  readonly isSensitive?: boolean | undefined
}

/** What somebody may do, and where. */
export interface Access extends Allowed {
  readonly organization: string
}

/**
 * Whether somebody may do something: asked before anything of their request is read. @throws HeadgateError `not-found`,
 * `forbidden`.
 */
export async function accessOf(
  parts: Parts,
  caller: Caller,
  { organization, action, isSensitive }: Asked,
): Promise<Access> {
  const { db } = parts.connection
  const wanted = organization ?? (await usualOrganization(parts, caller))
  const allowed = await allow(db, caller, wanted, action)
  if (isSensitive) checkStrong(caller, parts.now())
  return { ...allowed, organization: wanted }
}

async function usualOrganization({ connection: { db } }: Parts, caller: Caller): Promise<string> {
  if (caller.kind === 'key') return caller.organization
  if (caller.kind === 'person') return (await homeOf(db, caller.id)) ?? FIRST_ORGANIZATION
  return FIRST_ORGANIZATION
}

/** Whose usage somebody may see: what is absent bounds nothing. */
export interface UsageReach {
  /** Only that of keys that this person made. */
  readonly member?: string
  /** Only that of these projects. */
  readonly projects?: readonly string[]
}

/** Whose usage somebody may see in an organization. Where it is the only one, all of it is its own. */
export async function usageReach(
  { connection: { db } }: Parts,
  caller: Caller,
  organization: string,
): Promise<UsageReach> {
  const { reach } = await allow(db, caller, organization, 'usage.read')
  if (reach === 'own') return { member: caller.kind === 'person' ? caller.id : '' }
  const other = db.selectFrom('projects').select('id').where('organization', '!=', organization).limit(1)
  if (organization === FIRST_ORGANIZATION && !(await other.executeTakeFirst())) return {}
  return { projects: [...(await projectsOf(db, organization))] }
}
