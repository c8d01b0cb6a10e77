import { queryOptions } from '@tanstack/react-query'
import { allOf } from './all.ts'
import { callApi, type ResponseOf } from './call.ts'

export type BudgetItem = ResponseOf<'GET /budgets'>['items'][number]

/** Budgets that the user can see. */
export const budgetsQuery = queryOptions({
  queryKey: ['budgets', 'all'],
  queryFn: ({ signal }) => allOf((query) => callApi('GET /budgets', { signal, query })),
})

export type SharedBudgetItem = ResponseOf<'GET /budgets/shared'>['items'][number]

/** Budgets of others that restrict the user's keys. */
export const sharedBudgetsQuery = queryOptions({
  queryKey: ['budgets', 'shared'],
  queryFn: ({ signal }) => callApi('GET /budgets/shared', { signal }),
})
