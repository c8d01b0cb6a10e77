import { queryOptions } from '@tanstack/react-query'
import { callApi, type ResponseOf } from '../../api/call.ts'

export type ProviderStatus = ResponseOf<'GET /providers'>['items'][number]
export type ProviderStateName = ProviderStatus['state']

/** Refetch interval in milliseconds. Cooldowns end without an event. */
const REFETCH_MS = 15_000

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => callApi('GET /providers', { signal }),
  refetchInterval: REFETCH_MS,
})

/** Sorts providers: in cooldown, with an error, then all others. */
export function byNeed(all: readonly ProviderStatus[]): readonly ProviderStatus[] {
  return all.toSorted((one, other) => need(one) - need(other) || one.name.localeCompare(other.name))
}

function need({ state, lastError }: ProviderStatus): number {
  if (state === 'resting') return 0
  return lastError ? 1 : 2
}

/** Error in one line: `overloaded, status 503, code overloaded_error`. */
export function troubleText({ kind, status, code }: NonNullable<ProviderStatus['lastError']>): string {
  return [
    kind,
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(code === undefined ? [] : [`code ${code}`]),
  ].join(', ')
}

/** Returns whether a provider is enabled. */
export function isUsed({ state }: ProviderStatus): boolean {
  return state === 'up' || state === 'resting'
}

/** Environment variables of a provider and whether they are set, keys and tokens first. */
export function variablesOf({
  variables = [],
}: Pick<ProviderStatus, 'variables'>): readonly { readonly name: string; readonly isSet: boolean }[] {
  const rank = ({ name }: { readonly name: string }): number => (/(_API_KEY|_TOKEN|_KEY)$/.test(name) ? 0 : 1)
  return [...variables].sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
}
