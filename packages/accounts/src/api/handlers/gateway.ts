import { z } from '@hono/zod-openapi'
import { LoadedConfiguration, ManagementFinding, ManagementModel, ManagementProvider } from '../facts.ts'
import { pageFrom } from '../page.ts'
import { visibleProviders } from '../providers.ts'
import { PEOPLE_AND_SCRIPTS, route } from '../route.ts'
import { listOf, PAGE, pageOf } from '../schemas.ts'

export const GATEWAY_ROUTES = [
  route({
    method: 'get',
    path: '/models',
    id: 'listModels',
    summary: 'Lists models with their providers, prices and rate limits.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'providers.read',
    query: z.strictObject(PAGE),
    answer: pageOf(ManagementModel),
    async handle({ parts, query: { limit = 1_000, cursor } }) {
      return { body: pageFrom('models', await parts.facts.models(), ({ id }) => [0, id], { limit, cursor }) }
    },
  }),
  route({
    method: 'get',
    path: '/providers',
    id: 'listProviders',
    summary: 'Lists providers and search backends with their families and health.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'providers.read',
    answer: z.object({ items: listOf(ManagementProvider) }),
    handle: async ({ parts, caller, organization }) => ({
      body: { items: await visibleProviders(parts, caller, organization) },
    }),
  }),
  route({
    method: 'get',
    path: '/configuration',
    id: 'readConfiguration',
    summary: 'Reads the checksum of the configuration file that this node serves with.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'providers.read',
    answer: LoadedConfiguration,
    handle: async ({ parts }) => ({ body: parts.facts.configuration() }),
  }),
  route({
    method: 'get',
    path: '/doctor',
    id: 'checkGateway',
    summary:
      'Runs the checks of `headgate doctor`: configuration, data, store, secret, providers, search, clock. Calls the model list of every provider.',
    by: PEOPLE_AND_SCRIPTS,
    action: 'providers.write',
    isGateways: true,
    answer: z.object({ items: listOf(ManagementFinding) }),
    handle: async ({ parts }) => ({ body: { items: await parts.facts.doctor() } }),
  }),
]
