import { queryOptions } from '@tanstack/react-query'
import { callApi, type ResponseOf } from '../../api/call.ts'
import { readRange } from '../../view/ranges.ts'
import { parseSearch, searchOf, writeSearch } from '../../view/search.ts'
import { REQUESTS_SEARCH, type RequestsSearch } from './search.ts'

export type ViewItem = ResponseOf<'GET /views'>['items'][number]

/** Saved views of the list, of the user and of the team. */
export const viewsQuery = queryOptions({
  queryKey: ['views', 'requests'],
  queryFn: ({ signal }) => callApi('GET /views', { signal, query: { page: 'requests' } }),
  staleTime: 60_000,
})

/** Part of an address that a view contains. */
export type ViewSearch = Omit<RequestsSearch, 'row' | 'tab' | 'by'> & { readonly range?: string | undefined }

const { row: _, tab: __, by: ___, ...FIELDS } = REQUESTS_SEARCH
const read = searchOf({ ...FIELDS, range: readRange })

/** Filters, order, columns and time range of a saved view. Invalid ones are dropped. */
export function readView({ search }: Pick<ViewItem, 'search'>): ViewSearch {
  return read(parseSearch(search))
}

/** Query of a view, for storage. */
export function writeView(search: Readonly<Record<string, unknown>>): string {
  return writeSearch(read(search)).replace(/^\?/, '')
}
