import { z } from '@hono/zod-openapi'
import { RETURN_PAGE } from '../links.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, Instant, listOf, RoleName, Text } from '../schemas.ts'
import { flowOf } from './passkeys.ts'
import { SignedIn, signedIn } from './sign-in.ts'

const SESSION = ['session'] as const
const OPEN = ['nothing'] as const

const Identity = z
  .object({ issuer: z.string(), subject: z.string(), createdAt: Instant, seenAt: Instant })
  .openapi('Identity')

const Configured = z
  .object({
    id: z.string(),
    name: z.string(),
    issuer: z.string(),
    clientId: z.string(),
    hasSecret: z.boolean(),
    groupsClaim: z.string(),
    roles: z
      .record(z.string(), RoleName)
      .optional()
      .openapi({ description: 'Group → role; absent = groups are ignored.' }),
    defaultRole: RoleName.optional().openapi({
      description: 'Role of people in none of the groups; absent = they cannot sign in.',
    }),
  })
  .openapi('OidcProvider')

const Tested = z
  .object({
    isUsable: z.boolean(),
    detail: z.string(),
    tookMs: z.int(),
    authorization: z.string().optional(),
    token: z.string().optional(),
  })
  .openapi('OidcTest')

export const OIDC_ROUTES = [
  route({
    method: 'get',
    path: '/oidc',
    id: 'listOidc',
    summary: 'Lists the OIDC providers of the organization, without their secrets.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'organization.write',
    answer: z.object({ items: listOf(Configured) }),
    async handle({ parts, caller, organization }) {
      const all = await parts.accounts.listOidc(caller, organization)
      return { body: { items: all.map(({ roles, ...one }) => ({ ...one, ...(roles && { roles: { ...roles } }) })) } }
    },
  }),
  route({
    method: 'post',
    path: '/oidc/{provider}/test',
    id: 'testOidc',
    summary: 'Reads the metadata of an OIDC provider and reports whether sign-in works.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'organization.write',
    params: z.strictObject({ provider: Id }),
    answer: Tested,
    handle: async ({ parts, caller, organization, params }) => ({
      body: await parts.accounts.testOidc(caller, organization, params.provider),
    }),
  }),
  route({
    method: 'post',
    path: '/oidc/begin',
    id: 'beginOidc',
    by: OPEN,
    summary: 'Begins a sign-in at an OIDC provider, or links the provider to the signed-in account.',
    body: z.strictObject({ provider: Id, returnTo: Text.optional() }),
    answer: z.object({ url: z.string().openapi({ description: 'URL to open in the browser.' }) }),
    async handle({ parts, caller, body: { provider, returnTo }, browser = '' }) {
      const redirectUri = `${browser}${parts.basePath ?? ''}${RETURN_PAGE}`
      const { url, ...flow } = await parts.accounts.beginOidc(caller, { provider, returnTo, redirectUri })
      return { body: { url }, flow }
    },
  }),
  route({
    method: 'post',
    path: '/oidc/finish',
    id: 'finishOidc',
    summary: 'Finishes the sign-in with the query that the provider sent to the return page.',
    by: OPEN,
    body: z.strictObject({ query: z.string().max(8_000) }),
    answer: SignedIn.extend({ returnTo: z.string().optional() }),
    async handle(asked) {
      const { parts, caller, body, cookies } = asked
      const finish = { flow: flowOf(asked), query: body.query, before: cookies.session }
      const { returnTo, ...session } = await parts.accounts.finishOidc(caller, finish)
      return { body: { ...signedIn(session.session), returnTo }, session, flow: null }
    },
  }),
  route({
    method: 'get',
    path: '/identities',
    id: 'listIdentities',
    summary: 'Lists your linked OIDC accounts.',
    by: SESSION,
    answer: z.object({ items: listOf(Identity) }),
    handle: async ({ parts, caller }) => ({ body: { items: await parts.accounts.listIdentities(caller) } }),
  }),
  route({
    method: 'delete',
    path: '/identities',
    id: 'removeIdentity',
    summary: 'Unlinks an OIDC account.',
    by: SESSION,
    query: z.strictObject({ issuer: Text, subject: Text }),
    async handle({ parts, caller, query }) {
      await parts.accounts.removeIdentity(caller, query)
      return {}
    },
  }),
]
