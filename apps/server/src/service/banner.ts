import type { AddressInfo } from 'node:net'
import type { ProviderState } from '../adapters/providers.ts'
import type { Settings } from '../config/settings.ts'

export interface BannerFacts {
  readonly version: string
  readonly url: string
  readonly settings: Settings
  readonly states: readonly ProviderState[]
}

/** What the program says when it has started: where it listens, with which providers and why. */
export function banner({ version, url, settings, states }: BannerFacts): string {
  const enabled = states.filter(({ entry }) => entry).map(({ name, why }) => `${name} (${why})`)
  const rows = [
    ['listening', `${url} (${reach(settings.host)})`],
    ...(settings.publicUrl ? [['public URL', settings.publicUrl]] : []),
    ['providers', enabled.length > 0 ? enabled.join(', ') : 'none: `headgate adapters` says why'],
    ['config', settings.file ?? 'none'],
    ['data', settings.dataDir],
  ]
  return `headgate ${version}\n${rows.map(([label = '', text]) => `  ${label.padEnd(11)}${text}\n`).join('')}`
}

function reach(host: string): string {
  if (isLoopback(host)) return 'this machine only; HOST=0.0.0.0 opens it to others'
  return isEverywhere(host) ? 'every interface of this machine' : host
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** A URL under which this machine reaches what listens at an address. */
export function localUrl({ address, family, port }: AddressInfo): string {
  if (isEverywhere(address)) return `http://127.0.0.1:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}

/** The first key, with a request that works as it is printed. */
export function firstKeyText(key: string, url: string, model: string | undefined): string {
  const intro = `\nYour API key, shown this once:\n\n  ${key}\n`
  return model === undefined ? `${intro}\n` : `${intro}\nTry it:\n\n${curl(key, url, model)}\n\n`
}

function curl(key: string, url: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] })
  return [
    `curl ${url}/v1/chat/completions`,
    `  -H "Authorization: Bearer ${key}"`,
    '  -H "Content-Type: application/json"',
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ].join(' \\\n')
}
