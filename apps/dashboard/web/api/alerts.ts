import { queryOptions } from '@tanstack/react-query'
import { callApi, type ResponseOf } from './call.ts'

/** Destination of alerts, without its URL. */
export type DestinationItem = ResponseOf<'GET /alerts/destinations'>['items'][number]

export const destinationsQuery = queryOptions({
  queryKey: ['alert-destinations'],
  queryFn: ({ signal }) => callApi('GET /alerts/destinations', { signal }),
})
