import { hostname, networkInterfaces } from 'node:os'
import { HeadgateError } from '@headgate/gateway/ports'
import type { Description } from './description.ts'
import type { Discovered } from './discover.ts'
import type { Environment } from './environment.ts'
import { environmentConfig, variablesOf } from './environment.ts'
import { pathText, together } from './problems.ts'

/** Where a gateway listens, and where people reach it. */
export interface OwnAddress {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
}

type Places = Pick<Discovered, 'providers' | 'backends' | 'search'>

/** What has a base URL: where the configuration names it, and the adapter whose variables may have given it. */
interface Placed {
  readonly path: readonly string[]
  readonly baseUrl: string | undefined
  readonly description?: Pick<Description, 'env'>
}

const FIELD = 'baseUrl'

/**
 * Refuses base URLs that are the gateway's own address: it would send each request to itself. @throws HeadgateError
 * that names them all.
 */
export function checkAddresses(address: OwnAddress, found: Places, environment: Environment): void {
  const all = placesOf(found).filter(({ baseUrl }) => baseUrl !== undefined && isOwnAddress(baseUrl, address))
  const errors = all.map((one) => ownAddress(one, environment))
  const [first] = errors
  if (first) throw errors.length === 1 ? first : together(errors)
}

function ownAddress({ path, baseUrl, description }: Placed, environment: Environment): HeadgateError {
  const param = pathText([...path, FIELD])
  const variables = description && variableOf(description, baseUrl, environment)
  const advice = variables
    ? `It comes from ${variables}, which clients of the gateway need and the gateway does not: unset it where the gateway is started, or write the provider's own address to ${param}.`
    : "Write the provider's own address there."
  return new HeadgateError(
    'invalid-request',
    `${pathText(path)}: its base URL ${baseUrl} is this gateway's own address, so that every request to it would come back. ${advice}`,
    { param },
  )
}

function placesOf({ providers, backends, search }: Places): Placed[] {
  return [
    ...providers.map(({ name, entry, adapter: { description } }) => ({
      path: ['providers', name],
      baseUrl: entry?.provider.baseUrl,
      description,
    })),
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

/** The variables of the base URL, if it is the environment that gives it. */
function variableOf(
  adapter: Pick<Description, 'env'>,
  baseUrl: string | undefined,
  environment: Environment,
): string | undefined {
  const given = environmentConfig({ env: { [FIELD]: adapter.env[FIELD] ?? [] } }, environment)[FIELD]
  return given?.replace(/\/+$/, '') === baseUrl?.replace(/\/+$/, '') ? variablesOf(adapter, FIELD) : undefined
}

/** Whether a URL leads to what listens at an address, or is below its public URL. */
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

/** Names by which this machine reaches what listens at a host. */
function namesOf(host: string): readonly string[] {
  const name = bare(host.toLowerCase())
  if (name === 'localhost') return [...V4, ...V6]
  if (name === '127.0.0.1') return V4
  if (name === '::1') return V6
  if (name !== '0.0.0.0' && name !== '::') return [name]
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
  return [...V4, ...V6, hostname().toLowerCase(), ...interfaces]
}

/** An IPv6 address without the brackets that URLs have around it. */
function bare(name: string): string {
  return name.replace(/^\[|\]$/g, '')
}
