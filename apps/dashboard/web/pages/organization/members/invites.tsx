import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useMemo } from 'react'
import { ask } from '../../../api/ask.ts'
import { IconButton } from '../../../components/button.tsx'
import { Section } from '../../../components/page.tsx'
import { Loaded } from '../../../components/states.tsx'
import { toast, toastProblem } from '../../../components/toasts.tsx'
import { Time } from '../../../components/values.tsx'
import type { Column } from '../../../table/columns.ts'
import { Table } from '../../../table/table.tsx'
import { type Invite, invitesQuery, type Member } from './members.ts'
import type { Role } from './roles.tsx'

const ANYBODY = 'whoever has the link'

/** Invites that nobody has used yet. Their links were shown once. */
export function Invites({ members, may }: { readonly members: readonly Member[]; readonly may: readonly Role[] }) {
  const client = useQueryClient()
  const query = useQuery(invitesQuery)
  const { mutate, variables, isPending } = useMutation({
    mutationFn: ({ id }: Invite) => ask('DELETE /invites/{invite}', { params: { invite: id } }),
    onSuccess: (_, { email }) => {
      toast(`The invite of ${email ?? ANYBODY} is good for nothing now.`)
      return client.invalidateQueries({ queryKey: ['invites'] })
    },
    onError: toastProblem,
  })
  const columns = useMemo<readonly Column<Invite>[]>(
    () => [
      { id: 'for', title: 'For', isName: true, cell: ({ email = ANYBODY }) => <span title={email}>{email}</span> },
      { id: 'role', title: 'As', width: 'clamp(4.5rem, 14vw, 8rem)', cell: ({ role }) => role },
      {
        id: 'by',
        title: 'Invited by',
        from: 'sm',
        width: '11rem',
        cell: ({ invitedBy }) =>
          members.find(({ person }) => person === invitedBy)?.name ?? invitedBy ?? 'the command line',
      },
      { id: 'ends', title: 'Ends', from: 'sm', width: '8rem', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
      {
        id: 'more',
        title: 'Actions',
        isTitleHidden: true,
        width: '3rem',
        cell: (invite) =>
          may.includes(invite.role) && (
            <IconButton
              label={`Revoke the invite of ${invite.email ?? ANYBODY}`}
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
            <p className="text-muted">None that anybody could still use.</p>
          ) : (
            <Table label="Invites" columns={columns} rows={data.items} idOf={({ id }: Invite) => id} />
          )
        }
      </Loaded>
    </Section>
  )
}
