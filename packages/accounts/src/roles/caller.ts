import { HeadgateError } from '@headgate/core/store'
import type { Writing } from '@headgate/store/sql'
import { idOf, missing } from '../database/input.ts'
import { type Action, isRole, may, mayManage, type Reach, type Role } from './roles.ts'

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
    /** A key for scripts, which acts in its organisation with a role. */
    | { readonly kind: 'key'; readonly id: string; readonly organisation: string; readonly role: Exclude<Role, 'owner'> }
    /** The operator at the machine, who may everything. */
    | { readonly kind: 'system' }
    /** Somebody who is not signed in. */
    | { readonly kind: 'nobody' }
  )

/** For how long somebody who has shown who they are may do what is sensitive, in milliseconds. */
export const STRONG = 15 * 60_000

/** The role of somebody in an organisation. @throws HeadgateError `not-found` where they have none: nobody learns what there is. */
export async function roleOf(trx: Pick<Writing, 'selectFrom'>, caller: Caller, organisation: string): Promise<Role> {
  if (caller.kind === 'system') return 'owner'
  if (caller.kind === 'key' && caller.organisation === organisation) return caller.role
  if (caller.kind === 'person') {
    const row = await trx
      .selectFrom('memberships')
      .innerJoin('people', 'people.id', 'memberships.person')
      .select('memberships.role')
      .where('memberships.organisation', '=', idOf(organisation))
      .where('memberships.person', '=', caller.id)
      .where('people.disabled_at', 'is', null)
      .executeTakeFirst()
    if (isRole(row?.role)) return row.role
  }
  throw missing('organisation')
}

export interface Allowed {
  readonly role: Role
  readonly reach: Reach
}

/** What somebody may do in an organisation. @throws HeadgateError `forbidden`, or `not-found` where they are no member of it. */
export async function allow(trx: Pick<Writing, 'selectFrom'>, caller: Caller, organisation: string, action: Action): Promise<Allowed> {
  const role = await roleOf(trx, caller, organisation)
  const reach = may(role, action)
  if (reach) return { role, reach }
  throw new HeadgateError('forbidden', `The role \`${role}\` does not allow this (\`${action}\`). Ask an admin of the organisation.`)
}

/** @throws HeadgateError `forbidden` where a role may not make somebody a `target`, or change one. */
export function checkManages(role: Role, target: Role): void {
  if (!mayManage(role, target)) throw new HeadgateError('forbidden', `The role \`${role}\` does not manage people who are \`${target}\`.`)
}

/** What is sensitive asks who it is again. @throws HeadgateError `forbidden` with `param` `session`: confirm, and try again. */
export function checkStrong(caller: Caller, now: number): void {
  if (caller.kind === 'system') return
  if (caller.kind === 'person' && now - caller.strongAt < STRONG) return
  const message = 'This needs a session in which you have shown who you are within 15 minutes. Confirm it, and try again.'
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
