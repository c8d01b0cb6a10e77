import { HeadgateError } from '@headgate/gateway/ports'
import { idOf, missing } from '../database/input.ts'
import type { AccountsTransaction } from '../schema/tables.ts'
import { type Action, isAbove, isRole, may, mayManage, mayReset, type PermissionScope, type Role } from './roles.ts'

/** Origin of a request, for the audit log. */
export interface RequestOrigin {
  /** IP address. */
  readonly address?: string | undefined
  /** User agent. */
  readonly agent?: string | undefined
  readonly requestId?: string | undefined
}

/** Authenticated caller. */
export type Caller = RequestOrigin &
  (
    | {
        readonly kind: 'person'
        /** Id of the person. */
        readonly id: string
        /** Id of the session. */
        readonly session: string
        /** Time when the person last confirmed their identity, in Unix milliseconds. */
        readonly strongAt: number
      }
    /** Key for scripts. It acts in its organization with a role as long as its creator has that role too. */
    | {
        readonly kind: 'key'
        readonly id: string
        readonly organization: string
        readonly role: Exclude<Role, 'owner'>
        /** Id of the creator; absent = created by a command or the configuration, and the key keeps its role. */
        readonly createdBy?: string
      }
    /** Operator at the machine, with all permissions. */
    | { readonly kind: 'system' }
    /** Caller who is not signed in. */
    | { readonly kind: 'anonymous' }
  )

/** Time after a confirmation of identity during which sensitive actions are allowed, in milliseconds. */
export const STRONG = 15 * 60_000

/**
 * Role of a caller in an organization. @throws HeadgateError `not-found` without a role, to hide
 * existing organizations.
 */
export async function roleOf(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
  caller: Caller,
  organization: string,
): Promise<Role> {
  if (caller.kind === 'system') return 'owner'
  if (caller.kind === 'key' && caller.organization === organization) {
    if (caller.createdBy === undefined) return caller.role
    const role = await memberRole(trx, organization, caller.createdBy)
    if (role !== undefined && !isAbove(caller.role, role)) return caller.role
    throw new HeadgateError(
      'forbidden',
      'The person who created this key no longer has this permission. An owner can take over the key.',
    )
  }
  const role = caller.kind === 'person' ? await memberRole(trx, organization, caller.id) : undefined
  if (role !== undefined) return role
  throw missing('organization')
}

/** Id of the person whose permissions limit the caller; undefined for the operator and for keys created by commands. */
export function personBehind(caller: Caller): string | undefined {
  if (caller.kind === 'person') return caller.id
  return caller.kind === 'key' ? caller.createdBy : undefined
}

/** Current role of a person; undefined if they are disabled or not a member. */
export async function memberRole(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
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
  readonly reach: PermissionScope
}

/**
 * Permission of a caller in an organization. @throws HeadgateError `forbidden`, or `not-found` if the caller is not a
 * member.
 */
export async function allow(
  trx: Pick<AccountsTransaction, 'selectFrom'>,
  caller: Caller,
  organization: string,
  action: Action,
): Promise<Allowed> {
  const role = await roleOf(trx, caller, organization)
  const reach = may(role, action)
  if (reach) return { role, reach }
  throw new HeadgateError(
    'forbidden',
    `The role \`${role}\` does not allow this (\`${action}\`). Contact an admin of the organization.`,
  )
}

/** @throws HeadgateError `forbidden` if a role cannot assign the role `target`, or change a person with it. */
export function checkManages(role: Role, target: Role): void {
  if (!mayManage(role, target))
    throw new HeadgateError('forbidden', `The role \`${role}\` cannot manage people with the role \`${target}\`.`)
}

/** @throws HeadgateError `forbidden` if a role cannot set the password of a person with the role `target`. */
export function checkResets(role: Role, target: Role): void {
  checkManages(role, target)
  if (!mayReset(role, target))
    throw new HeadgateError('forbidden', `Only owners can create links for people with the role \`${target}\`.`)
}

/**
 * Checks for a recent confirmation of identity. @throws HeadgateError `forbidden` with `param` `session`: confirm, and
 * try again.
 */
export function checkStrong(caller: Caller, now: number): void {
  if (caller.kind === 'system') return
  if (caller.kind === 'person' && now - caller.strongAt < STRONG) return
  const message =
    'This action requires that you confirmed your identity within the last 15 minutes. Confirm it, and try again.'
  throw new HeadgateError('forbidden', message, { param: 'session' })
}

/** Signed-in caller. @throws HeadgateError `forbidden` for any other caller. */
export function personOf(caller: Caller): Extract<Caller, { kind: 'person' }> {
  if (caller.kind === 'person') return caller
  throw new HeadgateError('forbidden', 'Only a signed-in user can do this.')
}

/** Caller of a session. */
export function callerOf(
  { id, person, strongAt }: { readonly id: string; readonly person: string; readonly strongAt: number },
  origin: RequestOrigin,
): Caller {
  return { ...origin, kind: 'person', id: person, session: id, strongAt }
}
