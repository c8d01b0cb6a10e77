import { queryOptions } from '@tanstack/react-query'
import { allOf } from './all.ts'
import { callApi, type ResponseOf } from './call.ts'

export type ModelItem = ResponseOf<'GET /models'>['items'][number]
/** Provider that serves a model. */
export type ModelProvider = ModelItem['providers'][number]

/** Models that can be called, with their providers. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => allOf((query) => callApi('GET /models', { signal, query })),
  staleTime: 60_000,
})

export type ProviderStatus = ResponseOf<'GET /providers'>['items'][number]
/** Endpoint of a provider: one credential, base URL and region. */
export type ProviderEndpoint = NonNullable<ProviderStatus['endpoints']>[number]

/** Refetch interval in milliseconds. Cooldowns end without an event. */
const REFETCH_MS = 15_000

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => callApi('GET /providers', { signal }),
  refetchInterval: REFETCH_MS,
})

/** Names of endpoints of providers that have several. */
export function endpointNames(providers: readonly ProviderStatus[]): readonly string[] {
  const names = providers.flatMap(({ endpoints = [] }) => endpoints.flatMap(({ name }) => name ?? []))
  return [...new Set(names)].sort()
}
