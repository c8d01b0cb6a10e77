import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import { linkTo } from '../links.ts'
import type { Mail, ManagementParts } from '../parts.ts'
import { type Asked, route } from '../route.ts'
import { Email, Id, Instant, listOf, Name, Password, Token } from '../schemas.ts'

const OPEN = ['nothing'] as const

/** What is answered whether there is somebody of that mail address or not. */
const Asked202 = z.object({ detail: z.string() })

const SignedIn = z
  .object({ session: z.object({ id: z.string(), person: z.string(), expiresAt: Instant }) })
  .openapi('SignedIn')

type SignedIn = z.infer<typeof SignedIn>

/** What is said of a session that has begun, or has another token. */
export function signedIn({ id, person, expiresAt }: SignedIn['session']): SignedIn {
  return { session: { id, person, expiresAt } }
}

/**
 * Has mail be made and sent. Nobody who asks waits for it: how long it takes would say whether there is somebody of an
 * address.
 */
function send({ mail, onProblem }: ManagementParts, make: () => Promise<Mail | undefined>): void {
  const sent = make().then((message) => message && mail?.(message))
  sent.catch((error: unknown) => onProblem(`A mail could not be sent: ${String(error)}`))
}

const before = ({ cookies: { session } }: Pick<Asked, 'cookies'>) => (session === undefined ? {} : { before: session })

export const SIGN_IN_ROUTES = [
  route({
    method: 'get',
    path: '/sign-in',
    id: 'waysIn',
    summary: 'How people sign in here.',
    by: OPEN,
    answer: z.object({
      providers: listOf(z.object({ id: z.string(), name: z.string() })),
      origins: listOf(z.string()),
      canMail: z.boolean(),
    }),
    handle: ({ parts }) => ({
      body: { providers: parts.accounts.providers, origins: parts.origins, canMail: parts.mail !== undefined },
    }),
  }),
  route({
    method: 'post',
    path: '/sign-in',
    id: 'signIn',
    summary: 'Signs somebody in by mail address and password.',
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
    summary: 'Makes the first account, by the link of the first start.',
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
    summary: 'Has a link for a new password be sent, where somebody has this address.',
    by: OPEN,
    body: z.strictObject({ email: z.string().max(320) }),
    answer: Asked202,
    status: 202,
    async handle({ parts, body: { email }, origin }) {
      if (!parts.mail) throw noMail('Ask an admin for a link.')
      await parts.accounts.countAsking(origin)
      send(parts, async () => {
        const link = await parts.accounts.forgotten(email, origin)
        return link && { to: link.email, kind: 'reset', link: linkTo(parts, 'reset', link.token) }
      })
      return { body: { detail: 'If there is an account of this mail address, a link is on its way to it.' } }
    },
  }),
  route({
    method: 'post',
    path: '/reset',
    id: 'reset',
    summary: 'Chooses another password by a link.',
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
    summary: 'Has a link for a new account be sent, where sign-up is open.',
    by: OPEN,
    body: z.strictObject({ email: Email, organization: Id.optional() }),
    answer: Asked202,
    status: 202,
    async handle({ parts, body: { email, organization }, origin }) {
      if (!parts.mail) throw noMail('Ask an admin for an invite.')
      await parts.accounts.checkSignUp(email, origin, organization)
      send(parts, async () => {
        const { email: to, link } = await parts.accounts.requestSignUp(email, origin, organization)
        return link ? { to, kind: 'sign-up', link: linkTo(parts, 'sign-up', link.token) } : { to, kind: 'known' }
      })
      return { body: { detail: 'A mail is on its way to this address. It says how to go on.' } }
    },
  }),
  route({
    method: 'post',
    path: '/sign-up/finish',
    id: 'finishSignUp',
    summary: 'Makes an account by the link of a sign-up.',
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
  return new HeadgateError('forbidden', `This gateway sends no mail. ${advice}`)
}
