import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import { type RouteRequest, route } from '../route.ts'
import { Id, Instant, listOf, Name } from '../schemas.ts'
import { SignedIn, signedIn } from './sign-in.ts'

const SESSION = ['session'] as const
const OPEN = ['nothing'] as const

const Passkey = z
  .object({ id: z.string(), name: z.string(), createdAt: Instant, usedAt: Instant.optional() })
  .openapi('Passkey')

/** Response of an authenticator. Its additional fields are passed on. */
const Credential = z.looseObject({
  id: z.string().max(1_500),
  rawId: z.string().max(1_500),
  type: z.literal('public-key'),
})
const Registration = Credential.extend({
  response: z.looseObject({ clientDataJSON: z.string(), attestationObject: z.string() }),
  clientExtensionResults: z.looseObject({}),
})
const Authentication = Credential.extend({
  response: z.looseObject({ clientDataJSON: z.string(), authenticatorData: z.string(), signature: z.string() }),
  clientExtensionResults: z.looseObject({}),
})

const Options = z.object({
  options: z.looseObject({}).openapi({ description: 'Options for `navigator.credentials`.' }),
})
const PasskeyId = z.strictObject({ passkey: Id.max(1_500) })

/** Token of the flow from the browser's cookie. @throws HeadgateError `not-found` without a cookie. */
export function flowOf({ cookies: { flow } }: Pick<RouteRequest, 'cookies'>): string {
  if (flow !== undefined) return flow
  throw new HeadgateError(
    'not-found',
    'This process expired, began in another browser, or is already finished. Start again.',
  )
}

export const PASSKEY_ROUTES = [
  route({
    method: 'get',
    path: '/passkeys',
    id: 'listPasskeys',
    summary: 'Lists your passkeys.',
    by: SESSION,
    answer: z.object({ items: listOf(Passkey) }),
    handle: async ({ parts, caller }) => ({ body: { items: await parts.accounts.listPasskeys(caller) } }),
  }),
  route({
    method: 'post',
    path: '/passkeys/begin',
    id: 'beginPasskey',
    summary: 'Begins the registration of a passkey.',
    by: SESSION,
    answer: Options,
    async handle({ parts, caller, browser = '' }) {
      const { options, ...flow } = await parts.accounts.beginPasskey(caller, browser)
      return { body: { options: { ...options } }, flow }
    },
  }),
  route({
    method: 'post',
    path: '/passkeys',
    id: 'addPasskey',
    summary: 'Finishes the registration of a passkey.',
    by: SESSION,
    body: z.strictObject({ name: Name, response: Registration }),
    answer: Passkey,
    status: 201,
    async handle(asked) {
      const { name, response } = asked.body
      const added = { name, flow: flowOf(asked), response: response as never }
      return { body: await asked.parts.accounts.finishPasskey(asked.caller, added), flow: null }
    },
  }),
  route({
    method: 'patch',
    path: '/passkeys/{passkey}',
    id: 'renamePasskey',
    summary: 'Renames a passkey.',
    by: SESSION,
    params: PasskeyId,
    body: z.strictObject({ name: Name }),
    async handle({ parts, caller, params, body }) {
      await parts.accounts.renamePasskey(caller, params.passkey, body.name)
      return {}
    },
  }),
  route({
    method: 'delete',
    path: '/passkeys/{passkey}',
    id: 'removePasskey',
    summary: 'Removes a passkey.',
    by: SESSION,
    params: PasskeyId,
    async handle({ parts, caller, params }) {
      await parts.accounts.removePasskey(caller, params.passkey)
      return {}
    },
  }),
  route({
    method: 'post',
    path: '/passkeys/ask',
    id: 'askForPasskey',
    summary: 'Begins a sign-in with any passkey of the browser.',
    by: OPEN,
    answer: Options,
    async handle({ parts, browser = '' }) {
      const { options, ...flow } = await parts.accounts.askForPasskey(browser)
      return { body: { options: { ...options } }, flow }
    },
  }),
  route({
    method: 'post',
    path: '/passkeys/sign-in',
    id: 'signInByPasskey',
    summary: 'Signs in with a passkey.',
    by: OPEN,
    body: z.strictObject({ response: Authentication }),
    answer: SignedIn,
    async handle(asked) {
      const { parts, body, cookies, origin } = asked
      const use = { flow: flowOf(asked), response: body.response as never, before: cookies.session }
      const session = await parts.accounts.signInByPasskey(use, origin)
      return { body: signedIn(session.session), session, flow: null }
    },
  }),
  route({
    method: 'post',
    path: '/passkeys/confirm',
    id: 'confirmByPasskey',
    summary: 'Confirms your identity with a passkey.',
    by: SESSION,
    body: z.strictObject({ response: Authentication }),
    answer: SignedIn,
    async handle(asked) {
      const use = { flow: flowOf(asked), response: asked.body.response as never }
      const session = await asked.parts.accounts.confirmByPasskey(asked.caller, use)
      return { body: signedIn(session.session), session, flow: null }
    },
  }),
]
