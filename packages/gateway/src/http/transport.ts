import { Client } from 'undici'
import type { Connect } from './guard.ts'

/**
 * Transport for Node: undici connections, and turns for large bodies. `#transport` resolves to this file; Bun and edge
 * runtimes get `transport-fetch.ts` instead.
 */
export { takeTurn } from './turns.ts'
export { createUpstreams } from './upstream.ts'

export const connectTo: Connect = async (origin, checked) => {
  const addresses = await checked()
  const [first] = addresses
  return new Client(origin, {
    allowH2: false,
    connect: {
      lookup: (_, { all }, done) => {
        if (all) done(null, [...addresses])
        else done(null, first?.address ?? '', first?.family)
      },
    },
  })
}
