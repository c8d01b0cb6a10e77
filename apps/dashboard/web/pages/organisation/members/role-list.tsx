import { Section } from '../../../components/page.tsx'
import { ROLE_SENTENCES, ROLES } from './roles.ts'

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
