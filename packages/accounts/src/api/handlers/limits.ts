import { z } from '@hono/zod-openapi'
import { ConfiguredBound, RateLimitOf } from '../facts.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, listOf, Version } from '../schemas.ts'
import { boundsOf, Key, LimitsGiven } from './keys.ts'

export const LIMIT_ROUTES = [
  route({
    method: 'get',
    path: '/limits',
    id: 'listLimits',
    summary: 'Lists rate limits: of keys, which can be changed here, and of projects and models, which are configured.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    answer: z.object({
      keys: listOf(z.object({ id: z.string(), name: z.string().optional(), limits: RateLimitOf, version: Version })),
      projects: listOf(ConfiguredBound),
      models: listOf(ConfiguredBound),
    }),
    async handle({ parts, caller, organization, access }) {
      const mayRead = access.role !== 'viewer'
      const keys = mayRead ? await parts.accounts.listKeys(caller, organization) : []
      const bound = keys.flatMap(({ id, name, limits, version, revokedAt }) =>
        limits && revokedAt === undefined ? [{ id, ...(name !== undefined && { name }), limits, version }] : [],
      )
      return { body: { keys: bound, ...parts.facts.limits() } }
    },
  }),
  route({
    method: 'put',
    path: '/limits/keys/{key}',
    id: 'setLimits',
    summary: 'Sets the rate limits of a key. Absent limits do not apply.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.write',
    isVersioned: true,
    params: z.strictObject({ key: Id }),
    body: LimitsGiven,
    answer: Key,
    async handle({ parts, caller, organization, params, body, version }) {
      const changed = await parts.accounts.changeKey(caller, organization, params.key, {
        limits: boundsOf(body),
        version,
      })
      return { body: changed, version: changed.version }
    },
  }),
]
