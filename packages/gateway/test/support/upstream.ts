import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createInbox } from '../../../core/test/support/inbox.ts'

/** One request that came to the upstream, and what the test does with it. */
export interface UpstreamCall {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Number of the connection that it came over, counted from 1. */
  readonly connection: number
  /** Resolves when the connection is closed before the answer has ended. */
  readonly left: Promise<void>
  json(): Record<string, unknown>
  head(status: number, headers?: Record<string, string>): void
  /** Resolves when the bytes have been handed to the system. */
  write(chunk: string | Uint8Array): Promise<void>
  /** False when the bytes have to wait for the other side to read. */
  fill(chunk: Uint8Array): boolean
  end(chunk?: string | Uint8Array): void
  /** A whole answer; what is no text is sent as JSON. */
  answer(status: number, body: unknown, headers?: Record<string, string>): void
  /** A whole stream of server-sent events. */
  stream(
    chunks: string | Uint8Array | readonly (string | Uint8Array)[],
    headers?: Record<string, string>,
  ): Promise<void>
  /** Bytes past HTTP. */
  raw(bytes: string): void
  /** Closes the connection, mannerly or by a reset. */
  cut(): void
  reset(): void
}

export interface Upstream {
  readonly url: string
  readonly origin: string
  /** Every call so far. */
  readonly calls: readonly UpstreamCall[]
  /** The oldest call that the test has not taken. */
  next(): Promise<UpstreamCall>
  /** The oldest connection that the test has not taken. */
  connected(): Promise<Socket>
  /** Closes the connections that lie idle. */
  closeIdle(): void
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function createCall(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  connection: number,
): UpstreamCall {
  const { socket } = request
  const left = new Promise<void>((resolve) => {
    response.on('close', () => {
      if (!response.writableFinished) resolve()
    })
  })
  const call: UpstreamCall = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body,
    connection,
    left,
    json: () => JSON.parse(body.toString('utf8')) as Record<string, unknown>,
    head(status, headers = {}) {
      response.writeHead(status, headers)
      response.flushHeaders()
    },
    write: (chunk) => new Promise((resolve) => response.write(chunk, () => resolve())),
    fill: (chunk) => response.write(chunk),
    end: (chunk) => void response.end(chunk),
    answer(status, value, headers = {}) {
      const isText = typeof value === 'string'
      response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
      response.end(isText ? value : JSON.stringify(value))
    },
    async stream(chunks, headers = {}) {
      call.head(200, { 'content-type': 'text/event-stream', ...headers })
      for (const chunk of typeof chunks === 'string' || chunks instanceof Uint8Array ? [chunks] : chunks)
        await call.write(chunk)
      call.end()
    },
    raw: (bytes) => void socket.write(bytes),
    cut: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  }
  return call
}

/**
 * A provider on the loopback that does what the test says. Without a handler the test answers what `next` gives. Closed
 * with the test.
 */
export async function startUpstream(handler?: (call: UpstreamCall) => unknown): Promise<Upstream> {
  const calls = createInbox<UpstreamCall>()
  const connections = new WeakMap<object, number>()
  const sockets = createInbox<Socket>()
  let connected = 0
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    bodyOf(request).then(
      (body) => {
        const call = createCall(request, response, body, connections.get(request.socket) ?? 0)
        calls.push(call)
        handler?.(call)
      },
      () => {},
    )
  })
  server.on('connection', (socket) => {
    connected += 1
    connections.set(socket, connected)
    sockets.push(socket)
    socket.setNoDelay(true)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/v1`,
    origin,
    calls: calls.all,
    next: () => calls.next(),
    connected: () => sockets.next(),
    closeIdle: () => server.closeIdleConnections(),
  }
}

/** An origin where nobody listens: a port that no system hands out. */
export const CLOSED_ORIGIN = 'http://127.0.0.1:1'
