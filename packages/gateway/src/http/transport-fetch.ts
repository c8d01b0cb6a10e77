import { invalid } from '@headgate/core/errors'
import type { Connect } from './guard.ts'

/** Transport for runtimes without undici, which uses the runtime's fetch. There, `#transport` resolves to this file. */
export { createUpstreams } from './fetch-upstream.ts'

export const connectTo: Connect = async () => {
  throw invalid(undefined, 'this runtime cannot pin a connection to the address that was checked')
}

/** Large bodies do not wait for each other: a Worker's requests cannot continue each other's work. */
export const takeTurn = async <T>(job: () => T): Promise<T> => job()
