import { HeadgateError, type ProviderInstance } from '@headgate/gateway'
import { createGuard } from '@headgate/gateway/operate'
import type { Settings } from '../config/settings.ts'

/** Time limit of the lookup of a host in milliseconds. */
const LOOKUP = 5_000

/**
 * Hosts that a provider sends its credential to, sorted: origins, and patterns such as `*.example.com`.
 * @throws HeadgateError for an invalid address
 */
export function hostsOf({ baseUrl, hosts = [], credential }: ProviderInstance): readonly string[] {
  const leased = credential.kind === 'signed' ? (credential.lease?.hosts ?? []) : []
  const all = [...(baseUrl === undefined ? [] : [baseUrl]), ...[...hosts, ...leased].map(absolute)]
  return [...new Set(all.map(originOf))].sort()
}

function absolute(host: string): string {
  return host.includes('://') || host.startsWith('*.') ? host : `https://${host}`
}

function originOf(host: string): string {
  if (host.startsWith('*.')) return host
  const url = URL.parse(host)
  if (url && url.username === '' && url.password === '') return url.origin
  throw new HeadgateError('invalid-request', 'The address of the provider is not a valid URL.')
}

/** Addresses that the configuration file names, and that may therefore be private. */
export interface AllowedHosts {
  isAllowed(origin: string): boolean
}

/** Base URLs of providers, with their ports, and the hosts of `accounts.privateHosts`, with all ports. */
export function allowedHosts({ config: { providers = {}, accounts } }: Pick<Settings, 'config'>): AllowedHosts {
  const hosts = new Set((accounts ? (accounts.privateHosts ?? []) : []).map((host) => host.toLowerCase()))
  const urls = Object.values(providers).map(({ baseUrl }) => (typeof baseUrl === 'string' ? URL.parse(baseUrl) : null))
  const origins = new Set(urls.flatMap((url) => url?.origin ?? []))
  return { isAllowed: (origin) => origins.has(origin) || hosts.has(new URL(origin).hostname.replace(/^\[|\]$/g, '')) }
}

/** Origins that are connected to only at public addresses. */
export function guardedOrigins(hosts: readonly string[], { isAllowed }: AllowedHosts): readonly string[] {
  return hosts.filter((host) => !host.startsWith('*.') && !isAllowed(host))
}

/**
 * Checks that the configuration names each origin, or that it is https and has only public addresses.
 * @throws HeadgateError `invalid-request`. Unknown and private hosts have the same message.
 */
export async function checkHosts(hosts: readonly string[], allowed: AllowedHosts): Promise<void> {
  const guard = createGuard()
  for (const origin of guardedOrigins(hosts, allowed)) {
    const url = new URL(origin)
    if (url.protocol !== 'https:')
      throw refused(`${url.host} is not encrypted. Use https, or add the host to \`accounts.privateHosts\``)
    try {
      const client = await guard.connect(url, AbortSignal.timeout(LOOKUP))
      await client.destroy()
    } catch {
      throw refused(`${url.host} has no public address. Check it, or add the host to \`accounts.privateHosts\``)
    }
  }
}

function refused(why: string): HeadgateError {
  return new HeadgateError('invalid-request', `The host ${why} in the configuration file.`, { param: 'values.baseUrl' })
}
