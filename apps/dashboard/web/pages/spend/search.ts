import type { SearchFields } from '../../view/search.ts'

export const SPEND_SEARCH = {} satisfies SearchFields
