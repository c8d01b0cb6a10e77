import { closeSync, openSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Gateway } from '@headgate/gateway'
import type { Log } from './log.ts'
import type { Serving } from './serving.ts'

/** The requests that are open, of the part of the program that serves and of those that a reload has replaced. */
export interface Succession extends Pick<Gateway, 'close' | 'abort' | 'inFlight'> {
  /** The part that serves the next request. @throws TypeError before the first one. */
  current(): Serving
  /** The next request goes to the successor. The part before it ends with its last request. */
  takeOver(successor: Serving): void
}

export function createSuccession(): Succession {
  let current: Serving | undefined
  const ending = new Set<Gateway>()
  const all = (): Gateway[] => (current ? [current.gateway, ...ending] : [])
  return {
    current() {
      if (!current) throw new TypeError('Nothing serves yet.')
      return current
    },
    takeOver(successor) {
      const before = current?.gateway
      current = successor
      if (!before) return
      ending.add(before)
      void before.close().finally(() => ending.delete(before))
    },
    inFlight: () => all().reduce((sum, one) => sum + one.inFlight(), 0),
    async close() {
      await Promise.all(all().map((one) => one.close()))
    },
    abort() {
      for (const one of all()) one.abort()
    },
  }
}

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

/** The part of a service that ends it. */
interface Endable {
  readonly store: { readonly ledger: { abandon(): void; lost(): number } }
  stop(): Promise<void>
}

/** Ends the process and its service. */
export interface Ending {
  /** In order at the first call, at once with this code at the second. */
  end(code: number): void
  /** At once. */
  endNow(code: number): void
  hasBegun(): boolean
}

/**
 * `lostCode`: what the process ends with where all went well but that usage rows are lost. After a bug it ends with 1.
 */
export function createEnding(service: Endable, log: Log, lostCode = 1): Ending {
  let stopping = false
  const endNow = (code: number) => {
    const { ledger } = service.store
    ledger.abandon()
    log.flush()
    process.exit(code === 0 && ledger.lost() > 0 ? lostCode : code)
  }
  const crash = (error: unknown) => {
    log.flush()
    log.logger.fatal(error instanceof Error ? error : new Error(String(error)), 'a bug ended the program')
    endNow(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  return {
    end: (code) => {
      if (stopping) return endNow(code)
      stopping = true
      service.stop().then(() => endNow(0), crash)
    },
    endNow,
    hasBegun: () => stopping,
  }
}

/** What the signals of a process mean to the program. */
export interface SignalHandlers {
  /**
   * SIGTERM, SIGINT, and SIGHUP from a terminal that is gone; `code` is the exit code of a process that ends at once.
   */
  onEnd(signal: string, code: number): void
  /** SIGHUP otherwise. */
  onReload(): void
}

export function handleSignals({ onEnd, onReload }: SignalHandlers): void {
  const hasTerminal = process.stdin.isTTY
  process.on('SIGTERM', () => onEnd('SIGTERM', 128 + 15))
  process.on('SIGINT', () => onEnd('SIGINT', 128 + 2))
  process.on('SIGHUP', () => (hasTerminal && !terminalIsThere() ? onEnd('SIGHUP', 128 + 1) : onReload()))
}

/** The system sends SIGHUP by itself when a terminal is closed. */
function terminalIsThere(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
