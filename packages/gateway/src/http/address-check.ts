import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { HeadgateError } from '@headgate/core/errors'
import { buildConnector } from 'undici'
import { isPublicAddress } from './address.ts'

/** Connector that connects to public addresses only. Addresses are checked where they are used, after the lookup. */
export function publicConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: publicLookup } as buildConnector.BuildOptions)
  return (target, done) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    // Node does not look up literal addresses.
    if (isIP(host) > 0 && !isPublicAddress(host)) return done(notPublic(), null)
    connect(target, done)
  }
}

/** Lookup that fails if any address of the host is not public. */
const publicLookup: LookupFunction = (host, options, done) =>
  lookup(host, options, (error, found, family) => {
    if (error) return done(error, found, family)
    const all = typeof found === 'string' ? [found] : found.map(({ address }) => address)
    if (all.length > 0 && all.every(isPublicAddress)) return done(null, found, family)
    done(notPublic(), '', 4)
  })

function notPublic(): HeadgateError {
  return new HeadgateError('upstream', 'The host of the provider has no public address. Check its base URL.')
}
