import { z } from '@hono/zod-openapi'
import { MATRIX, may, type Role } from '../../roles/roles.ts'
import { pageFrom } from '../page.ts'
import { route } from '../route.ts'
import { Id, Instant, listOf, Name, PAGE, Password, pageOf, RoleName } from '../schemas.ts'
import { SignedIn, signedIn } from './sign-in.ts'

const SESSION = ['session'] as const

const Session = z
  .object({
    id: z.string(),
    method: z.string(),
    createdAt: Instant,
    seenAt: Instant,
    expiresAt: Instant,
    strongAt: Instant.openapi({ description: 'Time when the person last confirmed their identity.' }),
    address: z.string().optional(),
    agent: z.string().optional(),
    isThis: z.boolean(),
  })
  .openapi('Session')

const Account = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string().optional(),
    hasPassword: z.boolean(),
    createdAt: Instant,
    memberships: listOf(
      z.object({
        organization: z.string(),
        name: z.string(),
        role: RoleName,
        may: z.record(z.string(), z.string()).openapi({ description: 'Action → scope of the permission.' }),
      }),
    ),
    session: z.object({ id: z.string(), strongAt: Instant, expiresAt: Instant }),
    timeZone: z.string().openapi({ description: 'Time zone of daily sums.', example: 'Europe/Berlin' }),
  })
  .openapi('Account')

function allOf(role: Role): Record<string, string> {
  return Object.fromEntries(
    (Object.keys(MATRIX) as (keyof typeof MATRIX)[]).flatMap((action) => {
      const reach = may(role, action)
      return reach ? [[action, reach]] : []
    }),
  )
}

export const ME_ROUTES = [
  route({
    method: 'get',
    path: '/me',
    id: 'me',
    summary: 'Reads the signed-in account and its permissions.',
    by: SESSION,
    answer: Account,
    async handle({ parts, caller, session }) {
      const { memberships, disabledAt: _, ...account } = await parts.accounts.accountOf(caller)
      const { id = '', strongAt = 0, expiresAt = 0 } = session ?? {}
      return {
        body: {
          ...account,
          memberships: memberships.map((one) => ({ ...one, may: allOf(one.role) })),
          session: { id, strongAt, expiresAt },
          timeZone: await parts.usage.dayZone(),
        },
      }
    },
  }),
  route({
    method: 'patch',
    path: '/me',
    id: 'renameMe',
    summary: 'Changes your name.',
    by: SESSION,
    body: z.strictObject({ name: Name }),
    async handle({ parts, caller, body }) {
      await parts.accounts.renamePerson(caller, body.name)
      return {}
    },
  }),
  route({
    method: 'post',
    path: '/sign-out',
    id: 'signOut',
    summary: 'Ends this session.',
    by: SESSION,
    async handle({ parts, caller }) {
      await parts.accounts.endSession(caller)
      return { isSignedOut: true, flow: null }
    },
  }),
  route({
    method: 'get',
    path: '/sessions',
    id: 'listSessions',
    summary: 'Lists your sessions.',
    by: SESSION,
    query: z.strictObject(PAGE),
    answer: pageOf(Session),
    async handle({ parts, caller, session, query }) {
      const all = await parts.accounts.listSessions(caller)
      const page = pageFrom('sessions', all, ({ seenAt, id }) => [-seenAt, id], query)
      return {
        body: {
          ...page,
          items: page.items.map(({ person: _, ...one }) => ({ ...one, isThis: one.id === session?.id })),
        },
      }
    },
  }),
  route({
    method: 'delete',
    path: '/sessions/{session}',
    id: 'endSession',
    summary: 'Ends one of your sessions.',
    by: SESSION,
    params: z.strictObject({ session: Id }),
    async handle({ parts, caller, params, session }) {
      await parts.accounts.endSession(caller, params.session)
      return { isSignedOut: params.session === session?.id }
    },
  }),
  route({
    method: 'delete',
    path: '/sessions',
    id: 'endOtherSessions',
    summary: 'Ends all your sessions except this one.',
    by: SESSION,
    async handle({ parts, caller }) {
      await parts.accounts.endOtherSessions(caller)
      return {}
    },
  }),
  route({
    method: 'post',
    path: '/confirm',
    id: 'confirm',
    summary: 'Confirms your identity with your password for 15 minutes.',
    by: SESSION,
    body: z.strictObject({ password: Password }),
    answer: SignedIn,
    async handle({ parts, caller, body }) {
      const session = await parts.accounts.confirmByPassword(caller, body.password)
      return { body: signedIn(session.session), session }
    },
  }),
  route({
    method: 'post',
    path: '/password',
    id: 'changePassword',
    summary: 'Changes your password and ends your other sessions.',
    by: SESSION,
    body: z.strictObject({ current: Password.optional(), password: Password }),
    answer: SignedIn,
    async handle({ parts, caller, body: { current, password } }) {
      const session = await parts.accounts.changePassword(caller, {
        password,
        ...(current !== undefined && { current }),
      })
      return { body: signedIn(session.session), session }
    },
  }),
]
