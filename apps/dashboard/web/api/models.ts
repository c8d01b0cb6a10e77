import { queryOptions } from '@tanstack/react-query'
import { allOf } from './all.ts'
import { type AnswerOf, ask } from './ask.ts'

export type ModelItem = AnswerOf<'GET /models'>['items'][number]
/** Provider that serves a model. */
export type ModelProvider = ModelItem['providers'][number]

/** Models that can be called, with their providers. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => allOf((query) => ask('GET /models', { signal, query })),
  staleTime: 60_000,
})
