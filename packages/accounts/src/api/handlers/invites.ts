import { z } from '@hono/zod-openapi'
import { linkTo } from '../links.ts'
import { pageFrom } from '../page.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Email, Id, Instant, Name, PAGE, Password, pageOf, RoleName, shownOnce, Token } from '../schemas.ts'
import { SignedIn, signedIn } from './sign-in.ts'

const OPEN = ['nothing'] as const

const Invite = z
  .object({
    id: z.string(),
    role: RoleName,
    email: z.string().optional(),
    invitedBy: z.string().optional(),
    createdAt: Instant,
    expiresAt: Instant,
  })
  .openapi('Invite')

export const INVITE_ROUTES = [
  route({
    method: 'get',
    path: '/invites',
    id: 'listInvites',
    summary: 'Lists open invitations.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'members.read',
    query: z.strictObject(PAGE),
    answer: pageOf(Invite),
    async handle({ parts, caller, organization, query }) {
      const all = await parts.accounts.listInvites(caller, organization)
      return { body: pageFrom('invites', all, ({ createdAt, id }) => [createdAt, id], query) }
    },
  }),
  route({
    method: 'post',
    path: '/invites',
    id: 'invite',
    summary: 'Creates an invitation. Its link is shown once, and also mailed if mail is configured.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'members.write',
    status: 201,
    secrets: ['token', 'link'],
    body: z.strictObject({ role: RoleName, email: Email.optional() }),
    answer: z.object({ invite: Invite, token: shownOnce('Token of the link'), link: shownOnce('Link to pass on') }),
    async handle({ parts, caller, organization, body: { role, email } }) {
      const made = await parts.accounts.invite(caller, organization, { role, ...(email !== undefined && { email }) })
      const link = linkTo(parts, 'invite', made.token)
      const { email: to } = made.invite
      if (to !== undefined)
        parts
          .mail?.({ to, kind: 'invite', link })
          .catch((error: unknown) => parts.onProblem(`A mail could not be sent: ${String(error)}`))
      return { body: { ...made, link } }
    },
  }),
  route({
    method: 'delete',
    path: '/invites/{invite}',
    id: 'revokeInvite',
    summary: 'Revokes an invitation.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'members.write',
    params: z.strictObject({ invite: Id }),
    async handle({ parts, caller, organization, params }) {
      await parts.accounts.revokeInvite(caller, organization, params.invite)
      return {}
    },
  }),
  route({
    method: 'post',
    path: '/invites/read',
    id: 'readInvite',
    summary: 'Describes an invitation to the holder of its token.',
    by: OPEN,
    body: z.strictObject({ token: Token }),
    answer: z.object({ organization: z.string(), role: RoleName, email: z.string().optional(), expiresAt: Instant }),
    handle: async ({ parts, body }) => ({ body: await parts.accounts.readInvite(body.token) }),
  }),
  route({
    method: 'post',
    path: '/invites/accept',
    id: 'acceptInvite',
    summary: 'Creates an account with an invitation.',
    by: OPEN,
    body: z.strictObject({ token: Token, email: Email.optional(), name: Name, password: Password }),
    answer: SignedIn,
    status: 201,
    async handle({ parts, body: { token, email = '', name, password }, cookies, origin }) {
      const claim = { email, name, password, ...(cookies.session !== undefined && { before: cookies.session }) }
      const session = await parts.accounts.acceptInvite(token, claim, origin)
      return { body: signedIn(session.session), session }
    },
  }),
  route({
    method: 'post',
    path: '/invites/join',
    id: 'joinByInvite',
    summary: 'Joins an organization with an invitation.',
    by: ['session'],
    body: z.strictObject({ token: Token }),
    answer: SignedIn,
    async handle({ parts, caller, body }) {
      const session = await parts.accounts.joinByInvite(caller, body.token)
      return { body: signedIn(session.session), session }
    },
  }),
]
