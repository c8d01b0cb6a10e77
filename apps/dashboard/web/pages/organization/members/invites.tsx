import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useMemo } from 'react'
import { callApi } from '../../../api/call.ts'
import { IconButton } from '../../../components/button.tsx'
import { Section } from '../../../components/page.tsx'
import { Loaded } from '../../../components/states.tsx'
import { toast, toastProblem } from '../../../components/toasts.tsx'
import { Time } from '../../../components/values.tsx'
import { LABELS } from '../../../labels.ts'
import type { TableColumn } from '../../../table/columns.ts'
import { Table } from '../../../table/table.tsx'
import { invitesQuery, type OrganizationMember, type PendingInvite } from './members.ts'
import type { MemberRole } from './roles.tsx'

const ANYONE = 'anyone with the link'

interface InvitesProps {
  readonly members: readonly OrganizationMember[]
  readonly may: readonly MemberRole[]
}

/** Pending invites. Their links were shown once. */
export function Invites({ members, may }: InvitesProps) {
  const client = useQueryClient()
  const query = useQuery(invitesQuery)
  const { mutate, variables, isPending } = useMutation({
    mutationFn: ({ id }: PendingInvite) => callApi('DELETE /invites/{invite}', { params: { invite: id } }),
    onSuccess: (_, { email }) => {
      toast(`Invite for ${email ?? ANYONE} revoked.`)
      return client.invalidateQueries({ queryKey: ['invites'] })
    },
    onError: toastProblem,
  })
  const columns = useMemo<readonly TableColumn<PendingInvite>[]>(
    () => [
      {
        id: 'for',
        title: LABELS.email,
        isName: true,
        cell: ({ email = ANYONE }) => <span title={email}>{email}</span>,
      },
      { id: 'role', title: LABELS.role, width: 'clamp(4.5rem, 14vw, 8rem)', cell: ({ role }) => role },
      {
        id: 'by',
        title: 'Invited by',
        from: 'sm',
        width: '11rem',
        cell: ({ invitedBy }) => members.find(({ person }) => person === invitedBy)?.name ?? invitedBy ?? LABELS.cli,
      },
      {
        id: 'ends',
        title: LABELS.expires,
        from: 'sm',
        width: '8rem',
        cell: ({ expiresAt }) => <Time at={expiresAt} />,
      },
      {
        id: 'more',
        title: LABELS.actions,
        isTitleHidden: true,
        width: '3rem',
        cell: (invite) =>
          may.includes(invite.role) && (
            <IconButton
              label={`Revoke invite for ${invite.email ?? ANYONE}`}
              isBusy={isPending && variables?.id === invite.id}
              onClick={() => mutate(invite)}
            >
              <X aria-hidden size={16} />
            </IconButton>
          ),
      },
    ],
    [members, may, mutate, isPending, variables],
  )
  return (
    <Section title="Invites">
      <Loaded query={query} rows={1}>
        {(data) =>
          data.items.length === 0 ? (
            <p className="text-muted">No pending invites.</p>
          ) : (
            <Table label="Invites" columns={columns} rows={data.items} idOf={({ id }: PendingInvite) => id} />
          )
        }
      </Loaded>
    </Section>
  )
}
