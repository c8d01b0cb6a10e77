import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { type Gateway, HeadgateError } from '@headgate/gateway'
import type { Store } from '@headgate/store'
import type { SpanCounts } from '@headgate/telemetry'
import type { Settings } from '../config/settings.ts'
import type { FleetState } from '../fleet/metrics.ts'
import type { SinkStates } from '../sinks/states.ts'
import { exportedTraceId, genAiNameOf } from '../telemetry/traces.ts'
import { localUrl } from './banner.ts'
import { type Certificates, openCertificates } from './certificates.ts'
import type { Log } from './log.ts'
import { createMetrics, type Metrics, type MetricsSources, type ShownMetrics } from './metrics.ts'
import { metricsAnswer } from './metrics-answer.ts'
import { failure, type PlainAnswer, pathOf, refusedMethod, send } from './plain-answer.ts'
import { acceptProxyProtocol } from './proxy-protocol.ts'
import { MAX_SERIES } from './series-limit.ts'
import { type Peers, processLimits } from './serving.ts'
import type { Handover } from './shutdown.ts'

/** Request handler. `awaitsContinue`: the caller sends its body after `100 Continue`. */
export type Handler = (request: IncomingMessage, response: ServerResponse, awaitsContinue?: boolean | undefined) => void

/** Functions of a server that receive requests. */
export interface Entrance {
  handle: Handler
  clientError: Gateway['clientError']
}

type ParsedConfig = Settings['config']

/** Configured times, and this server's allocation of the limits. */
export interface ListenerLimits extends Pick<ParsedConfig, 'times'> {
  readonly limits: Required<Pick<NonNullable<ParsedConfig['limits']>, 'connections'>>
}

export interface ListenerParts {
  readonly config: ListenerLimits
  readonly handler: Handler
  readonly clientError: Gateway['clientError']
  /** Called when a connection was rejected because the limit is reached. */
  readonly onFull?: (limit: number) => void
  /** Certificates for HTTPS. Default: HTTP. */
  readonly certificates?: Pick<Certificates, 'options'> | undefined
  /** True if callers must have a certificate. Default: false. */
  readonly isMutual?: boolean | undefined
  /** Addresses and networks of load balancers that send the PROXY protocol. Default: none. */
  readonly proxyProtocol?: readonly string[] | undefined
  /** Called with the address of a load balancer that sent no valid header of the PROXY protocol. */
  onProxyRefused?(address: string): void
}

/** Minimum time between two log lines about too many connections, in milliseconds. */
const FULL_MS = 60_000
const HEADER_MS = 60_000
const UPLOAD_MS = 300_000
/**
 * Milliseconds after the gateway's own timeout when the server closes a request that does not arrive. Applies to
 * requests that the gateway does not read.
 */
const LATER_MS = 5_000
/** Maximum interval between checks for slow requests, in milliseconds. */
const LONGEST_SWEEP = 5_000

/**
 * HTTP server. Keep-alive lasts longer than in load balancers (60 s), so that they never reuse a closed connection.
 * Repeated headers are joined, so that neither of two credentials counts.
 */
export function createListener(parts: ListenerParts): Server {
  const { config, handler, clientError, onFull, proxyProtocol, onProxyRefused } = parts
  const server = createBareServer(parts)
  limitListener(server, config)
  if (proxyProtocol)
    acceptProxyProtocol(server, { networks: proxyProtocol, ...(onProxyRefused && { onRefused: onProxyRefused }) })
  // With several servers on one port, a full server would pass connections around in a circle.
  Object.assign(server, { dropMaxConnection: true })
  const handle: Handler = (request, response, awaitsContinue) => {
    // Joined above. RFC 9112, section 3.2: a proxy in front may have used the other value for routing.
    if (request.headers.host?.includes(','))
      send(request, response, failure(400, 'The request has more than one `Host` header.', 'invalid_host'))
    else handler(request, response, awaitsContinue)
  }
  server.on('request', (request, response) => handle(request, response))
  server.on('checkContinue', (request, response) => handle(request, response, true))
  server.on('checkExpectation', (request, response) => handle(request, response))
  server.on('clientError', clientError)
  server.on('drop', () => {
    // Idle connections make room for active callers.
    server.closeIdleConnections()
    onFull?.(server.maxConnections)
  })
  return server
}

function createBareServer({ config, certificates, isMutual = false }: ListenerParts): Server {
  const { header = HEADER_MS } = config.times ?? {}
  const options = {
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: Math.min(LONGEST_SWEEP, Math.ceil(header / 4)),
    joinDuplicateHeaders: true,
  }
  if (!certificates) return createServer(options)
  const server = createTlsServer(
    Object.assign(options, certificates.options, {
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: header,
      requestCert: isMutual,
      rejectUnauthorized: isMutual,
    }),
  )
  // Node would answer failed handshakes like invalid requests.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (_, socket) => socket.destroy())
  return server
}

/** Applies the configured limits, even to a listening server. */
export function limitListener(server: Server, { times = {}, limits }: ListenerLimits): void {
  const { header = HEADER_MS, upload = UPLOAD_MS } = times
  server.headersTimeout = header
  server.requestTimeout = header + upload + LATER_MS
  server.maxConnections = limits.connections
}

/**
 * Listens on an address. `where` names the setting in errors. @throws HeadgateError if the port or host is not
 * available.
 */
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
    throw new TypeError('The server listens on a port but has no address.')
  return address
}

function listenError(error: Error, port: number, host: string, where: string): Error {
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new HeadgateError('invalid-request', `Port ${port} of ${host} is in use. Choose another with ${where}.`)
  if (code === 'EACCES')
    return new HeadgateError(
      'invalid-request',
      `This user is not allowed to use port ${port}. Choose a port above 1023 with ${where}.`,
    )
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new HeadgateError(
      'invalid-request',
      `${host} is not an address of this machine. Choose another one with --host or HOST.`,
    )
  return error
}

/**
 * Names of this machine for itself. A page whose hostname resolves here (DNS rebinding) sends its own hostname instead.
 */
const OWN_NAMES = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
/** Maximum number of connections to the metrics port, and to the health port. */
const METRICS_CONNECTIONS = 100

/** Server for `/metrics` alone, without authentication: it listens on the loopback interface and rejects browsers. */
export function createMetricsListener(metrics: ShownMetrics): Server {
  const server = createServer((request, response) => {
    answerTo(request, metrics)
      .catch(() => failure(500, 'The metrics could not be read.'))
      .then((answer) => send(request, response, answer))
  })
  server.maxConnections = METRICS_CONNECTIONS
  return server
}

/** Paths of the health port. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Server for `/healthz` and `/readyz` alone, for probes. */
export function createHealthListener(handler: Handler): Server {
  const server = createServer((request, response) => {
    if (HEALTH_PATHS.has(pathOf(request))) return handler(request, response)
    send(request, response, failure(404, 'This port serves only /healthz and /readyz.', 'not_found'))
  })
  server.maxConnections = METRICS_CONNECTIONS
  return server
}

async function answerTo(request: IncomingMessage, metrics: ShownMetrics): Promise<PlainAnswer> {
  const { origin, host = '' } = request.headers
  if (origin !== undefined || !OWN_NAMES.test(host))
    return failure(403, 'Requests from browsers are refused.', 'permission_denied')
  if (pathOf(request) !== '/metrics') return failure(404, 'This port serves only /metrics.', 'not_found')
  return refusedMethod(request) ?? metricsAnswer(metrics, request)
}

export interface ListenersParts {
  readonly settings: Settings
  readonly log: Log
  readonly peers?: Peers | undefined
}

/** Sources of metrics that are not counted per request. */
interface MetricSourceParts {
  readonly store: Store
  readonly handover: Pick<Handover, 'current' | 'health' | 'inFlight' | 'waiting'>
  /** Numbers of exported spans; undefined if spans are not exported. */
  readonly spans: Readonly<SpanCounts> | undefined
  /** Shared rate limits; undefined if another process has their metrics, or without them. */
  readonly fleet: FleetState | undefined
  readonly sinks: Pick<SinkStates, 'all'>
}

/** Listening servers, and the metrics of this process. */
export interface Listeners {
  readonly server: Server
  readonly port: number
  readonly url: string
  readonly metrics: Metrics | undefined
  /** Metrics of the whole program; undefined if they have a separate port. */
  readonly shownMetrics: ShownMetrics | undefined
  readonly metricsUrl: string | undefined
  /** Address of the health port, if there is one. */
  readonly healthUrl: string | undefined
  /** Closes the separate ports of metrics and health. */
  closeMetrics(): void
  close(): void
}

export async function openListeners(
  parts: ListenersParts,
  sources: MetricSourceParts,
  entrance: Entrance,
): Promise<Listeners> {
  const { settings, peers } = parts
  const { config, port, host } = settings
  const isShown = config.metrics !== false
  const metrics = isShown || settings.metricExport ? metricsOf(parts, sources) : undefined
  const shown = isShown ? (peers ? { text: peers.metrics } : metrics) : undefined
  const { server, isSecure, unwatch } = createCallerListener(parts, entrance)
  const separate =
    shown && typeof config.metrics === 'object' && config.metrics.port !== undefined
      ? { server: createMetricsListener(shown), port: config.metrics.port }
      : undefined
  const healthPort = config.server?.healthPort
  const health = healthPort === undefined ? undefined : createHealthListener(entrance.handle)
  const closeMetrics = () => {
    close(separate?.server)
    close(health)
    unwatch?.()
  }
  try {
    const metricsAddress =
      separate && (await listen(separate.server, separate.port, '127.0.0.1', 'metrics.port of the configuration'))
    const healthAddress =
      health && (await listen(health, healthPort ?? 0, host, 'server.healthPort of the configuration'))
    const address = await listen(server, port, host)
    return {
      server,
      port: address.port,
      url: localUrl(address, isSecure),
      metrics,
      shownMetrics: separate ? undefined : shown,
      metricsUrl: metricsAddress && `${localUrl(metricsAddress)}/metrics`,
      healthUrl: healthAddress && localUrl(healthAddress),
      closeMetrics,
      close: () => {
        closeMetrics()
        close(server)
      },
    }
  } catch (error) {
    closeMetrics()
    throw error
  }
}

interface CallerListener {
  readonly server: Server
  readonly isSecure: boolean
  readonly unwatch: (() => void) | undefined
}

/** Listener for callers, with the certificates and load balancers of the configuration. */
function createCallerListener(
  { settings: { config, file }, log: { logger }, peers }: ListenersParts,
  { handle, clientError }: Entrance,
): CallerListener {
  const { tls, proxyProtocol } = config.server ?? {}
  const certificates =
    tls &&
    openCertificates({
      tls,
      folder: file === undefined ? process.cwd() : dirname(file),
      onWarning: (message) => logger.warn(message),
      onReload: () => logger.info('reloaded the certificates of server.tls'),
    })
  const parts: ListenerParts = {
    handler: handle,
    clientError,
    config: { ...config, limits: processLimits(config.limits, peers?.size ?? 1) },
    onFull: occasionally(FULL_MS, (limit) =>
      logger.warn(`${limit} connections are open, which is the limit; new ones are refused`),
    ),
    certificates,
    isMutual: tls?.clients !== undefined,
    proxyProtocol,
    onProxyRefused: occasionally(FULL_MS, (address) =>
      logger.warn(`${address} is listed in server.proxyProtocol, but sent no valid header of the PROXY protocol`),
    ),
  }
  const server = createListener(parts)
  const unwatch = server instanceof HttpsServer ? certificates?.watch(server) : undefined
  return { server, isSecure: certificates !== undefined, unwatch }
}

function metricsOf(
  { settings: { config, conventions, traceExport }, peers }: ListenersParts,
  { store, handover, fleet, sinks, spans }: MetricSourceParts,
): Metrics {
  const { ledger, quarantined, budgets } = store
  const { health, inFlight, waiting: queued } = handover
  const { stored, waiting, lost } = ledger
  const { labels, maxSeries = MAX_SERIES } = typeof config.metrics === 'object' ? config.metrics : {}
  const from: MetricsSources = {
    inFlight,
    queued,
    health,
    stored,
    waiting,
    quarantined,
    lost,
    missed: () => budgets.missed().requests,
    budgets: budgets.fullest,
    sinks,
    ...(fleet && { fleet }),
    spans,
  }
  return createMetrics(from, {
    labels,
    maxSeries: Math.max(1, Math.floor(maxSeries / (peers?.size ?? 1))),
    dialect: conventions,
    nameOf: (provider) => genAiNameOf(handover.current().inventory, provider),
    traceIdOf: traceExport && ((row) => exportedTraceId(row, traceExport)),
  })
}

function close(server: Server | undefined): void {
  server?.close()
  server?.closeAllConnections()
}

/** Runs a function at most once per interval in milliseconds. */
function occasionally<T>(ms: number, run: (value: T) => void): (value: T) => void {
  let last = Number.NEGATIVE_INFINITY
  return (value) => {
    const now = performance.now()
    if (now - last < ms) return
    last = now
    run(value)
  }
}
