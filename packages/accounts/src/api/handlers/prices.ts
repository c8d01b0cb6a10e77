import type { PriceRow, StoredRates } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { pageFrom } from '../page.ts'
import { type OverrideRates, PriceOverride, StoredRates as Rates } from '../prices.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Instant, Name, PAGE, pageOf } from '../schemas.ts'

const ModelName = z.string().min(1).max(500)

export const PRICE_ROUTES = [
  route({
    method: 'get',
    path: '/prices',
    id: 'listPrices',
    summary: 'Lists prices set by the operator. `/models` has the prices of all models.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'prices.read',
    query: z.strictObject(PAGE),
    answer: pageOf(PriceOverride),
    async handle({ parts, caller, organization, query }) {
      const all = await parts.accounts.listPrices(caller, organization)
      const page = pageFrom('prices', all, ({ provider, model }) => [0, `${provider}/${model}`], query)
      return { body: { ...page, items: page.items.map(shown) } }
    },
  }),
  route({
    method: 'put',
    path: '/prices',
    id: 'setPrice',
    summary: 'Sets the price of a model at a provider from now on.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'prices.write',
    isGateways: true,
    isVersioned: true,
    body: z.strictObject({ provider: Name, model: ModelName, rates: Rates }),
    answer: PriceOverride,
    async handle({ parts, caller, body: { provider, model, rates }, version }) {
      const price = await parts.accounts.setPrice(caller, { provider, model, rates: ratesOf(rates), follows: version })
      return { body: shown(price), version: price.validFrom }
    },
  }),
  route({
    method: 'delete',
    path: '/prices',
    id: 'removePrice',
    summary: 'Restores the price known to the adapter from now on.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'prices.write',
    isGateways: true,
    isVersioned: true,
    query: z.strictObject({ provider: Name, model: ModelName }),
    async handle({ parts, caller, query: { provider, model }, version }) {
      await parts.accounts.setPrice(caller, { provider, model, rates: null, follows: version })
      return {}
    },
  }),
  route({
    method: 'get',
    path: '/prices/unpriced',
    id: 'countUnpriced',
    summary: 'Counts requests of a model that had no price when they began, at most 10,000.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'prices.write',
    isGateways: true,
    query: z.strictObject({ provider: Name, model: ModelName }),
    answer: z.object({
      requests: z.int(),
      since: Instant.optional().openapi({ description: 'Start of the first one; absent without any.' }),
    }),
    handle: async ({ parts, query }) => ({ body: (await parts.repricing?.unpriced(query)) ?? { requests: 0 } }),
  }),
  route({
    method: 'post',
    path: '/prices/reprice',
    id: 'repriceRequests',
    summary:
      'Gives requests of a model that had no price the cost at its current price, with correction rows. Budgets do not count them.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'prices.write',
    isGateways: true,
    body: z.strictObject({ provider: Name, model: ModelName }),
    answer: z.object({ requests: z.int() }),
    async handle({ parts, caller, organization, body }) {
      const requests = (await parts.repricing?.reprice(body)) ?? 0
      const target = `${body.provider}/${body.model}`
      // The store uses a separate thread, so the audit entry is written right after the change.
      if (requests > 0)
        await parts.accounts.recordAct(caller, { action: 'price.apply', target, organization, after: { requests } })
      return { body: { requests } }
    },
  }),
]

function shown({ rates, source, ...price }: PriceRow): z.input<typeof PriceOverride> {
  return { ...price, source: source === 'config' ? 'config' : 'store', rates }
}

/** Rates without absent fields. */
function ratesOf(rates: OverrideRates): StoredRates {
  return JSON.parse(JSON.stringify(rates))
}
