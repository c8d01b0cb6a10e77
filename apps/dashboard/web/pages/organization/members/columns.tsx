import { Ellipsis } from 'lucide-react'
import { Chip } from '../../../components/chip.tsx'
import { ENTRY, Popover } from '../../../components/popover.tsx'
import { Time } from '../../../components/values.tsx'
import { LABELS } from '../../../labels.ts'
import type { TableColumn } from '../../../table/columns.ts'
import type { MemberAction } from './member-dialogs.tsx'
import type { OrganizationMember } from './members.ts'
import { type MemberRole, ROLE_SENTENCES, ROLES } from './roles.tsx'

export interface MemberCells {
  /** ID of the user. */
  readonly me: string | undefined
  /** Roles that the user can manage. */
  readonly may: readonly MemberRole[]
  onAction(action: MemberAction, of: OrganizationMember): void
  onLeave(): void
}

const ACTIONS: readonly { readonly action: MemberAction; readonly title: string }[] = [
  { action: 'role', title: 'Change role…' },
  { action: 'reset', title: 'Create password link…' },
  { action: 'remove', title: 'Remove…' },
]

/** Columns of the list of members. */
export function memberColumns({ me, may, onAction, onLeave }: MemberCells): readonly TableColumn<OrganizationMember>[] {
  return [
    {
      id: 'name',
      title: LABELS.name,
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
      title: LABELS.email,
      from: 'sm',
      sortBy: ({ email }) => email ?? null,
      cell: ({ email }) =>
        email === undefined ? <span className="text-muted">{LABELS.none}</span> : <span title={email}>{email}</span>,
    },
    {
      id: 'role',
      title: LABELS.role,
      width: 'clamp(6rem, 20vw, 13rem)',
      sortBy: ({ role }) => ROLES.indexOf(role),
      cell: (member) => <RoleOf member={member} />,
    },
    {
      id: 'joined',
      title: LABELS.joined,
      width: '8rem',
      from: 'md',
      isDescending: true,
      sortBy: ({ joinedAt }) => joinedAt,
      cell: ({ joinedAt }) => <Time at={joinedAt} />,
    },
    {
      id: 'more',
      title: LABELS.actions,
      isTitleHidden: true,
      width: '3rem',
      cell: (member) =>
        (member.person === me || may.includes(member.role)) && (
          <Popover
            label={member.person === me ? 'Your actions' : `Actions for ${member.name}`}
            isAtEnd
            className="px-0! min-w-8 pointer-coarse:min-w-11"
            face={<Ellipsis aria-hidden size={16} />}
          >
            {may.includes(member.role) &&
              ACTIONS.filter(({ action }) => isPossible(action, member, me)).map(({ action, title }) => (
                <button
                  key={action}
                  type="button"
                  data-closes
                  className={ENTRY}
                  onClick={() => onAction(action, member)}
                >
                  {title}
                </button>
              ))}
            {member.person === me && (
              <button type="button" data-closes className={ENTRY} onClick={onLeave}>
                Leave organization…
              </button>
            )}
          </Popover>
        ),
    },
  ]
}

/**
 * Returns whether an action applies to a member. Users change their own password on the Sign-in tab and leave instead of
 * removing themselves. Roles from an identity provider are changed there.
 */
function isPossible(action: MemberAction, { person, provider }: OrganizationMember, me: string | undefined): boolean {
  if (action === 'role') return provider === undefined
  return person !== me
}

function RoleOf({ member: { role, provider, disabledAt } }: { readonly member: OrganizationMember }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <Chip tone={role === 'owner' ? 'strong' : 'plain'} title={ROLE_SENTENCES[role]}>
        {role}
      </Chip>
      {disabledAt !== undefined && (
        <Chip tone="bad" title="This member cannot sign in.">
          {LABELS.disabled}
        </Chip>
      )}
      {provider !== undefined && <span className="text-muted max-sm:hidden">from {provider}</span>}
    </span>
  )
}
