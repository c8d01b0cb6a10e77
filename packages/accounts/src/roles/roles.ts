/** Role of a member in an organization. */
export type Role = 'owner' | 'admin' | 'member' | 'viewer'

/** Roles from most to fewest permissions. */
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
  | 'people.delete'
  | 'projects.read'
  | 'projects.write'
  | 'providers.read'
  | 'providers.write'
  | 'credentials.write'
  | 'prices.read'
  | 'prices.write'
  | 'audit.read'
  | 'organization.read'
  | 'organization.write'
  | 'organization.delete'
  | 'export.read'
  | 'playground.use'
  | 'traces.read'
  | 'traces.write'
  | 'views.write'

/** Scope of a permission: everything, the caller's own objects, or people who are not owners. */
export type PermissionScope = 'all' | 'own' | 'not owners'

const READ = { owner: 'all', admin: 'all', member: 'all', viewer: 'all' } as const
const MANAGE = { owner: 'all', admin: 'all' } as const
const OWN = { owner: 'all', admin: 'all', member: 'own' } as const
const OWNERS = { owner: 'all' } as const

/** Permissions of roles. Actions without an entry are denied. */
export const MATRIX: Readonly<Record<Action, Readonly<Partial<Record<Role, PermissionScope>>>>> = {
  'usage.read': { ...OWN, viewer: 'all' },
  'keys.read': OWN,
  'keys.write': OWN,
  'keys.takeOver': OWNERS,
  'budgets.read': { ...OWN, viewer: 'all' },
  'budgets.write': MANAGE,
  'budgets.release': OWNERS,
  'members.read': { ...MANAGE, viewer: 'all' },
  'members.write': { owner: 'all', admin: 'not owners' },
  'people.delete': OWNERS,
  'projects.read': READ,
  'projects.write': MANAGE,
  'providers.read': READ,
  'providers.write': MANAGE,
  'credentials.write': OWNERS,
  'prices.read': READ,
  'prices.write': MANAGE,
  'audit.read': MANAGE,
  'organization.read': READ,
  'organization.write': OWNERS,
  'organization.delete': OWNERS,
  'export.read': OWNERS,
  'playground.use': { ...MANAGE, member: 'all' },
  'traces.read': OWN,
  'traces.write': MANAGE,
  'views.write': { ...OWN, viewer: 'own' },
}

/** Scope of an action for a role; undefined = not allowed. */
export function may(role: Role, action: Action): PermissionScope | undefined {
  return Object.hasOwn(MATRIX, action) ? MATRIX[action][role] : undefined
}

/** True if a role can assign the role `target` and change people with it. */
export function mayManage(role: Role, target: Role): boolean {
  const reach = may(role, 'members.write')
  return reach === 'all' || (reach === 'not owners' && target !== 'owner')
}

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value)
}

/**
 * True if a role can create a link to set the password of a person with the role `target`. Admins cannot do so for each
 * other, because the link would let them act as one another.
 */
export function mayReset(role: Role, target: Role): boolean {
  return mayManage(role, target) && (target !== 'admin' || mayManage(role, 'owner'))
}

/** True if a role has more permissions than another one. */
export function isAbove(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) < ROLES.indexOf(other)
}
