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
