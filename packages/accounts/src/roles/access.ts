import { FIRST_ORGANIZATION } from '../database/ids.ts'
import { projectsOf } from '../keys/owned.ts'
import type { Parts } from '../parts.ts'
import { homeOf } from '../people/home.ts'
import { type Allowed, allow, type Caller, checkStrong } from './caller.ts'
import type { Action } from './roles.ts'

/** Action for which access is requested. */
export interface AccessRequest {
  /** Default: the organization of the key, or the first that the person joined. */
  readonly organization?: string | undefined
  readonly action: Action
  /** True if the action requires a recent confirmation of identity. */
  readonly isSensitive?: boolean | undefined
}

/** Permission of a caller in an organization. */
export interface Access extends Allowed {
  readonly organization: string
}

/** Checks the permission of a caller before the request is read. @throws HeadgateError `not-found`, `forbidden`. */
export async function accessOf(
  parts: Parts,
  caller: Caller,
  { organization, action, isSensitive }: AccessRequest,
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

/** Visible usage of a caller. Absent fields do not restrict it. */
export interface UsageScope {
  /** Only usage of keys created by this person. */
  readonly member?: string
  /** Only usage of these projects. */
  readonly projects?: readonly string[]
}

/** Visible usage of a caller in an organization. A single organization owns all usage. */
export async function usageScope(
  { connection: { db } }: Parts,
  caller: Caller,
  organization: string,
): Promise<UsageScope> {
  const { reach } = await allow(db, caller, organization, 'usage.read')
  if (reach === 'own') return { member: caller.kind === 'person' ? caller.id : '' }
  const other = db.selectFrom('projects').select('id').where('organization', '!=', organization).limit(1)
  if (organization === FIRST_ORGANIZATION && !(await other.executeTakeFirst())) return {}
  return { projects: [...(await projectsOf(db, organization))] }
}
