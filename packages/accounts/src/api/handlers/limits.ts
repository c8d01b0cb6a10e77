import type { RecentUse } from '@headgate/store'
import { z } from '@hono/zod-openapi'
import { ConfiguredBound, RateLimitOf } from '../facts.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Id, listOf, Version } from '../schemas.ts'
import { boundsOf, Key, LimitsGiven } from './keys.ts'

const Used = z.object({ requests: z.int(), tokens: z.int() }).openapi({
  description: 'Requests that began within the last minute and have ended, on all nodes, and their tokens.',
})

function usedBy(use: readonly RecentUse[], isOwn: (one: RecentUse) => boolean): z.input<typeof Used> {
  const own = use.filter(isOwn)
  return {
    requests: own.reduce((sum, { requests }) => sum + requests, 0),
    tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

export const LIMIT_ROUTES = [
  route({
    method: 'get',
    path: '/limits',
    id: 'listLimits',
    summary: 'Lists rate limits: of keys, which can be changed here, and of projects and models, which are configured.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'budgets.read',
    answer: z.object({
      keys: listOf(
        z.object({
          id: z.string(),
          name: z.string().optional(),
          limits: RateLimitOf,
          used: Used.optional(),
          version: Version,
        }),
      ),
      projects: listOf(ConfiguredBound.extend({ used: Used.optional() })),
      models: listOf(ConfiguredBound),
    }),
    async handle({ parts, caller, organization, access }) {
      const mayRead = access.role !== 'viewer'
      const use = await parts.usage.recentUse({ at: parts.now?.() ?? Date.now() })
      const keys = mayRead ? await parts.accounts.listKeys(caller, organization) : []
      const bound = keys.flatMap(({ id, name, limits, version, revokedAt }) =>
        limits && revokedAt === undefined
          ? [{ id, ...(name !== undefined && { name }), limits, used: usedBy(use, (one) => one.key === id), version }]
          : [],
      )
      const { projects, models } = parts.facts.limits()
      const shown = projects.map((one) =>
        access.reach === 'all' ? { ...one, used: usedBy(use, ({ project }) => project === one.id) } : one,
      )
      return { body: { keys: bound, projects: shown, models } }
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
