import type { Membership } from '../../../api/me.ts'
import { Section } from '../../../components/page.tsx'

export type Role = Membership['role']

/** From the most that one may do to the least. */
export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'viewer']

/** What each role may do, in a sentence. */
export const ROLE_SENTENCES: Readonly<Record<Role, string>> = {
  owner: 'Does everything: makes other owners, says who may sign up, and exports the organization.',
  admin: 'Manages everybody but owners, all keys, budgets, projects and prices, and reads the audit log.',
  member: 'Makes keys of their own, sees what these use, and asks models in the playground.',
  viewer: 'Sees usage, budgets, members, models and providers, and changes nothing.',
}

/** Roles that somebody may give and take. @param reach what they may do of `members.write`. */
export function rolesUnder(reach: string | undefined): readonly Role[] {
  if (reach === 'all') return ROLES
  return reach === 'not owners' ? ROLES.filter((role) => role !== 'owner') : []
}

/** What each role may do. */
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
