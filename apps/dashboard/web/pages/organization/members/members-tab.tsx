import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useMay, useMe } from '../../../api/me.ts'
import { Button } from '../../../components/button.tsx'
import { FindField } from '../../../components/field.tsx'
import { Empty, Forbidden, Loaded } from '../../../components/states.tsx'
import { readSort, sortText } from '../../../table/columns.ts'
import { LongTable } from '../../../table/long-table.tsx'
import { useChangeSearch } from '../../../view/use-view.ts'
import type { OrganizationSearch } from '../search.ts'
import { memberColumns } from './columns.tsx'
import { Invites } from './invites.tsx'
import { type Deed, InvitePerson, LeaveOrganization, MemberDialog } from './member-dialogs.tsx'
import { type Member, membersQuery } from './members.ts'
import { RoleList, rolesUnder } from './roles.tsx'

/** Who is in the organization, who is asked to come, and what each may do. */
export function MembersTab() {
  const mayRead = useMay('members.read') !== undefined
  const [isLeaving, leave] = useState(false)
  return (
    <div className="flex flex-col gap-6">
      {mayRead ? (
        <Members onLeave={() => leave(true)} />
      ) : (
        <>
          <Alone onLeave={() => leave(true)} />
          <RoleList />
        </>
      )}
      {isLeaving && <LeaveOrganization onClose={() => leave(false)} />}
    </div>
  )
}

function Alone({ onLeave }: { onLeave(): void }) {
  return (
    <div className="flex flex-col items-start gap-3">
      <Forbidden>
        Owners, admins and viewers see who else is here. Ask the one who invited you for another role.
      </Forbidden>
      <Button look="danger" onClick={onLeave}>
        Leave the organization
      </Button>
    </div>
  )
}

function Members({ onLeave }: { onLeave(): void }) {
  const { sort } = useSearch({ from: '/within/organization' })
  const change = useChangeSearch<OrganizationSearch>()
  const query = useQuery(membersQuery)
  const members = query.data?.items ?? []
  const me = useMe()?.id
  const reach = useMay('members.write')
  const [wanted, setWanted] = useState('')
  const [isInviting, setInviting] = useState(false)
  const [asked, setAsked] = useState<{ readonly deed: Deed; readonly of: Member }>()
  const columns = useMemo(
    () => memberColumns({ me, may: rolesUnder(reach), onAsk: (deed, of) => setAsked({ deed, of }), onLeave }),
    [me, reach, onLeave],
  )
  const rows = members.filter((member) => isNamed(member, wanted))
  return (
    <>
      <div>
        <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
          <FindField label="Find a member" placeholder="Name, address or role…" value={wanted} onText={setWanted} />
          {reach !== undefined && (
            <Button look="primary" onClick={() => setInviting(true)}>
              <UserPlus aria-hidden size={14} /> Invite somebody
            </Button>
          )}
        </div>
        <Loaded query={query} rows={6}>
          {() =>
            rows.length === 0 ? (
              <Empty
                title="No members match."
                action={<Button onClick={() => setWanted('')}>Show all members</Button>}
              />
            ) : (
              <LongTable
                label="Members"
                columns={columns}
                rows={rows}
                idOf={({ person }: Member) => person}
                sort={readSort(sort)}
                onSort={(next) => change({ sort: sortText(next) })}
              />
            )
          }
        </Loaded>
      </div>
      {/* Below what is not there yet they would move. */}
      {!query.isPending && (
        <>
          <Invites members={members} may={rolesUnder(reach)} />
          <RoleList />
        </>
      )}
      {isInviting && <InvitePerson may={rolesUnder(reach)} onClose={() => setInviting(false)} />}
      {asked && <MemberDialog {...asked} may={rolesUnder(reach)} onClose={() => setAsked(undefined)} />}
    </>
  )
}

function isNamed({ name, email = '', role }: Member, wanted: string): boolean {
  const text = wanted.trim().toLowerCase()
  return text === '' || [name, email, role].some((one) => one.toLowerCase().includes(text))
}
