import { HeadgateError, type PriceBook } from '@headgate/gateway/ports'
import type { CachedInput } from '@headgate/store'
import { z } from '@hono/zod-openapi'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Charge, Instant, InstantText, listOf } from '../schemas.ts'
import { filtersFor, OWNED } from './usage.ts'

const Count = z.int()

const Explanation = z
  .object({
    since: Instant.openapi({
      description: 'Start of the requests that were read: later than `from` if the range has more than 100,000.',
    }),
    requests: Count,
    losses: listOf(
      z.object({
        path: z.string().openapi({ description: 'Field. Fields of responses begin with `response.`.' }),
        kind: z.string(),
        reason: z.string(),
        format: z.string().openapi({ description: 'Format of the caller.' }),
        key: z.string(),
        keyName: z.string().nullable(),
        requests: Count,
      }),
    ),
    saved: listOf(
      z.object({
        provider: z.string().openapi({ description: 'Provider whose call failed first.' }),
        failure: z.string(),
        served: z.string().openapi({ description: 'Provider that served the requests.' }),
        requests: Count,
      }),
    ),
    caches: listOf(
      z.object({
        provider: z.string(),
        model: z.string(),
        requests: Count,
        input: Count,
        cacheRead: Count,
        cacheWrite: Count,
        saved: Charge.nullable().openapi({
          description:
            'Nano-dollars: price of the cached tokens as fresh input, minus what they cost; negative if the cache cost more; null if the price is unknown.',
        }),
      }),
    ),
  })
  .openapi('Explanation')

export const EXPLANATION_ROUTES = [
  route({
    method: 'get',
    path: '/explanation',
    id: 'readExplanation',
    summary: 'Reads which fields translation lost, which requests failover saved, and what caches saved.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'usage.read',
    query: z.strictObject({
      from: InstantText,
      to: InstantText,
      project: OWNED.project,
      environment: OWNED.environment,
      member: OWNED.member,
    }),
    answer: Explanation,
    async handle(asked) {
      const { from, to, ...given } = asked.query
      if (to <= from) throw new HeadgateError('invalid-request', '`to` must be after `from`.', { param: 'to' })
      const filters = await filtersFor(asked, given)
      if (!filters) return { body: { since: from, requests: 0, losses: [], saved: [], caches: [] } }
      const { project, environment, member } = filters
      const { usage, prices } = asked.parts
      const explained = await usage.explain({ from, to, filters: { project, environment, member } })
      const names = await usage.namesOf(
        'key',
        explained.losses.map(({ key }) => key),
      )
      return {
        body: {
          ...explained,
          losses: explained.losses.map((loss) => ({
            ...loss,
            keyName: Object.hasOwn(names, loss.key) ? (names[loss.key] ?? null) : null,
          })),
          caches: explained.caches.map(({ at: _, priceId: __, cacheWriteLong: ___, ...cache }, place) => {
            const own = explained.caches[place]
            return { ...cache, saved: own ? savedBy(own, prices) : null }
          }),
        },
      }
    },
  }),
]

const MILLION = 1_000_000n

/** Saved nano-dollars as digits, at the price of the newest of the requests; null if it is unknown. */
export function savedBy(cached: CachedInput, prices: PriceBook | undefined): string | null {
  const { provider, model, at, priceId, cacheRead, cacheWrite, cacheWriteLong } = cached
  const price = prices?.priceOf(provider, model, at)
  if (!price || priceId === null) return null
  const write = price.cacheWrite ?? price.input
  const saved = [
    [cacheRead, price.input - (price.cacheRead ?? price.input)],
    [cacheWrite - cacheWriteLong, price.input - write],
    [cacheWriteLong, price.input - (price.cacheWriteLong ?? write)],
  ].reduce((sum, [count = 0, rate = 0]) => sum + BigInt(count) * BigInt(Math.round(rate)), 0n)
  return String(saved / MILLION)
}
