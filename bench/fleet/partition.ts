import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * State of a link. `reset`: connections break, and new ones are reset. `drop`: nothing arrives, in either direction,
 * until the link heals, as with lost packets that are sent again. `one-way`: the server receives what the client sends,
 * but the client receives nothing.
 */
export type LinkState = 'open' | 'reset' | 'drop' | 'one-way'

/** TCP proxy between one node and one server, on loopback. */
export interface Link {
  /** Port that takes the place of the server's. */
  readonly port: number
  /** Changes the state, also of open connections. */
  set(state: LinkState): void
  /** Delays everything by so many milliseconds in each direction; 0 = no delay. */
  delay(ms: number): void
  close(): Promise<void>
}

/** Both sockets of a connection. */
interface Connection {
  readonly client: Socket
  readonly server: Socket
}

interface LinkParts {
  readonly connections: Set<Connection>
  state: LinkState
  delayMs: number
}

/** Starts a link to a port of this machine. */
export async function startLink(to: number): Promise<Link> {
  const parts: LinkParts = { connections: new Set(), state: 'open', delayMs: 0 }
  const listener = createServer((client) => accept(parts, client, to)).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    set(state) {
      parts.state = state
      for (const connection of parts.connections) apply(state, connection)
    },
    delay(ms) {
      parts.delayMs = ms
    },
    close: () => close(parts, listener),
  }
}

function accept(parts: LinkParts, client: Socket, to: number): void {
  client.on('error', () => {})
  if (parts.state === 'reset') {
    client.resetAndDestroy()
    return
  }
  const server = connect(to, '127.0.0.1')
  server.on('error', () => client.destroy())
  const connection = { client, server }
  parts.connections.add(connection)
  for (const socket of [client, server]) socket.setNoDelay(true)
  forward(parts, client, server)
  forward(parts, server, client)
  apply(parts.state, connection)
}

/** Forwards one direction, and its end. */
function forward(parts: LinkParts, from: Socket, to: Socket): void {
  const later = (act: () => void): void => {
    if (parts.delayMs === 0) act()
    else setTimeout(act, parts.delayMs)
  }
  from.on('data', (chunk: Buffer) => later(() => void to.write(chunk)))
  from.on('end', () => later(() => to.end()))
  from.on('close', () => {
    for (const connection of parts.connections)
      if (connection.client === from || connection.server === from) parts.connections.delete(connection)
    later(() => to.destroy())
  })
}

function apply(state: LinkState, { client, server }: Connection): void {
  if (state === 'reset') {
    client.resetAndDestroy()
    server.destroy()
    return
  }
  if (state === 'drop') client.pause()
  else client.resume()
  if (state === 'open') server.resume()
  else server.pause()
}

async function close({ connections }: LinkParts, listener: Server): Promise<void> {
  listener.close()
  for (const { client, server } of connections) {
    client.destroy()
    server.destroy()
  }
  await once(listener, 'close')
}
