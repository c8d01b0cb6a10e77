import type { ProviderEndpoint, ProviderStatus } from '../../api/models.ts'
import { failureText } from '../../failures.ts'
import { duration } from '../../formats/durations.ts'
import { count, counted } from '../../formats/numbers.ts'

export type { ProviderEndpoint, ProviderStatus } from '../../api/models.ts'
export type ProviderStateName = ProviderStatus['state']

/** States from the most to the least urgent. */
const URGENCY: readonly ProviderStateName[] = [
  'failing',
  'degraded',
  'cooldown',
  'healthy',
  'unknown',
  'no-credential',
  'off',
]

/** Sorts providers by the urgency of their state or of their worst endpoint, then by name. */
export function byNeed(all: readonly ProviderStatus[]): readonly ProviderStatus[] {
  return all.toSorted((one, other) => need(one) - need(other) || one.name.localeCompare(other.name))
}

function need({ state, endpoints = [] }: ProviderStatus): number {
  const worst = Math.min(...endpoints.map((endpoint) => URGENCY.indexOf(endpoint.state)))
  // A failing endpoint of a healthy provider comes right after providers in trouble.
  const isHidden = worst < URGENCY.indexOf('healthy')
  return Math.min(URGENCY.indexOf(state), isHidden ? URGENCY.indexOf('cooldown') : URGENCY.length)
}

/** Returns whether a provider or one of its endpoints fails, is degraded or in cooldown. */
export function isInTrouble(provider: ProviderStatus): boolean {
  return need(provider) <= URGENCY.indexOf('cooldown')
}

/** Share of failed calls of the last 15 minutes; null = no calls. */
export function failedShare({ calls = 0, failed = 0 }: Pick<ProviderStatus, 'calls' | 'failed'>): number | null {
  return calls === 0 ? null : failed / calls
}

/** Error in one line: `provider overloaded, status 503, code overloaded_error`. */
export function troubleText({ kind, status, code }: NonNullable<ProviderStatus['lastError']>): string {
  return [
    failureText(kind),
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(code === undefined ? [] : [`code ${code}`]),
  ].join(', ')
}

/** Calls in one line: `1,204 calls in 15 minutes, 3 failed, 2 in flight`. */
export function healthText({
  calls = 0,
  failed = 0,
  inFlight = 0,
}: Pick<ProviderEndpoint, 'calls' | 'failed' | 'inFlight'>): string {
  const text =
    calls > 0
      ? `${counted(calls, 'call')} in 15 minutes, ${failed === 0 ? 'none' : count(failed)} failed`
      : 'No calls in 15 minutes'
  return inFlight > 0 ? `${text}, ${count(inFlight)} in flight` : text
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
export function isUsed({ state }: Pick<ProviderStatus, 'state'>): boolean {
  return state !== 'no-credential' && state !== 'off'
}

/** Environment variables of a provider and whether they are set, keys and tokens first. */
export function variablesOf({
  variables = [],
}: Pick<ProviderStatus, 'variables'>): readonly { readonly name: string; readonly isSet: boolean }[] {
  const rank = ({ name }: { readonly name: string }): number => (/(_API_KEY|_TOKEN|_KEY)$/.test(name) ? 0 : 1)
  return [...variables].sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
}
