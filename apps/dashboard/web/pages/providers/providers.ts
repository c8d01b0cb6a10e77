import type { ProviderEndpoint, ProviderStatus } from '../../api/models.ts'
import { duration } from '../../formats/durations.ts'
import { count, counted } from '../../formats/numbers.ts'

export type { ProviderEndpoint, ProviderStatus } from '../../api/models.ts'
export type ProviderStateName = ProviderStatus['state']

/** Sorts providers: in cooldown, with an endpoint in cooldown, with an error, then all others. */
export function byNeed(all: readonly ProviderStatus[]): readonly ProviderStatus[] {
  return all.toSorted((one, other) => need(one) - need(other) || one.name.localeCompare(other.name))
}

function need({ state, lastError, endpoints = [] }: ProviderStatus): number {
  if (state === 'resting') return 0
  if (endpoints.some((endpoint) => endpoint.state === 'resting')) return 1
  return lastError ? 2 : 3
}

/** Error in one line: `overloaded, status 503, code overloaded_error`. */
export function troubleText({ kind, status, code }: NonNullable<ProviderStatus['lastError']>): string {
  return [
    kind,
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(code === undefined ? [] : [`code ${code}`]),
  ].join(', ')
}

/** Calls of an endpoint in one line: `1,204 calls in 30 minutes, 3 failed, 2 in flight`. */
export function healthText({ recent, inFlight = 0 }: Pick<ProviderEndpoint, 'recent' | 'inFlight'>): string {
  const calls = recent
    ? `${counted(recent.calls, 'call')} in 30 minutes, ${recent.failures === 0 ? 'none' : count(recent.failures)} failed`
    : 'No calls in 30 minutes'
  return inFlight > 0 ? `${calls}, ${count(inFlight)} in flight` : calls
}

type EndpointLimit = NonNullable<ProviderEndpoint['limits']>[number]

/** Upstream limit in one line: `80 requests left, resets in 12.0 s`. */
export function limitText({ concurrent, requests, tokens, resetAt }: EndpointLimit, now: number): string {
  return [
    ...(requests === undefined ? [] : [`${counted(requests, 'request')} left`]),
    ...(tokens === undefined ? [] : [`${counted(tokens, 'token')} left`]),
    ...(resetAt === undefined || resetAt <= now ? [] : [`resets in ${duration(resetAt - now)}`]),
    ...(concurrent === undefined ? [] : [`at most ${count(concurrent)} concurrent`]),
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
