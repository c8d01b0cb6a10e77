import type { SearchFields } from '../../view/search.ts'

export const NOW_SEARCH = {} satisfies SearchFields
