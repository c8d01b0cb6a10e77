import type { SearchFields } from '../../view/search.ts'

export const EXPLAIN_SEARCH = {} satisfies SearchFields
