import type { Membership } from '../../../api/me.ts'
import { Section } from '../../../components/page.tsx'

export type MemberRole = Membership['role']

/** Roles, from most to fewest permissions. */
export const ROLES: readonly MemberRole[] = ['owner', 'admin', 'member', 'viewer']

/** Permissions of each role, in a sentence. */
export const ROLE_SENTENCES: Readonly<Record<MemberRole, string>> = {
  owner: 'Full access, including owners, sign-up and the export of the organization.',
  admin: 'Manages members except owners, keys, budgets, projects and prices, and reads the audit log.',
  member: 'Creates their own keys, sees their usage, and uses the playground.',
  viewer: 'Sees usage, budgets, members, models and providers. Cannot change anything.',
}

/** Roles that the user can assign and remove. @param scope scope of the permission `members.write` */
export function rolesUnder(scope: string | undefined): readonly MemberRole[] {
  if (scope === 'all') return ROLES
  return scope === 'not owners' ? ROLES.filter((role) => role !== 'owner') : []
}

export function RoleList() {
  return (
    <Section title="Roles">
      <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-[auto_1fr]">
        {ROLES.map((role) => (
          <div key={role} className="contents">
            <dt className="font-medium">{role}</dt>
            <dd className="text-muted max-sm:mb-1">{ROLE_SENTENCES[role]}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
