import { HeadgateError } from '@headgate/gateway/ports'
import { idOf, missing } from '../database/input.ts'
import type { Writing } from '../schema/tables.ts'
import { type Action, isAbove, isRole, may, mayManage, mayReset, type Reach, type Role } from './roles.ts'

/** From where somebody asks: what the audit log says. */
export interface Origin {
  /** IP address. */
  readonly address?: string | undefined
  /** User agent. */
  readonly agent?: string | undefined
  readonly requestId?: string | undefined
}

/** Who asks. */
export type Caller = Origin &
  (
    | {
        readonly kind: 'person'
        /** Id of the person. */
        readonly id: string
        /** Id of the session. */
        readonly session: string
        /** When the person last showed who they are, Unix milliseconds. */
        readonly strongAt: number
      }
    /**
     * A key for scripts, which acts in its organization with a role as long as the person who created it has that role
     * too.
     */
    | {
        readonly kind: 'key'
        readonly id: string
        readonly organization: string
        readonly role: Exclude<Role, 'owner'>
        /** Id of the person who created it; absent = a command or the configuration did, and it keeps its role. */
        readonly createdBy?: string
      }
    /** The operator at the machine, who may everything. */
    | { readonly kind: 'system' }
    /** Somebody who is not signed in. */
    | { readonly kind: 'nobody' }
  )

/** For how long somebody who has shown who they are may do what is sensitive, in milliseconds. */
export const STRONG = 15 * 60_000

/**
 * The role of somebody in an organization. @throws HeadgateError `not-found` where they have none: nobody learns what
 * there is.
 */
export async function roleOf(trx: Pick<Writing, 'selectFrom'>, caller: Caller, organization: string): Promise<Role> {
  if (caller.kind === 'system') return 'owner'
  if (caller.kind === 'key' && caller.organization === organization) {
    if (caller.createdBy === undefined) return caller.role
    const role = await memberRole(trx, organization, caller.createdBy)
    if (role !== undefined && !isAbove(caller.role, role)) return caller.role
    throw new HeadgateError(
      'forbidden',
      'The person who created this key may not do this any more. An owner can take the key over.',
    )
  }
  const role = caller.kind === 'person' ? await memberRole(trx, organization, caller.id) : undefined
  if (role !== undefined) return role
  throw missing('organization')
}

/** The person whose rights a caller has at most; undefined = nobody's: the operator, and keys that commands created. */
export function personBehind(caller: Caller): string | undefined {
  if (caller.kind === 'person') return caller.id
  return caller.kind === 'key' ? caller.createdBy : undefined
}

/** The present role of a person; undefined if they are disabled or no member. */
export async function memberRole(
  trx: Pick<Writing, 'selectFrom'>,
  organization: string,
  person: string,
): Promise<Role | undefined> {
  const row = await trx
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person')
    .select('memberships.role')
    .where('memberships.organization', '=', idOf(organization))
    .where('memberships.person', '=', person)
    .where('people.disabled_at', 'is', null)
    .executeTakeFirst()
  return isRole(row?.role) ? row.role : undefined
}

export interface Allowed {
  readonly role: Role
  readonly reach: Reach
}

/**
 * What somebody may do in an organization. @throws HeadgateError `forbidden`, or `not-found` where they are no member
 * of it.
 */
export async function allow(
  trx: Pick<Writing, 'selectFrom'>,
  caller: Caller,
  organization: string,
  action: Action,
): Promise<Allowed> {
  const role = await roleOf(trx, caller, organization)
  const reach = may(role, action)
  if (reach) return { role, reach }
  throw new HeadgateError(
    'forbidden',
    `The role \`${role}\` does not allow this (\`${action}\`). Ask an admin of the organization.`,
  )
}

/** @throws HeadgateError `forbidden` where a role may not make somebody a `target`, or change one. */
export function checkManages(role: Role, target: Role): void {
  if (!mayManage(role, target))
    throw new HeadgateError('forbidden', `The role \`${role}\` does not manage people who are \`${target}\`.`)
}

/** @throws HeadgateError `forbidden` where a role may not set the password of a `target`. */
export function checkResets(role: Role, target: Role): void {
  checkManages(role, target)
  if (!mayReset(role, target))
    throw new HeadgateError('forbidden', `Only owners make links for people who are \`${target}\`.`)
}

/**
 * What is sensitive asks who it is again. @throws HeadgateError `forbidden` with `param` `session`: confirm, and try
 * again.
 */
export function checkStrong(caller: Caller, now: number): void {
  if (caller.kind === 'system') return
  if (caller.kind === 'person' && now - caller.strongAt < STRONG) return
  const message =
    'This needs a session in which you have shown who you are within 15 minutes. Confirm it, and try again.'
  throw new HeadgateError('forbidden', message, { param: 'session' })
}

/** The person who asks. @throws HeadgateError `forbidden` for whoever is none. */
export function personOf(caller: Caller): Extract<Caller, { kind: 'person' }> {
  if (caller.kind === 'person') return caller
  throw new HeadgateError('forbidden', 'Only somebody who is signed in can do this.')
}

/** The one who asks by a session. */
export function callerOf(
  { id, person, strongAt }: { readonly id: string; readonly person: string; readonly strongAt: number },
  origin: Origin,
): Caller {
  return { ...origin, kind: 'person', id: person, session: id, strongAt }
}
