import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type HeadgateError, invalid } from '@headgate/core/errors'
import type { Client } from 'undici'
import { connectTo } from '#transport'
import { isPublicAddress } from './address.ts'

export interface Address {
  readonly address: string
  readonly family: number
}

/**
 * Opens a connection to an origin, only at the checked addresses. Rejects with HeadgateError if the runtime cannot do
 * that.
 */
export type Connect = (origin: string, checked: () => Promise<readonly Address[]>) => Promise<Client>

export interface GuardOptions {
  /** Hosts whose addresses may be private. */
  readonly allowPrivate?: readonly string[] | undefined
  /** Address lookup; default: the system's resolver. */
  readonly resolve?: ((host: string) => Promise<readonly Address[]>) | undefined
}

/** Connections to hosts that others have named, limited to public addresses. */
export interface Guard {
  /**
   * Opens a connection to the host of a URL. The host is resolved once, and the connection uses a checked address, so
   * that it cannot change in between. The caller must destroy the connection. Rejects with HeadgateError, or with the
   * reason of the signal.
   */
  connect(url: URL, signal: AbortSignal): Promise<Client>
}

/** Error for a blocked URL; `why` is the end of a sentence about it. */
export function refused(why: string): HeadgateError {
  return invalid(undefined, why)
}

/**
 * Parses a URL.
 * @throws HeadgateError for a URL that is never fetched, whichever host it names
 */
export function checkedUrl(source: string, base?: URL): URL {
  const url = URL.parse(source, base?.href)
  if (!url) throw refused(base ? 'it redirects to an invalid URL' : 'it is not a valid URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('only http and https URLs are allowed')
  if (url.username !== '' || url.password !== '') throw refused('URLs with a user name or a password are not allowed')
  return url
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

function originOf({ protocol, port }: URL, host: string): string {
  return `${protocol}//${isIP(host) === 6 ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`
}

/** A promise that also rejects when the signal aborts. */
function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function systemAddresses(host: string): Promise<readonly Address[]> {
  return lookup(host, { all: true })
}

/**
 * Creates a guard for URLs from callers and upstreams. It does not use a proxy, which would resolve the host again.
 *
 * @example
 * ```ts
 * const guard = createGuard()
 * const client = await guard.connect(new URL('https://example.com/a.png'), AbortSignal.timeout(10_000))
 * ```
 */
export function createGuard({ allowPrivate = [], resolve = systemAddresses }: GuardOptions = {}): Guard {
  const exempt = new Set(allowPrivate.map((host) => host.toLowerCase().replace(/\.$/, '')))

  /**
   * Checked addresses of a host. Unknown and private hosts get the same error, so that callers learn nothing about the
   * network.
   */
  const addressesOf = async (host: string, signal: AbortSignal): Promise<readonly Address[]> => {
    const family = isIP(host)
    const found = family > 0 ? [{ address: host, family }] : await until(signal, resolve(host)).catch(() => [])
    signal.throwIfAborted()
    if (found.length > 0 && (exempt.has(host) || found.every(({ address }) => isPublicAddress(address)))) return found
    throw refused(`the host ${host.slice(0, 100)} has no public address`)
  }

  return {
    connect(url, signal) {
      const host = hostOf(url)
      return connectTo(originOf(url, host), () => addressesOf(host, signal))
    },
  }
}
