import { z } from '@hono/zod-openapi'
import { Finding, Model, Provider } from '../facts.ts'
import { pageFrom } from '../page.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { listOf, PAGE, pageOf } from '../schemas.ts'

export const GATEWAY_ROUTES = [
  route({
    method: 'get',
    path: '/models',
    id: 'listModels',
    summary: 'Models, who serves them, what they cost, and how much may be asked of them.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'providers.read',
    query: z.strictObject(PAGE),
    answer: pageOf(Model),
    async handle({ parts, query: { limit = 1_000, cursor } }) {
      return { body: pageFrom('models', await parts.facts.models(), ({ id }) => [0, id], { limit, cursor }) }
    },
  }),
  route({
    method: 'get',
    path: '/providers',
    id: 'listProviders',
    summary: 'Providers and search backends, what they serve, and how they are.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'providers.read',
    answer: z.object({ items: listOf(Provider) }),
    handle: async ({ parts }) => ({ body: { items: await parts.facts.providers() } }),
  }),
  route({
    method: 'get',
    path: '/doctor',
    id: 'checkGateway',
    summary:
      'What `headgate doctor` finds: configuration, data, store, secret, providers, search, clock. Asks every provider for its list of models.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'providers.write',
    isGateways: true,
    answer: z.object({ items: listOf(Finding) }),
    handle: async ({ parts }) => ({ body: { items: await parts.facts.doctor() } }),
  }),
]
