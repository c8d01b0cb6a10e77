import { HeadgateError } from '../errors.ts'
import type { Upstream } from './provider.ts'

/** A path of an adapter as a whole URL. */
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
 * The URL of a request, at a host to which the credential may go: that of the base URL, or a declared one. What an
 * answer names is no reason to send a key there.
 * @throws HeadgateError where it may not.
 */
export function targetOf({ baseUrl, hosts = [] }: Pick<Upstream, 'baseUrl' | 'hosts'>, path: string): URL {
  const whole = absolute(baseUrl, path)
  if (!URL.canParse(whole))
    throw new HeadgateError('upstream', 'The provider is asked under something that is no URL. Check its base URL.')
  const url = new URL(whole)
  const isOwn = baseUrl !== undefined && URL.canParse(baseUrl) && new URL(baseUrl).origin === url.origin
  if (isOwn || hosts.some((declared) => isDeclared(declared, url))) return url
  throw new HeadgateError(
    'upstream',
    `A request was to go to ${url.host}, which is no host of this provider: its credential stays here.`,
  )
}
