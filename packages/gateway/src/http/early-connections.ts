import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** Maximum time that a connection waits for its first request, in milliseconds: below the idle limit of usual servers. */
const MAX_IDLE_MS = 25_000
/** Maximum number of connections that wait. */
const MAX_WAITING = 32

/** Connector of a pool, with connections that are opened before a request needs them. */
export interface EarlyConnections {
  /** Takes the connection that waits for the origin, or opens one. */
  readonly connect: buildConnector.connector
  /**
   * Opens a connection to an origin, unless one waits. A failure has no effect: the first request reports its own.
   * `onTaken` is called when the pool gets the connection.
   */
  open(origin: string, onTaken: () => void): void
  /** Closes the connections that wait. */
  close(): void
}

/** Connection without a request. */
interface WaitingConnection {
  readonly socket: Socket
  /** Ends the wait before the connection gets its first request. */
  take(): void
}

type ConnectorOptions = buildConnector.Options

/** Key of an origin, by which its connection is found. */
function keyOf({ protocol, host, hostname, port }: ConnectorOptions): string {
  return `${protocol}//${host ?? `${hostname}:${port}`}`
}

function optionsOf(origin: string): ConnectorOptions {
  const { protocol, host, hostname, port } = new URL(origin)
  return { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port }
}

export function createEarlyConnections(connect: buildConnector.connector): EarlyConnections {
  /** Connections by origin; undefined while one is being opened. */
  const waiting = new Map<string, WaitingConnection | undefined>()
  let isClosed = false

  const wait = (key: string, socket: Socket, onTaken: () => void): void => {
    const end = (): void => void socket.destroy()
    const timer = setTimeout(end, MAX_IDLE_MS).unref()
    const connection: WaitingConnection = {
      socket,
      take() {
        clearTimeout(timer)
        socket.off('readable', end)
        socket.ref()
        onTaken()
      },
    }
    // Before a request, only the end of a connection is readable.
    socket.once('readable', end)
    socket.once('close', () => {
      clearTimeout(timer)
      if (waiting.get(key) === connection) waiting.delete(key)
    })
    // A connection that waits does not keep the process running.
    socket.unref()
    waiting.set(key, connection)
  }

  return {
    connect(options, callback) {
      const key = keyOf(options)
      const connection = waiting.get(key)
      if (!connection || connection.socket.destroyed) return connect(options, callback)
      waiting.delete(key)
      connection.take()
      queueMicrotask(() => callback(null, connection.socket))
    },
    open(origin, onTaken) {
      const options = optionsOf(origin)
      const key = keyOf(options)
      if (isClosed || waiting.has(key) || waiting.size >= MAX_WAITING) return
      waiting.set(key, undefined)
      connect(options, (_, socket) => {
        waiting.delete(key)
        if (isClosed) socket?.destroy()
        else if (socket) wait(key, socket, onTaken)
      })
    },
    close() {
      isClosed = true
      for (const connection of waiting.values()) connection?.socket.destroy()
      waiting.clear()
    },
  }
}
