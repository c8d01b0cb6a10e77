/** What a member of an organization may do. */
export type Role = 'owner' | 'admin' | 'member' | 'viewer'

/** From the most that one may do to the least. */
export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'viewer']

export type Action =
  | 'usage.read'
  | 'keys.read'
  | 'keys.write'
  | 'keys.takeOver'
  | 'budgets.read'
  | 'budgets.write'
  | 'budgets.release'
  | 'members.read'
  | 'members.write'
  | 'projects.read'
  | 'projects.write'
  | 'providers.read'
  | 'providers.write'
  | 'prices.read'
  | 'prices.write'
  | 'audit.read'
  | 'organization.read'
  | 'organization.write'
  | 'export.read'
  | 'playground.use'
  | 'traces.read'
  | 'traces.write'

/** Whose: everybody's, one's own, those of people who are no owners. */
export type Reach = 'all' | 'own' | 'not owners'

const READ = { owner: 'all', admin: 'all', member: 'all', viewer: 'all' } as const
const MANAGE = { owner: 'all', admin: 'all' } as const
const OWN = { owner: 'all', admin: 'all', member: 'own' } as const
const OWNERS = { owner: 'all' } as const

/** The one table of who may do what. What is not in it, nobody may. */
export const MATRIX: Readonly<Record<Action, Readonly<Partial<Record<Role, Reach>>>>> = {
  'usage.read': { ...OWN, viewer: 'all' },
  'keys.read': OWN,
  'keys.write': OWN,
  'keys.takeOver': OWNERS,
  'budgets.read': { ...OWN, viewer: 'all' },
  'budgets.write': MANAGE,
  'budgets.release': OWNERS,
  'members.read': { ...MANAGE, viewer: 'all' },
  'members.write': { owner: 'all', admin: 'not owners' },
  'projects.read': READ,
  'projects.write': MANAGE,
  'providers.read': READ,
  'providers.write': MANAGE,
  'prices.read': READ,
  'prices.write': MANAGE,
  'audit.read': MANAGE,
  'organization.read': READ,
  'organization.write': OWNERS,
  'export.read': OWNERS,
  'playground.use': { ...MANAGE, member: 'all' },
  'traces.read': OWN,
  'traces.write': MANAGE,
}

/** What of something a role may do; undefined = nothing. */
export function may(role: Role, action: Action): Reach | undefined {
  return Object.hasOwn(MATRIX, action) ? MATRIX[action][role] : undefined
}

/** Whether a role may make somebody a `target`, and change somebody who is one. */
export function mayManage(role: Role, target: Role): boolean {
  const reach = may(role, 'members.write')
  return reach === 'all' || (reach === 'not owners' && target !== 'owner')
}

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value)
}

/**
 * Whether a role may make a link that sets the password of a `target`. Admins make none for each other: it lets them
 * act as one another.
 */
export function mayReset(role: Role, target: Role): boolean {
  return mayManage(role, target) && (target !== 'admin' || mayManage(role, 'owner'))
}

/** Whether a role is worth more than another one. */
export function isAbove(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) < ROLES.indexOf(other)
}
