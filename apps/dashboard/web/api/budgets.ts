import { queryOptions } from '@tanstack/react-query'
import { allOf } from './all.ts'
import { type AnswerOf, ask } from './ask.ts'

export type BudgetItem = AnswerOf<'GET /budgets'>['items'][number]

/** Budgets that the user can see. */
export const budgetsQuery = queryOptions({
  queryKey: ['budgets', 'all'],
  queryFn: ({ signal }) => allOf((query) => ask('GET /budgets', { signal, query })),
})
