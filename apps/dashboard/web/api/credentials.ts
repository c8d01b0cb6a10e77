import { queryOptions } from '@tanstack/react-query'
import { callApi, type ResponseOf } from './call.ts'

/** Source of a provider's credential, without its values. */
export type ProviderCredential = ResponseOf<'GET /providers/credentials'>['items'][number]

export const credentialsQuery = queryOptions({
  queryKey: ['providers', 'credentials'],
  queryFn: ({ signal }) => callApi('GET /providers/credentials', { signal }),
})
