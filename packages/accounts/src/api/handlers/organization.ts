import { HeadgateError } from '@headgate/gateway/ports'
import { z } from '@hono/zod-openapi'
import type { KeyDefaults } from '../../organizations/key-defaults.ts'
import { MATRIX, ROLES } from '../../roles/roles.ts'
import { exportLines } from '../export.ts'
import { RateLimitOf } from '../facts.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, Instant, listOf, Name, NanoDollars, Version } from '../schemas.ts'
import { BudgetTerms, boundsOf, LimitsGiven } from './keys.ts'

const KeyDefaultsOf = z.strictObject({
  limits: LimitsGiven.optional(),
  budget: z.strictObject({ limit: NanoDollars, period: BudgetTerms.period }).optional(),
  days: z.int().min(1).max(3_660).optional().openapi({ description: 'Days after which a key expires at the latest.' }),
})

const StatementRecipient = z.strictObject({
  person: Id,
  project: Id.optional().openapi({ description: 'Default: all projects that the member may see.' }),
})

const Organization = z
  .object({
    id: z.string(),
    name: z.string(),
    signUp: z.enum(['invite', 'open']),
    domains: listOf(z.string()),
    memberLimits: RateLimitOf.optional().openapi({
      description: 'Rate limits of each member, for all their keys together.',
    }),
    keyDefaults: KeyDefaultsOf.optional().openapi({ description: 'Bounds of keys that members create.' }),
    statementMail: listOf(StatementRecipient).optional().openapi({
      description: 'Members who receive the statement of each month by mail.',
    }),
    hasMail: z.boolean().openapi({ description: 'True if the configuration has a mail server.' }),
    createdAt: Instant,
    version: Version,
  })
  .openapi('Organization')

export const ORGANIZATION_ROUTES = [
  route({
    method: 'get',
    path: '/organization',
    id: 'readOrganization',
    summary: 'Reads the organization.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'organization.read',
    isVersioned: true,
    answer: Organization,
    async handle({ parts, caller, organization }) {
      const body = await parts.accounts.readOrganization(caller, organization)
      return { body: { ...body, hasMail: parts.mail !== undefined }, version: body.version }
    },
  }),
  route({
    method: 'patch',
    path: '/organization',
    id: 'changeOrganization',
    by: PEOPLE_AND_SCRIPTS,
    summary:
      'Changes the name, sign-up settings and member rate limits of the organization. Requires a recent sign-in.',
    action: 'organization.write',
    isSensitive: true,
    isVersioned: true,
    body: z.strictObject({
      name: Name.optional(),
      signUp: z.enum(['invite', 'open']).optional(),
      domains: z.array(z.string().max(254)).max(100).optional(),
      memberLimits: LimitsGiven.nullable().optional(),
      keyDefaults: KeyDefaultsOf.nullable().optional().openapi({
        description: 'Bounds of keys that members create from now on.',
      }),
      statementMail: z.array(StatementRecipient).max(50).optional().openapi({
        description: 'Members who receive the statements of this month and later ones by mail. Needs `accounts.smtp`.',
      }),
    }),
    answer: Organization,
    async handle({ parts, caller, organization, body, version }) {
      const { name, signUp, domains, memberLimits, keyDefaults, statementMail } = body
      if (statementMail && statementMail.length > 0 && !parts.mail) throw noMail()
      const changed = await parts.accounts.changeOrganization(caller, organization, {
        ...(name !== undefined && { name }),
        ...(signUp !== undefined && { signUp }),
        ...(domains !== undefined && { domains }),
        ...(memberLimits !== undefined && { memberLimits: memberLimits && boundsOf(memberLimits) }),
        ...(keyDefaults !== undefined && { keyDefaults: keyDefaults && defaultsOf(keyDefaults) }),
        ...(statementMail !== undefined && { statementMail }),
        ...(version !== undefined && { version }),
      })
      return { body: { ...changed, hasMail: parts.mail !== undefined }, version: changed.version }
    },
  }),
  route({
    method: 'delete',
    path: '/organization',
    id: 'deleteOrganization',
    summary:
      'Deletes the organization permanently and revokes its keys; not the first one, which manages the gateway. Usage is kept. Requires a recent sign-in.',
    by: ['session'],
    action: 'organization.delete',
    isSensitive: true,
    async handle({ parts, caller, organization }) {
      await parts.accounts.deleteOrganization(caller, organization)
      return {}
    },
  }),
  route({
    method: 'post',
    path: '/organization/leave',
    id: 'leave',
    summary: 'Leaves the organization.',
    by: ['session'],
    action: 'organization.read',
    async handle({ parts, caller, organization }) {
      await parts.accounts.leave(caller, organization)
      return {}
    },
  }),
  route({
    method: 'get',
    path: '/organization/roles',
    id: 'readRoles',
    summary: 'Lists the permissions of each role.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'organization.read',
    answer: z.object({ roles: listOf(z.string()), actions: z.record(z.string(), z.record(z.string(), z.string())) }),
    handle: () => ({ body: { roles: ROLES, actions: MATRIX as Record<string, Record<string, string>> } }),
  }),
  route({
    method: 'get',
    path: '/organization/export',
    id: 'exportOrganization',
    by: PEOPLE_AND_SCRIPTS,
    summary: 'Streams all data of the organization except usage, one JSON object per line. Requires a recent sign-in.',
    action: 'export.read',
    isSensitive: true,
    streams: ['application/x-ndjson'],
    async handle({ parts, caller, organization }) {
      await parts.accounts.recordAct(caller, { action: 'organization.export', target: organization, organization })
      const texts = exportLines(parts, caller, organization)
      return { stream: { type: 'application/x-ndjson', name: 'organization.ndjson', texts } }
    },
  }),
]

function noMail(): HeadgateError {
  const message = 'This gateway has no mail server. Set `accounts.smtp` in its configuration to mail statements.'
  return new HeadgateError('invalid-request', message, { param: 'statementMail' })
}

/** Defaults without absent limits. */
function defaultsOf({ limits, ...others }: z.infer<typeof KeyDefaultsOf>): KeyDefaults {
  return { ...others, ...(limits && { limits: boundsOf(limits) }) }
}
