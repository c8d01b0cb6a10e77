import { HeadgateError } from '../errors.ts'
import type { Upstream } from './provider.ts'

/** URL of a path that is relative to the base URL, or of an absolute URL. */
export function absolute(baseUrl: string | undefined, url: string): string {
  if (/^https?:\/\//.test(url)) return url
  return `${(baseUrl ?? '').replace(/\/+$/, '')}${url}`
}

function isDeclared(declared: string, url: URL): boolean {
  if (declared.includes('://')) return new URL(declared).origin === url.origin
  if (url.protocol !== 'https:') return false
  return declared.startsWith('*.') ? url.host.endsWith(declared.slice(1)) : url.host === declared
}

/**
 * URL of a request. Its host must be the host of the base URL or a declared host, since the credential goes with it; a
 * host that a response names is not allowed.
 * @throws HeadgateError if the host is not allowed.
 * @example targetOf({ baseUrl: 'https://api.example.com/v1' }, '/models') // https://api.example.com/v1/models
 */
export function targetOf({ baseUrl, hosts = [] }: Pick<Upstream, 'baseUrl' | 'hosts'>, path: string): URL {
  const whole = absolute(baseUrl, path)
  if (!URL.canParse(whole))
    throw new HeadgateError('upstream', 'The URL of the provider is not valid. Check its base URL.')
  const url = new URL(whole)
  const isOwn = baseUrl !== undefined && URL.canParse(baseUrl) && new URL(baseUrl).origin === url.origin
  if (isOwn || hosts.some((declared) => isDeclared(declared, url))) return url
  throw new HeadgateError(
    'upstream',
    `Blocked a request to ${url.host}, which is not a declared host of this provider. The credential was not sent.`,
  )
}
