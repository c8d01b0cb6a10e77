import { z } from '@hono/zod-openapi'
import { MATRIX, ROLES } from '../../roles/roles.ts'
import { exportLines } from '../export.ts'
import { RateLimitOf } from '../facts.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Instant, listOf, Name, Version } from '../schemas.ts'
import { boundsOf, LimitsGiven } from './keys.ts'

const Organisation = z
  .object({
    id: z.string(),
    name: z.string(),
    signUp: z.enum(['invite', 'open']),
    domains: listOf(z.string()),
    memberLimits: RateLimitOf.optional().openapi({
      description: 'How much each member may ask, with all of their keys together.',
    }),
    createdAt: Instant,
    version: Version,
  })
  .openapi('Organisation')

export const ORGANISATION_ROUTES = [
  route({
    method: 'get',
    path: '/organisation',
    id: 'readOrganisation',
    summary: 'The organisation.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'organisation.read',
    isVersioned: true,
    answer: Organisation,
    async handle({ parts, caller, organisation }) {
      const body = await parts.accounts.readOrganisation(caller, organisation)
      return { body, version: body.version }
    },
  }),
  route({
    method: 'patch',
    path: '/organisation',
    id: 'changeOrganisation',
    by: PEOPLE_AND_SCRIPTS,
    summary:
      'Changes what the organisation is called, who may sign up, and how much each member may ask. Needs a fresh sign-in.',
    action: 'organisation.write',
    isSensitive: true,
    isVersioned: true,
    body: z.strictObject({
      name: Name.optional(),
      signUp: z.enum(['invite', 'open']).optional(),
      domains: z.array(z.string().max(254)).max(100).optional(),
      memberLimits: LimitsGiven.nullable().optional(),
    }),
    answer: Organisation,
    async handle({ parts, caller, organisation, body: { name, signUp, domains, memberLimits }, version }) {
      const changed = await parts.accounts.changeOrganisation(caller, organisation, {
        ...(name !== undefined && { name }),
        ...(signUp !== undefined && { signUp }),
        ...(domains !== undefined && { domains }),
        ...(memberLimits !== undefined && { memberLimits: memberLimits && boundsOf(memberLimits) }),
        ...(version !== undefined && { version }),
      })
      return { body: changed, version: changed.version }
    },
  }),
  route({
    method: 'post',
    path: '/organisation/leave',
    id: 'leave',
    summary: 'Leaves the organisation.',
    by: ['session'],
    action: 'organisation.read',
    async handle({ parts, caller, organisation }) {
      await parts.accounts.leave(caller, organisation)
      return {}
    },
  }),
  route({
    method: 'get',
    path: '/organisation/roles',
    id: 'readRoles',
    summary: 'What each role may do, and whose.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'organisation.read',
    answer: z.object({ roles: listOf(z.string()), actions: z.record(z.string(), z.record(z.string(), z.string())) }),
    handle: () => ({ body: { roles: ROLES, actions: MATRIX as Record<string, Record<string, string>> } }),
  }),
  route({
    method: 'get',
    path: '/organisation/export',
    id: 'exportOrganisation',
    by: PEOPLE_AND_SCRIPTS,
    summary: 'All that is known of the organisation, but its usage, a line each. Needs a fresh sign-in.',
    action: 'export.read',
    isSensitive: true,
    streams: ['application/x-ndjson'],
    async handle({ parts, caller, organisation }) {
      await parts.accounts.recordAct(caller, { action: 'organisation.export', target: organisation, organisation })
      const texts = exportLines(parts, caller, organisation)
      return { stream: { type: 'application/x-ndjson', name: 'organisation.ndjson', texts } }
    },
  }),
]
