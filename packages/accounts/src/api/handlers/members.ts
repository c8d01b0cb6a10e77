import { z } from '@hono/zod-openapi'
import { linkTo } from '../links.ts'
import { pageFrom } from '../page.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, Instant, PAGE, pageOf, RoleName, shownOnce, Version } from '../schemas.ts'

const Member = z
  .object({
    person: z.string(),
    name: z.string(),
    email: z.string().optional(),
    role: RoleName,
    provider: z.string().optional().openapi({ description: 'OIDC provider whose groups determine the role.' }),
    joinedAt: Instant,
    disabledAt: Instant.optional(),
    version: Version,
  })
  .openapi('Member')

const Person = z.strictObject({ person: Id })

export const MEMBER_ROUTES = [
  route({
    method: 'get',
    path: '/members',
    id: 'listMembers',
    summary: 'Lists the members of the organization.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'members.read',
    query: z.strictObject(PAGE),
    answer: pageOf(Member),
    async handle({ parts, caller, organization, query }) {
      const all = await parts.accounts.listMembers(caller, organization)
      return { body: pageFrom('members', all, ({ joinedAt, person }) => [joinedAt, person], query) }
    },
  }),
  route({
    method: 'patch',
    path: '/members/{person}',
    id: 'changeRole',
    summary: 'Changes the role of a member.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'members.write',
    isVersioned: true,
    params: Person,
    body: z.strictObject({ role: RoleName }),
    async handle({ parts, caller, organization, params, body, version }) {
      await parts.accounts.changeRole(caller, organization, params.person, {
        ...body,
        ...(version !== undefined && { version }),
      })
      return {}
    },
  }),
  route({
    method: 'delete',
    path: '/members/{person}',
    id: 'removeMember',
    summary: 'Removes a member.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'members.write',
    params: Person,
    async handle({ parts, caller, organization, params }) {
      await parts.accounts.removeMember(caller, organization, params.person)
      return {}
    },
  }),
  route({
    method: 'delete',
    path: '/members/{person}/account',
    id: 'deletePerson',
    summary:
      'Deletes the account of a member permanently and revokes their keys. Usage keeps the id, and the audit log its entries until they expire. Requires a recent sign-in.',
    by: ['session'],
    action: 'people.delete',
    isSensitive: true,
    params: Person,
    async handle({ parts, caller, organization, params }) {
      await parts.accounts.deletePerson(caller, organization, params.person)
      return {}
    },
  }),
  route({
    method: 'post',
    path: '/members/{person}/reset-link',
    id: 'makeResetLink',
    by: PEOPLE_AND_SCRIPTS,
    summary: 'Creates a link to pass on to a member, who sets a new password with it. Requires a recent sign-in.',
    action: 'members.write',
    isSensitive: true,
    status: 201,
    secrets: ['token', 'link'],
    params: Person,
    answer: z.object({
      token: shownOnce('Token of the link'),
      link: shownOnce('Link to pass on'),
      expiresAt: Instant,
    }),
    async handle({ parts, caller, organization, params }) {
      const made = await parts.accounts.resetLink(caller, organization, params.person)
      return { body: { ...made, link: linkTo(parts, 'reset', made.token) } }
    },
  }),
]
