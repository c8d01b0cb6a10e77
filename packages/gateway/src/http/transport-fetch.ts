import { invalid } from '@headgate/core/errors'
import type { Connect } from './guard.ts'

/**
 * How the gateway connects where undici does not work: through the runtime's own fetch. It imports this file as
 * `#transport` there.
 */
export { createUpstreams } from './fetch-upstream.ts'

export const connectTo: Connect = async () => {
  throw invalid(undefined, 'this runtime cannot pin a connection to the address that was checked')
}

/** Large bodies do not wait for each other: a Worker's requests cannot continue each other's work. */
export const takeTurn = async <T>(job: () => T): Promise<T> => job()
