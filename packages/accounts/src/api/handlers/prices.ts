import type { PriceRow, StoredRates } from '@headgate/store/sql'
import { z } from '@hono/zod-openapi'
import { pageFrom } from '../page.ts'
import { type OverrideRates, PriceOverride, StoredRates as Rates } from '../prices.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { Name, PAGE, pageOf } from '../schemas.ts'

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
]

function shown({ rates, source, ...price }: PriceRow): z.input<typeof PriceOverride> {
  return { ...price, source: source === 'config' ? 'config' : 'store', rates }
}

/** Rates without absent fields. */
function ratesOf(rates: OverrideRates): StoredRates {
  return JSON.parse(JSON.stringify(rates))
}
