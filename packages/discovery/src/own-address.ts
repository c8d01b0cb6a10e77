import { hostname, networkInterfaces } from 'node:os'
import { HeadgateError } from '@headgate/gateway/ports'
import type { Description } from './description.ts'
import type { Discovered } from './discover.ts'
import type { Environment } from './environment.ts'
import { environmentConfig, variablesOf } from './environment.ts'
import type { ProviderState } from './kinds.ts'
import { pathText, together } from './problems.ts'

/** Listening and public addresses of a gateway. */
export interface OwnAddress {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
}

type DiscoveredAddresses = Pick<Discovered, 'providers' | 'backends' | 'search'>

/** Location of a base URL in the configuration, with the adapter whose variables may set it. */
interface PlacedBaseUrl {
  readonly path: readonly PropertyKey[]
  readonly baseUrl: string | undefined
  readonly description?: Pick<Description, 'env'>
}

const FIELD = 'baseUrl'

/** Rejects base URLs that lead back to the gateway itself. @throws HeadgateError that lists them all. */
export function checkAddresses(address: OwnAddress, found: DiscoveredAddresses, environment: Environment): void {
  const all = placesOf(found).filter(({ baseUrl }) => baseUrl !== undefined && isOwnAddress(baseUrl, address))
  const errors = all.map((one) => ownAddress(one, environment))
  const [first] = errors
  if (first) throw errors.length === 1 ? first : together(errors)
}

function ownAddress({ path, baseUrl, description }: PlacedBaseUrl, environment: Environment): HeadgateError {
  const param = pathText([...path, FIELD])
  const variables = description && variableOf(description, baseUrl, environment)
  const advice = variables
    ? `It comes from ${variables}, which is meant for clients of the gateway. Unset it for the gateway, or set ${param} to the provider's own address.`
    : "Set it to the provider's own address."
  return new HeadgateError(
    'invalid-request',
    `${pathText(path)}: its base URL ${baseUrl} is this gateway's own address, so requests would loop. ${advice}`,
    { param },
  )
}

function placesOf({ providers, backends, search }: DiscoveredAddresses): PlacedBaseUrl[] {
  return [
    ...providers.flatMap(placesOfProvider),
    ...backends.map(({ name, entry, adapter: { description } }) => ({
      path: ['search', 'backends', name],
      baseUrl: entry?.backend.baseUrl,
      description,
    })),
    ...Object.entries(search?.engines ?? {}).flatMap(([cx, { backend }]) =>
      typeof backend === 'object' && 'backend' in backend
        ? [{ path: ['search', 'engines', cx], baseUrl: backend.backend.baseUrl }]
        : [],
    ),
  ]
}

/** Base URL of a provider, or the base URLs of its endpoints if they differ. */
function placesOfProvider({ name, entry, adapter: { description } }: ProviderState): PlacedBaseUrl[] {
  const path = ['providers', name]
  const baseUrl = entry?.provider.baseUrl
  const urls = (entry?.endpoints ?? []).map(({ provider }) => (provider ?? entry?.provider)?.baseUrl)
  if (urls.every((url) => url === baseUrl)) return [{ path, baseUrl, description }]
  return urls.map((url, index) => ({ path: [...path, 'endpoints', index], baseUrl: url, description }))
}

/** Variables of the base URL, if the environment sets it. */
function variableOf(
  adapter: Pick<Description, 'env'>,
  baseUrl: string | undefined,
  environment: Environment,
): string | undefined {
  const given = environmentConfig({ env: { [FIELD]: adapter.env[FIELD] ?? [] } }, environment)[FIELD]
  return given?.replace(/\/+$/, '') === baseUrl?.replace(/\/+$/, '') ? variablesOf(adapter, FIELD) : undefined
}

/** True if a URL leads to the listening address, or is below the public URL. */
export function isOwnAddress(baseUrl: string, { host, port, publicUrl }: OwnAddress): boolean {
  const url = URL.parse(baseUrl)
  if (!url) return false
  const shared = publicUrl?.replace(/\/+$/, '')
  if (shared !== undefined && `${url.href}/`.startsWith(`${shared}/`)) return true
  if (url.protocol !== 'http:' || Number(url.port || 80) !== port) return false
  return namesOf(host).includes(bare(url.hostname))
}

const V4 = ['127.0.0.1', 'localhost', '0.0.0.0']
const V6 = ['::1', 'localhost', '::']

/** Names by which this machine reaches a listening host. */
function namesOf(host: string): readonly string[] {
  const name = bare(host.toLowerCase())
  if (name === 'localhost') return [...V4, ...V6]
  if (name === '127.0.0.1') return V4
  if (name === '::1') return V6
  if (name !== '0.0.0.0' && name !== '::') return [name]
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
  return [...V4, ...V6, hostname().toLowerCase(), ...interfaces]
}

/** Host name without the brackets of IPv6 addresses in URLs. */
function bare(name: string): string {
  return name.replace(/^\[|\]$/g, '')
}
