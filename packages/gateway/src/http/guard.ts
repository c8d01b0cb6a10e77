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
 * Opens a connection to an origin, at the checked addresses only. Rejects with HeadgateError where the runtime cannot
 * do that.
 */
export type Connect = (origin: string, checked: () => Promise<readonly Address[]>) => Promise<Client>

export interface GuardOptions {
  /** Hosts whose addresses need not be public. */
  readonly allowPrivate?: readonly string[] | undefined
  /** The addresses of a host; by default those that the system knows. */
  readonly resolve?: ((host: string) => Promise<readonly Address[]>) | undefined
}

/** Connections to what somebody else has named: to public addresses only. */
export interface Guard {
  /**
   * A connection to the host of a URL, which is resolved once: it leads to an address that was checked, so that it can
   * not change in between. Rejects with HeadgateError, or with the reason of the signal. Whoever asks for it destroys
   * it.
   */
  connect(url: URL, signal: AbortSignal): Promise<Client>
}

/** What keeps a URL from being asked, as the end of a sentence that names it. */
export function refused(why: string): HeadgateError {
  return invalid(undefined, why)
}

/** @throws HeadgateError for a URL that is never asked, whatever it leads to. */
export function checkedUrl(source: string, base?: URL): URL {
  const url = URL.parse(source, base?.href)
  if (!url) throw refused(base ? 'it redirects to something that is no URL' : 'it is no URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('only http and https are fetched')
  if (url.username !== '' || url.password !== '') throw refused('a URL with a user name or a password is not fetched')
  return url
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

function originOf({ protocol, port }: URL, host: string): string {
  return `${protocol}//${isIP(host) === 6 ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`
}

/** A promise that ends with the signal, where what it waits for does not. */
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

/** Guards what callers and upstreams name. It does not go through a proxy, which would resolve anew. */
export function createGuard({ allowPrivate = [], resolve = systemAddresses }: GuardOptions = {}): Guard {
  const exempt = new Set(allowPrivate.map((host) => host.toLowerCase().replace(/\.$/, '')))

  /**
   * What answers for a host. One answer for what is not known and what is not public, so that callers learn nothing of
   * a network.
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
