import type { AddressInfo } from 'node:net'
import type { PublicAddress } from '@headgate/accounts'
import type { SearchEngine } from '@headgate/gateway'
import type { Dotenv } from '../config/dotenv.ts'
import type { Settings } from '../config/settings.ts'
import type { Inventory } from './inventory.ts'

export interface BannerFacts {
  readonly version: string
  readonly url: string
  /** Address of the metrics, if they have a separate port. */
  readonly metricsUrl?: string | undefined
  /** Address of the health port, if there is one. */
  readonly healthUrl?: string | undefined
  /** Address of the dashboard, if there is one. */
  readonly dashboardUrl?: string | undefined
  readonly settings: Settings
  readonly inventory: Inventory
  readonly dotenv?: Dotenv | undefined
}

/** Text printed at the start: addresses, providers and search backends with the reason for each. */
export function banner({
  version,
  url,
  metricsUrl,
  healthUrl,
  dashboardUrl,
  settings,
  inventory: { providers, backends, search, installable },
  dotenv,
}: BannerFacts): string {
  const engines = Object.entries(search?.engines ?? {}).map(([cx, { backend }]) => `${cx} (${backendName(backend)})`)
  const rows = [
    ['listening', `${url} (${reach(settings.host)})`],
    ...(settings.publicUrl ? [['public URL', settings.publicUrl]] : []),
    ...(dashboardUrl ? [['dashboard', dashboardUrl]] : []),
    ...(metricsUrl ? [['metrics', metricsUrl]] : []),
    ...(healthUrl ? [['health', healthUrl]] : []),
    ['providers', enabledText(providers)],
    ['search', enabledText(backends)],
    ...(installable === undefined ? [] : [['to install', installable]]),
    ...(engines.length > 0 ? [['engines', engines.join(', ')]] : []),
    ...(settings.workers > 1 ? [['workers', String(settings.workers)]] : []),
    ['config', settings.file ?? 'none'],
    ...(dotenv && !dotenv.refusal
      ? [['env file', `${dotenv.file} (${dotenv.count} ${dotenv.count === 1 ? 'variable' : 'variables'})`]]
      : []),
    ['data', settings.dataDir],
  ]
  return `headgate ${version}\n${rows.map(([label = '', text]) => `  ${label.padEnd(11)}${text}\n`).join('')}`
}

function enabledText(states: Inventory['providers'] | Inventory['backends']): string {
  const enabled = states.flatMap(({ name, entry, why }) => (entry ? [`${name} (${why})`] : []))
  return enabled.length > 0 ? enabled.join(', ') : 'none (see `headgate adapters`)'
}

function backendName(backend: SearchEngine['backend']): string {
  if (typeof backend === 'string') return backend
  return backend.name ?? ('backend' in backend ? backend.backend.name : '')
}

function reach(host: string): string {
  if (isLoopback(host)) return 'this machine only; set HOST=0.0.0.0 to open it to others'
  return isEverywhere(host) ? 'every interface of this machine' : host
}

/** True if links to the gateway lead to the host it listens on. */
export function isReached(
  { host }: Pick<Settings, 'host'>,
  { isConfigured }: Pick<PublicAddress, 'isConfigured'>,
): boolean {
  return isConfigured || isLoopback(host) || isEverywhere(host)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** URL at which this machine reaches a listening address. `isSecure`: HTTPS. Default: HTTP. */
export function localUrl({ address, family, port }: AddressInfo, isSecure = false): string {
  const scheme = isSecure ? 'https' : 'http'
  if (isEverywhere(address)) return `${scheme}://127.0.0.1:${port}`
  return family === 'IPv6' ? `${scheme}://[${address}]:${port}` : `${scheme}://${address}:${port}`
}

export interface FirstKey {
  readonly key: string
  readonly url: string
  /** Model that can be called; absent if none is known. */
  readonly model?: string | undefined
  /** True if a search backend is enabled. */
  readonly searches: boolean
}

/** First key, with example requests that work as printed. */
export function firstKeyText({ key, url, model, searches }: FirstKey): string {
  const intro = `\nYour API key (shown only once):\n\n  ${key}\n`
  const requests = [
    ...(model === undefined ? [] : [chatCurl(key, url, model)]),
    ...(searches ? [searchCurl(key, url)] : []),
  ]
  return requests.length === 0 ? `${intro}\n` : `${intro}\nTry it:\n\n${requests.join('\n\n')}\n\n`
}

function searchCurl(key: string, url: string): string {
  return [`curl "${url}/customsearch/v1?q=routing"`, `  -H "Authorization: Bearer ${key}"`].join(' \\\n')
}

function chatCurl(key: string, url: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] })
  return [
    `curl ${url}/v1/chat/completions`,
    `  -H "Authorization: Bearer ${key}"`,
    '  -H "Content-Type: application/json"',
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ].join(' \\\n')
}
