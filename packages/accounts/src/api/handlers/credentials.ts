import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import type { StoredCredentialFacts } from '../../credentials/credentials.ts'
import { type CredentialDesk, type CredentialState, ProviderCredential } from '../credentials.ts'
import type { ManagementParts } from '../parts.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { listOf, Name } from '../schemas.ts'

const ProviderName = z.strictObject({ provider: Name })
/** Maximum number of fields, and of characters of a value: enough for a service account of several kilobytes. */
const FIELDS = 20
const LONGEST = 16_384

export const CREDENTIAL_ROUTES = [
  route({
    method: 'get',
    path: '/providers/credentials',
    id: 'listCredentials',
    summary: 'Lists where the credential of each provider comes from, without values.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'providers.write',
    isGateways: true,
    answer: z.object({ items: listOf(ProviderCredential) }),
    async handle({ parts, caller }) {
      const stored = await parts.accounts.listCredentials(caller)
      const states = (await parts.credentials?.states()) ?? []
      return { body: { items: states.map((state) => shown(state, stored)) } }
    },
  }),
  route({
    method: 'put',
    path: '/providers/{provider}/credential',
    id: 'setCredential',
    summary:
      'Tests the credential of a provider and stores it encrypted, in place of the earlier one. All processes use it within a second. No response contains it. Owners only; requires a recent sign-in.',
    by: ['session'],
    action: 'credentials.write',
    isGateways: true,
    isSensitive: true,
    isVersioned: true,
    params: ProviderName,
    body: z.strictObject({
      values: z
        .record(z.string().min(1).max(100), z.string().min(1).max(LONGEST))
        .refine((values) => Object.keys(values).length <= FIELDS, `At most ${FIELDS} fields.`)
        .openapi({ description: 'All fields of the credential. Absent fields are removed.', example: { apiKey: '…' } }),
    }),
    answer: z.object({
      isTested: z.boolean().openapi({ description: 'False if the provider has no call to test a credential with.' }),
      credential: ProviderCredential,
    }),
    async handle({ parts, caller, params: { provider }, body: { values }, version }) {
      const desk = deskOf(parts)
      const { isTested, ...prepared } = await desk.prepare(provider, values)
      const stored = await parts.accounts.setCredential(caller, { ...prepared, follows: version })
      const { adapter } = prepared
      const state = (await desk.states()).find((one) => one.provider === provider)
      const next = { provider, adapter, variables: [], fields: [], ...state, source: 'stored' as const, isUsed: true }
      return { body: { isTested, credential: shown(next, [stored]) }, version: stored.version }
    },
  }),
  route({
    method: 'delete',
    path: '/providers/{provider}/credential',
    id: 'removeCredential',
    summary: 'Deletes the stored credential of a provider. Owners only; requires a recent sign-in.',
    by: ['session'],
    action: 'credentials.write',
    isGateways: true,
    isSensitive: true,
    isVersioned: true,
    params: ProviderName,
    async handle({ parts, caller, params: { provider }, version }) {
      await parts.accounts.removeCredential(caller, provider, version)
      return {}
    },
  }),
]

function deskOf({ credentials }: ManagementParts): CredentialDesk {
  if (credentials) return credentials
  throw new HeadgateError('conflict', 'Credentials of this gateway are set in its configuration.')
}

function shown(state: Omit<CredentialState, 'stored'>, all: readonly StoredCredentialFacts[]): CredentialState {
  const own = all.find(({ provider }) => provider === state.provider)
  if (!own) return state
  const { fields, baseUrl, hosts, createdAt, createdBy, version } = own
  const stored = {
    fields,
    hosts,
    createdAt,
    version,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(createdBy !== undefined && { createdBy }),
  }
  return { ...state, stored }
}
