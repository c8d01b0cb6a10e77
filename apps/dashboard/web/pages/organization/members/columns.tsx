import { Ellipsis } from 'lucide-react'
import { Chip } from '../../../components/chip.tsx'
import { ENTRY, Popover } from '../../../components/popover.tsx'
import { Time } from '../../../components/values.tsx'
import type { Column } from '../../../table/columns.ts'
import type { Deed } from './member-dialogs.tsx'
import type { Member } from './members.ts'
import { ROLE_SENTENCES, ROLES, type Role } from './roles.tsx'

export interface Shown {
  /** Id of the one who looks. */
  readonly me: string | undefined
  /** Roles that they give and take. */
  readonly may: readonly Role[]
  onAsk(deed: Deed, of: Member): void
  onLeave(): void
}

const DEEDS: readonly { readonly deed: Deed; readonly title: string }[] = [
  { deed: 'role', title: 'Change the role…' },
  { deed: 'reset', title: 'Link for a new password…' },
  { deed: 'remove', title: 'Remove…' },
]

/** What a row of the list says. */
export function memberColumns({ me, may, onAsk, onLeave }: Shown): readonly Column<Member>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      isName: true,
      sortBy: ({ name }) => name,
      cell: ({ person, name }) => (
        <span title={name}>
          {name}
          {person === me && <span className="text-muted"> (you)</span>}
        </span>
      ),
    },
    {
      id: 'email',
      title: 'Mail address',
      from: 'sm',
      sortBy: ({ email }) => email ?? null,
      cell: ({ email }) =>
        email === undefined ? <span className="text-muted">none</span> : <span title={email}>{email}</span>,
    },
    {
      id: 'role',
      title: 'Role',
      width: 'clamp(6rem, 20vw, 13rem)',
      sortBy: ({ role }) => ROLES.indexOf(role),
      cell: (member) => <RoleOf member={member} />,
    },
    {
      id: 'joined',
      title: 'Joined',
      width: '8rem',
      from: 'md',
      isDescending: true,
      sortBy: ({ joinedAt }) => joinedAt,
      cell: ({ joinedAt }) => <Time at={joinedAt} />,
    },
    {
      id: 'more',
      title: 'Actions',
      isTitleHidden: true,
      width: '3rem',
      cell: (member) =>
        (member.person === me || may.includes(member.role)) && (
          <Popover
            label={member.person === me ? 'What you can do here' : `What can be done with ${member.name}`}
            isAtEnd
            className="px-0! min-w-8 pointer-coarse:min-w-11"
            face={<Ellipsis aria-hidden size={16} />}
          >
            {may.includes(member.role) &&
              DEEDS.filter(({ deed }) => isPossible(deed, member, me)).map(({ deed, title }) => (
                <button key={deed} type="button" data-closes className={ENTRY} onClick={() => onAsk(deed, member)}>
                  {title}
                </button>
              ))}
            {member.person === me && (
              <button type="button" data-closes className={ENTRY} onClick={onLeave}>
                Leave the organization…
              </button>
            )}
          </Popover>
        ),
    },
  ]
}

/** One leaves, and changes one's own password where one is signed in; roles that groups say are changed there. */
function isPossible(deed: Deed, { person, provider }: Member, me: string | undefined): boolean {
  if (deed === 'role') return provider === undefined
  return person !== me
}

function RoleOf({ member: { role, provider, disabledAt } }: { readonly member: Member }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <Chip tone={role === 'owner' ? 'accent' : 'plain'} title={ROLE_SENTENCES[role]}>
        {role}
      </Chip>
      {disabledAt !== undefined && (
        <Chip tone="bad" title="They can not sign in.">
          disabled
        </Chip>
      )}
      {provider !== undefined && <span className="text-muted max-sm:hidden">by {provider}</span>}
    </span>
  )
}
