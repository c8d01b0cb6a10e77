import { invalid } from '@headgate/core/errors'
import type { Connect } from './guard.ts'

/**
 * How core connects where undici does not work: through the runtime's own fetch. Core imports this file as `#transport`
 * there.
 */
export { createUpstreams } from './fetch-upstream.ts'

export const connectTo: Connect = async () => {
  throw invalid(undefined, 'this runtime cannot pin a connection to the address that was checked')
}
