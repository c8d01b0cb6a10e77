import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, ask } from './ask.ts'

export type Model = AnswerOf<'GET /models'>['items'][number]
/** A provider that serves a model. */
export type Server = Model['providers'][number]

/** Rows of a page, and most pages that are read. */
const [ROWS, PAGES] = [1_000, 10]

/** All models that can be called, and who serves them. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  async queryFn({ signal }) {
    const items: Model[] = []
    let cursor: string | undefined
    for (let page = 0; page < PAGES; page += 1) {
      const answer = await ask('GET /models', { signal, query: { limit: ROWS, cursor } })
      items.push(...answer.items)
      cursor = answer.cursor
      if (cursor === undefined) break
    }
    return { items }
  },
  staleTime: 60_000,
})
