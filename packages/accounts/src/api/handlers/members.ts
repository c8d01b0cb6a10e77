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
    provider: z.string().optional().openapi({ description: 'The OIDC provider whose groups say the role.' }),
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
    summary: 'Who is in the organization.',
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
    summary: 'Gives a member another role.',
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
    summary: 'Has somebody no longer be a member.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'members.write',
    params: Person,
    async handle({ parts, caller, organization, params }) {
      await parts.accounts.removeMember(caller, organization, params.person)
      return {}
    },
  }),
  route({
    method: 'post',
    path: '/members/{person}/reset-link',
    id: 'makeResetLink',
    by: PEOPLE_AND_SCRIPTS,
    summary: 'A link by which somebody chooses another password, to hand to them. Needs a fresh sign-in.',
    action: 'members.write',
    isSensitive: true,
    status: 201,
    secrets: ['token', 'link'],
    params: Person,
    answer: z.object({
      token: shownOnce('What the link holds'),
      link: shownOnce('To be handed on'),
      expiresAt: Instant,
    }),
    async handle({ parts, caller, organization, params }) {
      const made = await parts.accounts.resetLink(caller, organization, params.person)
      return { body: { ...made, link: linkTo(parts, 'reset', made.token) } }
    },
  }),
]
