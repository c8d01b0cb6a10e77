import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useMay, useMe } from '../../../api/me.ts'
import { organizationQuery } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { FindField } from '../../../components/field.tsx'
import { Later } from '../../../components/later.tsx'
import { Empty, Forbidden, Loaded } from '../../../components/states.tsx'
import { LABELS } from '../../../labels.ts'
import { readSort, sortText } from '../../../table/columns.ts'
import { LongTable } from '../../../table/long-table.tsx'
import { useChangeSearch } from '../../../view/use-view.ts'
import type { OrganizationSearch } from '../search.ts'
import { memberColumns } from './columns.tsx'
import { Invites } from './invites.tsx'
import { KeyDefaultsSection } from './key-defaults.tsx'
import { InvitePerson, LeaveOrganization, type MemberAction, MemberDialog } from './member-dialogs.tsx'
import { membersQuery, type OrganizationMember } from './members.ts'
import { RoleList, rolesUnder } from './roles.tsx'
import { StatementMailSection } from './statement-mail.tsx'

/** Members, pending invites and roles. */
export function MembersTab() {
  const mayRead = useMay('members.read') !== undefined
  const [isLeaving, leave] = useState(false)
  return (
    <div className="flex flex-col gap-6">
      {mayRead ? (
        <Members onLeave={() => leave(true)} />
      ) : (
        <>
          <HiddenMembers onLeave={() => leave(true)} />
          <RoleList />
        </>
      )}
      {isLeaving && <LeaveOrganization onClose={() => leave(false)} />}
    </div>
  )
}

function HiddenMembers({ onLeave }: { onLeave(): void }) {
  return (
    <div className="flex flex-col items-start gap-3">
      <Forbidden>Your role cannot see other members. Ask an owner or an admin for another role.</Forbidden>
      <Button look="danger" onClick={onLeave}>
        Leave organization
      </Button>
    </div>
  )
}

function Members({ onLeave }: { onLeave(): void }) {
  const { sort } = useSearch({ from: '/within/organization' })
  const change = useChangeSearch<OrganizationSearch>()
  const query = useQuery(membersQuery)
  const details = useQuery(organizationQuery)
  const members = query.data?.items ?? []
  const me = useMe()?.id
  const scope = useMay('members.write')
  const [wanted, setWanted] = useState('')
  const [isInviting, setInviting] = useState(false)
  const [dialog, setDialog] = useState<{ readonly action: MemberAction; readonly of: OrganizationMember }>()
  const columns = useMemo(
    () => memberColumns({ me, may: rolesUnder(scope), onAction: (action, of) => setDialog({ action, of }), onLeave }),
    [me, scope, onLeave],
  )
  const rows = members.filter((member) => isNamed(member, wanted))
  return (
    <>
      <div>
        <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
          <FindField label="Find a member" placeholder="Name, email or role…" value={wanted} onText={setWanted} />
          {scope !== undefined && (
            <Button look="primary" onClick={() => setInviting(true)}>
              <UserPlus aria-hidden size={14} /> {LABELS.invite}
            </Button>
          )}
        </div>
        <Loaded query={query} rows={6}>
          {() =>
            rows.length === 0 ? (
              <Empty
                title="No matching members"
                action={<Button onClick={() => setWanted('')}>Show all members</Button>}
              />
            ) : (
              <LongTable
                label="Members"
                columns={columns}
                rows={rows}
                idOf={({ person }: OrganizationMember) => person}
                sort={readSort(sort)}
                onSort={(next) => change({ sort: sortText(next) })}
              />
            )
          }
        </Loaded>
      </div>
      {/* These would move while the others are loaded. */}
      {!query.isPending && !details.isPending && (
        <Later space="h-96">
          <Invites members={members} may={rolesUnder(scope)} />
          <KeyDefaultsSection />
          <StatementMailSection members={members} />
          <RoleList />
        </Later>
      )}
      {isInviting && <InvitePerson may={rolesUnder(scope)} onClose={() => setInviting(false)} />}
      {dialog && <MemberDialog {...dialog} may={rolesUnder(scope)} onClose={() => setDialog(undefined)} />}
    </>
  )
}

function isNamed({ name, email = '', role }: OrganizationMember, wanted: string): boolean {
  const text = wanted.trim().toLowerCase()
  return text === '' || [name, email, role].some((one) => one.toLowerCase().includes(text))
}
