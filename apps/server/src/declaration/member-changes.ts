import { type DeclarationChange, differences } from './change.ts'
import type { DeclaredMember } from './declaration.ts'
import { createSecretFile } from './secret-file.ts'
import type { ManagedInvite, ManagedMember } from './state.ts'

export interface MemberListing {
  readonly members: readonly ManagedMember[]
  readonly invites: readonly ManagedInvite[]
  /** Folder that `linkFile` begins at. */
  readonly folder: string
}

/** Changes of members. People who are not members are invited; members and invitations that are not declared are removed. */
export function memberChanges(
  declared: readonly DeclaredMember[],
  { members, invites, folder }: MemberListing,
): DeclarationChange[] {
  const wanted = new Map(declared.map((one) => [one.email.toLowerCase(), one]))
  const isWanted = ({ email }: { readonly email?: string }) => wanted.has(email?.toLowerCase() ?? '')
  return [
    ...[...wanted].flatMap(([email, one]) => {
      const member = members.find((known) => known.email?.toLowerCase() === email)
      if (member) return roleChange(one, member)
      const invite = invites.find((known) => known.email?.toLowerCase() === email)
      if (invite?.role === one.role) return []
      return [...(invite ? [revoke(invite)] : []), inviteOf(one, folder)]
    }),
    ...members.filter((one) => !isWanted(one)).map(remove),
    ...invites.filter((one) => !isWanted(one)).map((one): DeclarationChange => ({ ...revoke(one), sign: '-' })),
  ]
}

function roleChange(
  { email, role }: DeclaredMember,
  { person, version, role: present }: ManagedMember,
): DeclarationChange[] {
  const fields = differences({ role: present }, { role })
  if (fields.length === 0) return []
  return [
    {
      sign: '~',
      what: `member ${email}`,
      fields,
      carryOut: ({ client }) => client.request(`/members/${person}`, { method: 'PATCH', body: { role }, version }),
    },
  ]
}

function inviteOf({ email, role, linkFile }: DeclaredMember, folder: string): DeclarationChange {
  return {
    sign: '+',
    what: `invitation of ${email}`,
    fields: [`role: ${role}`, ...(linkFile === undefined ? [] : [`link: ${linkFile}`])],
    async carryOut({ client }) {
      const make = async () => {
        const { link } = await client.request<{ link: string }>('/invites', { method: 'POST', body: { role, email } })
        return { secret: link, result: undefined }
      }
      await (linkFile === undefined ? make() : createSecretFile(linkFile, folder).keep(make))
    },
  }
}

function revoke({ id, email = id }: ManagedInvite): DeclarationChange {
  return {
    sign: '~',
    what: `invitation of ${email}`,
    fields: ['is revoked'],
    carryOut: ({ client }) => client.request(`/invites/${id}`, { method: 'DELETE' }),
  }
}

function remove({ person, email = person }: ManagedMember): DeclarationChange {
  return {
    sign: '-',
    what: `member ${email}`,
    fields: ['is removed'],
    carryOut: ({ client }) => client.request(`/members/${person}`, { method: 'DELETE' }),
  }
}
