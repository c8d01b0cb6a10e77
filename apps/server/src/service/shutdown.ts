import type { Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'

export interface ShutdownParts {
  readonly server: Server
  /** What is being answered, and by whom. */
  readonly open: readonly Pick<Gateway, 'close' | 'abort' | 'inFlight'>[]
  /** How long what is open may go on, in milliseconds. */
  readonly limit: number
}

/** How long what has ended may take to be gone, in milliseconds. */
const GRACE = 2_000

/**
 * Ends the service: takes no new connection, lets what is open end within the limit, then aborts it.
 * Resolves with the number of requests that were aborted.
 */
export async function shutDown({ server, open, limit }: ShutdownParts): Promise<number> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const drained = Promise.all(open.map((one) => one.close()))
  const inTime = await within(limit, drained)
  const aborted = inTime ? 0 : open.reduce((sum, one) => sum + one.inFlight(), 0)
  if (!inTime) {
    for (const one of open) one.abort()
    await within(GRACE, drained)
  }
  // Last bytes of answers may still be on their way; a connection is idle once they are gone.
  const sweep = setInterval(() => server.closeIdleConnections(), 10)
  if (!(await within(GRACE, closed))) server.closeAllConnections()
  clearInterval(sweep)
  await closed
  return aborted
}

async function within(limit: number, done: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), limit)
  done.then(() => resolve(true))
  const inTime = await promise
  clearTimeout(timer)
  return inTime
}
