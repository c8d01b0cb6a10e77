import { queryOptions } from '@tanstack/react-query'
import { allOf } from './all.ts'
import { type AnswerOf, ask } from './ask.ts'

export type Model = AnswerOf<'GET /models'>['items'][number]
/** A provider that serves a model. */
export type Server = Model['providers'][number]

/** All models that can be called, and who serves them. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => allOf((query) => ask('GET /models', { signal, query })),
  staleTime: 60_000,
})
