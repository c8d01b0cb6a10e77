import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Gateway, HeadgateError } from '@headgate/gateway'
import type { Settings } from '../config/settings.ts'
import { failure, send } from './plain-answer.ts'

/** `awaitsContinue`: the caller sends its body once it is told to. */
export type Handler = (request: IncomingMessage, response: ServerResponse, awaitsContinue?: boolean) => void

type Config = Settings['config']

/** The times of the configuration, and this server's share of its limits. */
export interface ListenerLimits extends Pick<Config, 'times'> {
  readonly limits: Required<Pick<NonNullable<Config['limits']>, 'connections'>>
}

export interface ListenerParts {
  readonly config: ListenerLimits
  readonly handler: Handler
  readonly clientError: Gateway['clientError']
  /** Told when a connection was refused since there are as many as there may be. */
  readonly onFull?: (limit: number) => void
}

const HEADER_MS = 60_000
const UPLOAD_MS = 300_000
/**
 * How much later than the gateway the server notices that a request does not arrive: for those that the gateway does
 * not read.
 */
const LATER_MS = 5_000
/** So often at least it is looked which requests take too long. */
const LONGEST_SWEEP = 5_000

/**
 * The HTTP server. A connection is kept longer than load balancers keep theirs (60 s), so that it is never they who
 * find it closed. Headers that stand twice are joined, so that of two credentials neither counts.
 */
export function createListener({ config, handler, clientError, onFull }: ListenerParts): Server {
  const { header = HEADER_MS } = config.times ?? {}
  const server = createServer({
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: Math.min(LONGEST_SWEEP, Math.ceil(header / 4)),
    joinDuplicateHeaders: true,
  })
  limitListener(server, config)
  // Where several servers share a port, one that is full would hand connections on in a circle.
  Object.assign(server, { dropMaxConnection: true })
  const handle: Handler = (request, response, awaitsContinue) => {
    // Joined above. RFC 9112, section 3.2: a proxy in front may have routed by the other one.
    if (request.headers.host?.includes(','))
      send(request, response, failure(400, 'The request has more than one `Host`.', 'invalid_host'))
    else handler(request, response, awaitsContinue)
  }
  server.on('request', (request, response) => handle(request, response))
  server.on('checkContinue', (request, response) => handle(request, response, true))
  server.on('checkExpectation', (request, response) => handle(request, response))
  server.on('clientError', clientError)
  server.on('drop', () => {
    // Callers who ask nothing make room for those who do.
    server.closeIdleConnections()
    onFull?.(server.maxConnections)
  })
  return server
}

/** Sets what a configuration limits, also for a server that listens. */
export function limitListener(server: Server, { times = {}, limits }: ListenerLimits): void {
  const { header = HEADER_MS, upload = UPLOAD_MS } = times
  server.headersTimeout = header
  server.requestTimeout = header + upload + LATER_MS
  server.maxConnections = limits.connections
}

/** Listens; a port or host that can not be had is the user's to change, as `where` says. */
export async function listen(
  server: Server,
  port: number,
  host: string,
  where = '--port or PORT',
): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, port, host, where)))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new TypeError('A server that listens on a port has an address.')
  return address
}

function listenError(error: Error, port: number, host: string, where: string): Error {
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new HeadgateError('invalid-request', `Port ${port} of ${host} is in use. Choose another with ${where}.`)
  if (code === 'EACCES')
    return new HeadgateError(
      'invalid-request',
      `Port ${port} may not be used by this user. Choose one above 1023 with ${where}.`,
    )
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new HeadgateError(
      'invalid-request',
      `${host} is no address of this machine. Choose another with --host or HOST.`,
    )
  return error
}
