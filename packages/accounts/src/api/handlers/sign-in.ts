import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import { linkTo } from '../links.ts'
import type { Mail, ManagementParts } from '../parts.ts'
import { type RouteRequest, route } from '../route.ts'
import { Email, Id, Instant, listOf, Name, Password, Token } from '../schemas.ts'

const OPEN = ['nothing'] as const

/** Response that does not reveal whether the mail address has an account. */
const Asked202 = z.object({ detail: z.string() })

const SignedIn = z
  .object({ session: z.object({ id: z.string(), person: z.string(), expiresAt: Instant }) })
  .openapi('SignedIn')

type SignedIn = z.infer<typeof SignedIn>

/** Response body for a new or renewed session. */
export function signedIn({ id, person, expiresAt }: SignedIn['session']): SignedIn {
  return { session: { id, person, expiresAt } }
}

/**
 * Creates and sends a mail in the background. If the caller waited, the time would reveal whether the address has an
 * account.
 */
function send({ mail, onProblem }: ManagementParts, make: () => Promise<Mail | undefined>): void {
  const sent = make().then((message) => message && mail?.(message))
  sent.catch((error: unknown) => onProblem(`A mail could not be sent: ${String(error)}`))
}

const before = ({ cookies: { session } }: Pick<RouteRequest, 'cookies'>) =>
  session === undefined ? {} : { before: session }

export const SIGN_IN_ROUTES = [
  route({
    method: 'get',
    path: '/sign-in',
    id: 'waysIn',
    summary: 'Lists the sign-in methods.',
    by: OPEN,
    answer: z.object({
      providers: listOf(z.object({ id: z.string(), name: z.string() })),
      origins: listOf(z.string()),
      canMail: z.boolean(),
      hasAccounts: z.boolean().openapi({ description: 'False until the first account exists.' }),
    }),
    handle: async ({ parts: { accounts, origins, mail } }) => ({
      body: {
        providers: accounts.providers,
        origins,
        canMail: mail !== undefined,
        hasAccounts: await accounts.hasAccounts(),
      },
    }),
  }),
  route({
    method: 'post',
    path: '/sign-in',
    id: 'signIn',
    summary: 'Signs in with mail address and password.',
    by: OPEN,
    body: z.strictObject({ email: z.string().max(320), password: Password }),
    answer: SignedIn,
    async handle(asked) {
      const session = await asked.parts.accounts.signIn(
        { ...asked.body, ...before(asked), device: asked.cookies.device },
        asked.origin,
      )
      return { body: signedIn(session.session), session }
    },
  }),
  route({
    method: 'post',
    path: '/first',
    id: 'claimFirst',
    summary: 'Creates the first account with the link from the first start.',
    by: OPEN,
    body: z.strictObject({ token: Token, email: Email, name: Name, password: Password }),
    answer: SignedIn,
    status: 201,
    async handle({ parts, body: { token, ...claim }, origin }) {
      const session = await parts.accounts.claimFirst(token, claim, origin)
      return { body: signedIn(session.session), session }
    },
  }),
  route({
    method: 'post',
    path: '/forgot',
    id: 'forgot',
    summary: 'Sends a link for a new password if the address has an account.',
    by: OPEN,
    body: z.strictObject({ email: z.string().max(320) }),
    answer: Asked202,
    status: 202,
    async handle({ parts, body: { email }, origin }) {
      if (!parts.mail) throw noMail('Contact an admin for a link.')
      await parts.accounts.countAsking(origin)
      send(parts, async () => {
        const link = await parts.accounts.forgotten(email, origin)
        return link && { to: link.email, kind: 'reset', link: linkTo(parts, 'reset', link.token) }
      })
      return { body: { detail: 'If this mail address has an account, a link was sent to it.' } }
    },
  }),
  route({
    method: 'post',
    path: '/reset',
    id: 'reset',
    summary: 'Sets a new password with a link.',
    by: OPEN,
    body: z.strictObject({ token: Token, password: Password }),
    answer: SignedIn,
    async handle({ parts, body: { token, password }, origin }) {
      const session = await parts.accounts.resetPassword(token, password, origin)
      return { body: signedIn(session.session), session }
    },
  }),
  route({
    method: 'post',
    path: '/sign-up',
    id: 'signUp',
    summary: 'Sends a link for a new account if sign-up is open.',
    by: OPEN,
    body: z.strictObject({ email: Email, organization: Id.optional() }),
    answer: Asked202,
    status: 202,
    async handle({ parts, body: { email, organization }, origin }) {
      if (!parts.mail) throw noMail('Contact an admin for an invitation.')
      await parts.accounts.checkSignUp(email, origin, organization)
      send(parts, async () => {
        const { email: to, link } = await parts.accounts.requestSignUp(email, origin, organization)
        return link ? { to, kind: 'sign-up', link: linkTo(parts, 'sign-up', link.token) } : { to, kind: 'known' }
      })
      return { body: { detail: 'A mail with instructions was sent to this address.' } }
    },
  }),
  route({
    method: 'post',
    path: '/sign-up/finish',
    id: 'finishSignUp',
    summary: 'Creates an account with a sign-up link.',
    by: OPEN,
    body: z.strictObject({ token: Token, name: Name, password: Password }),
    answer: SignedIn,
    status: 201,
    async handle({ parts, body: { token, ...claim }, origin }) {
      const session = await parts.accounts.finishSignUp(token, claim, origin)
      return { body: signedIn(session.session), session }
    },
  }),
]

export { SignedIn }

function noMail(advice: string): HeadgateError {
  return new HeadgateError('forbidden', `This gateway does not send mail. ${advice}`)
}
