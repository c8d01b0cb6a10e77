import { closeSync, openSync } from 'node:fs'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Gateway } from '@headgate/gateway'
import type { Log } from './log.ts'
import type { Serving } from './serving.ts'

/** Open requests of the serving part and of parts replaced by a reload. */
export interface Handover extends Pick<Gateway, 'close' | 'abort' | 'health' | 'inFlight' | 'waiting'> {
  /** Part that serves the next request. @throws TypeError before the first `takeOver`. */
  current(): Serving
  /** Sends the next request to the successor. The previous part ends with its last request. */
  takeOver(successor: Serving): void
}

export function createHandover(): Handover {
  let current: Serving | undefined
  const ending = new Set<Gateway>()
  const all = (): Gateway[] => (current ? [current.gateway, ...ending] : [])
  return {
    current() {
      if (!current) throw new TypeError('No gateway is serving yet.')
      return current
    },
    takeOver(successor) {
      const before = current?.gateway
      current = successor
      if (!before) return
      ending.add(before)
      void before.close().finally(() => ending.delete(before))
    },
    health: () => current?.gateway.health() ?? [],
    inFlight: () => all().reduce((sum, one) => sum + one.inFlight(), 0),
    waiting: (serviceClass) => all().reduce((sum, one) => sum + one.waiting(serviceClass), 0),
    async close() {
      await Promise.all(all().map((one) => one.close()))
    },
    abort() {
      for (const one of all()) one.abort()
    },
  }
}

/** Responses of a server that are open, so that they can close their connections. */
export interface OpenResponses {
  /** Adds a response that begins. */
  add(response: ServerResponse): void
  /**
   * Sends `connection: close` with all responses that have not begun. Otherwise clients would reuse connections that
   * are about to be closed.
   */
  closeConnections(): void
}

export function createOpenResponses(): OpenResponses {
  // The last response of each connection. A set of all open responses would change with each request: its old tables
  // keep ended responses alive until the next full garbage collection.
  const latest = new WeakMap<Socket, ServerResponse>()
  const connections = new Set<Socket>()
  let isClosing = false
  return {
    add(response) {
      if (isClosing) response.shouldKeepAlive = false
      const { socket } = response
      if (!socket) return
      if (!latest.has(socket)) {
        connections.add(socket)
        socket.once('close', () => connections.delete(socket))
      }
      latest.set(socket, response)
    },
    closeConnections() {
      isClosing = true
      for (const connection of connections) {
        const response = latest.get(connection)
        if (response) response.shouldKeepAlive = false
      }
    },
  }
}

export interface ShutdownParts {
  readonly server: Server
  /** Parts with open requests. */
  readonly open: readonly Pick<Gateway, 'close' | 'abort' | 'inFlight'>[]
  /** Time limit for open requests in milliseconds. */
  readonly limit: number
}

/** Time limit for closing connections in milliseconds. */
const GRACE = 2_000

/**
 * Ends the service: accepts no new connections, lets open requests finish within the limit, then aborts them. Resolves
 * with the number of aborted requests.
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
  // The last bytes of responses may still be in flight. A connection is idle once they are sent.
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

/** Part of a service that the process exit needs. */
interface Endable {
  readonly store: { readonly ledger: { abandon(): void; lost(): number } }
  stop(drainMs: number): Promise<void>
}

/** Ends the service and its process. */
export interface ProcessExit {
  /**
   * Stops in order at the first call, and exits immediately with `code` at the second. `drainMs` is the time in
   * milliseconds in which connections are still accepted.
   */
  end(code: number, drainMs: number): void
  /** Exits immediately. */
  endNow(code: number): void
  hasBegun(): boolean
}

/** Creates the process exit. `lostCode` is the exit code if usage rows were lost. After a bug the code is 1. */
export function createProcessExit(service: Endable, log: Log, lostCode = 1): ProcessExit {
  let stopping = false
  const endNow = (code: number) => {
    const { ledger } = service.store
    ledger.abandon()
    log.flush()
    process.exit(code === 0 && ledger.lost() > 0 ? lostCode : code)
  }
  const crash = (error: unknown) => {
    log.flush()
    log.logger.fatal(error instanceof Error ? error : new Error(String(error)), 'an unexpected error ended the program')
    endNow(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  return {
    end: (code, drainMs) => {
      if (stopping) return endNow(code)
      stopping = true
      service.stop(drainMs).then(() => endNow(0), crash)
    },
    endNow,
    hasBegun: () => stopping,
  }
}

/** Log message at the start of an orderly exit. */
export function endMessage(signal: string, drainMs: number): string {
  const drain = drainMs > 0 ? `accepting connections for ${drainMs} ms, then ` : ''
  return `${signal}: ${drain}finishing open requests`
}

/** Handlers of process signals. */
export interface SignalHandlers {
  /** Called for SIGTERM, SIGINT, and SIGHUP from a closed terminal. `code` is the exit code of an immediate exit. */
  onEnd(signal: string, code: number): void
  /** Called for any other SIGHUP. */
  onReload(): void
}

export function handleSignals({ onEnd, onReload }: SignalHandlers): void {
  const hasTerminal = process.stdin.isTTY
  process.on('SIGTERM', () => onEnd('SIGTERM', 128 + 15))
  process.on('SIGINT', () => onEnd('SIGINT', 128 + 2))
  process.on('SIGHUP', () => (hasTerminal && !terminalIsThere() ? onEnd('SIGHUP', 128 + 1) : onReload()))
}

/** True if the terminal is open. The system sends SIGHUP when a terminal closes. */
function terminalIsThere(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
