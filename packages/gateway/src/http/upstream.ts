import { Readable } from 'node:stream'
import type { Content } from '@headgate/core/contract'
import { asError, HeadgateError } from '@headgate/core/errors'
import type { Dispatcher } from 'undici'
import { buildConnector, EnvHttpProxyAgent, Pool } from 'undici'
import { publicConnector } from './address-check.ts'
import { codingsOf, createDecoder, type Decoder } from './content-coding.ts'
import { createEarlyConnections } from './early-connections.ts'
import { ReadFlow } from './turns.ts'
import { isContent } from './wire-body.ts'

/** Counter of the requests of one provider that wait for the first byte of their response. */
export interface WaitingCount {
  count: number
}

/** Complete request, ready to be sent. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Headers. Without `accept-encoding`, `identity` is sent; a compressed response is decoded nevertheless. */
  readonly headers: Record<string, string>
  readonly body?: Uint8Array | string | Content | undefined
  /** Timeout until the response begins, in milliseconds; default: `firstByte` of {@link createUpstreams}. */
  readonly firstByteMs?: number | undefined
  /**
   * Set if the request must not be repeated. It uses a new connection, since an idle one may be dead, and is never sent
   * again.
   */
  readonly isOnce?: boolean
  /**
   * Called before the request is repeated because a reused connection was dead. False makes it fail. Default: it is
   * repeated.
   */
  readonly mayRepeat?: (() => boolean) | undefined
  /** Counts the request until its response begins, or until it fails or is aborted. */
  readonly waiting?: WaitingCount | undefined
}

export type UpstreamHeaders = Record<string, string | string[] | undefined>

/**
 * Receiver of the events of one call. `end` and `fail` are final, except that an error of the handler itself results in
 * `fail`.
 */
export interface UpstreamHandler {
  head(status: number, headers: UpstreamHeaders): void
  data(chunk: Buffer): void
  end(): void
  fail(error: HeadgateError): void
}

export interface UpstreamCall {
  /** True if sending has begun: the upstream may have received the request and may bill it. */
  sent(): boolean
  pause(): void
  resume(): void
  /** Ends the call without calling its handler. */
  abort(): void
}

export interface Upstreams {
  call(request: UpstreamRequest, handler: UpstreamHandler): UpstreamCall
  /** Opens a connection to an origin, so that its first call need not wait for it. Has no effect through a proxy. */
  preconnect(origin: string): void
  /** Waits for running calls, then closes all connections. */
  close(): Promise<void>
  /** Aborts running calls. */
  destroy(): Promise<void>
}

export interface UpstreamTimes {
  readonly connect: number
  readonly firstByte: number
  readonly silence: number
}

export interface UpstreamOrigins {
  /**
   * Origins that are connected to only at public addresses, since the configuration does not name them. A proxy, which
   * resolves hosts itself, is not limited. Default: none.
   */
  readonly publicOrigins?: readonly string[] | undefined
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Error for a transport failure. `begun`: the head of the response had arrived. */
function failure(error: Error, begun: boolean): HeadgateError {
  if (HeadgateError.is(error)) return error
  const code = codeOf(error)
  const details = { cause: error, code }
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return new HeadgateError('timeout', 'The provider did not begin its response in time.', details)
  if (code === 'UND_ERR_BODY_TIMEOUT')
    return new HeadgateError('timeout', 'The provider stopped sending data during its response.', details)
  if (begun)
    return new HeadgateError('upstream', `The connection to the provider broke during its response (${code}).`, details)
  return new HeadgateError('upstream', `The provider cannot be reached (${code}).`, details)
}

/** True if the other side had closed an idle connection. */
function isStale(error: Error): boolean {
  const code = codeOf(error)
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}

/** True if the environment names a proxy, in either spelling. */
function hasProxy(): boolean {
  return ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some((name) => process.env[name])
}

/**
 * Connections to one origin. A call reuses a connection if no connection is opened between its dispatch and its start.
 */
interface OriginPool {
  readonly dispatcher: Dispatcher
  /** Number of connections so far; always 0 through a proxy, which does not report them. */
  connections: number
}

function directPool(origin: string, options: Pool.Options): OriginPool {
  const dispatcher = new Pool(origin, options)
  const pool = { dispatcher, connections: 0 }
  dispatcher.on('connect', () => pool.connections++)
  return pool
}

interface OriginPools {
  to(origin: string): OriginPool
  all(): Set<Dispatcher>
}

/** Connectors of pools: one for public origins, and one for all others. */
interface PoolConnectors {
  /** Default: the one of the pool's options. */
  readonly usual?: buildConnector.connector
  readonly guarded: buildConnector.connector
  isGuarded(origin: string): boolean
}

function createPools(options: Pool.Options, { usual, guarded, isGuarded }: PoolConnectors): OriginPools {
  const proxy = hasProxy() ? new EnvHttpProxyAgent(options) : undefined
  const pools = new Map<string, OriginPool>()
  const optionsOf = (origin: string): Pool.Options => {
    const connect = isGuarded(origin) ? guarded : usual
    return connect ? { ...options, connect } : options
  }
  return {
    to(origin) {
      const known = pools.get(origin)
      if (known) return known
      const pool = proxy ? { dispatcher: proxy, connections: 0 } : directPool(origin, optionsOf(origin))
      pools.set(origin, pool)
      return pool
    },
    all: () => new Set([...pools.values()].map((pool) => pool.dispatcher)),
  }
}

const ABORTED = 'aborted'

/** Running call. A class, because each call has many functions with shared state. */
class UndiciCall implements UpstreamCall, Dispatcher.DispatchHandler {
  private readonly request: UpstreamRequest
  private readonly handler: UpstreamHandler
  private readonly pool: OriginPool
  private readonly options: Dispatcher.DispatchOptions
  private readonly content: Content | undefined
  private controller: Dispatcher.DispatchController | undefined
  private over = false
  private begun = false
  private reuses = false
  private connections = 0
  private replaced = false
  private decoder: Decoder | undefined
  private waiting: WaitingCount | undefined
  // The decoder pauses the upstream itself.
  private readonly flow = new ReadFlow(() => (this.over ? undefined : (this.decoder ?? this.controller)))

  constructor(request: UpstreamRequest, handler: UpstreamHandler, pool: OriginPool) {
    const { origin, path, method, headers, body = null, firstByteMs, waiting } = request
    headers['accept-encoding'] ??= 'identity'
    this.content = body !== null && isContent(body) ? body : undefined
    if (this.content) headers['content-length'] = String(this.content.size)
    this.request = request
    this.handler = handler
    this.pool = pool
    this.options = {
      origin,
      path,
      method,
      headers,
      body: this.content ? null : (body as Uint8Array | string | null),
      ...(firstByteMs !== undefined && { headersTimeout: firstByteMs }),
    }
    this.waiting = waiting
    if (waiting) waiting.count++
  }

  start(): void {
    this.reuses = false
    this.connections = this.pool.connections
    // Each transfer reads the content from its start.
    const { options, content } = this
    this.pool.dispatcher.dispatch(content ? { ...options, body: Readable.from(content.read()) } : options, this)
  }

  // Not an accessor: V8 gives each object with an accessor its own shape, which delays garbage collection.
  sent(): boolean {
    return this.controller !== undefined
  }

  pause(): void {
    this.flow.pause()
  }

  resume(): void {
    this.flow.resume()
  }

  abort(): void {
    if (this.over) return
    this.over = true
    this.arrived()
    this.decoder?.destroy()
    this.controller?.abort(new Error(ABORTED))
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    this.controller = started
    this.reuses = this.pool.connections === this.connections
    if (this.over) started.abort(new Error(ABORTED))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (this.over || status < 200) return
    this.begun = true
    this.arrived()
    try {
      const codings = codingsOf(headers['content-encoding'])
      if (codings) this.beginDecoding(codings, status, headers)
      else this.handler.head(status, headers)
    } catch (error) {
      this.crash(error)
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.decoder) this.take(chunk)
    else if (!this.over && !this.decoder.write(chunk)) this.controller?.pause()
  }

  onResponseEnd(): void {
    if (!this.decoder) this.finish()
    else if (!this.over) this.decoder.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.over) return
    if (this.mayReplace(error)) {
      this.replaced = true
      this.start()
      return
    }
    this.over = true
    this.arrived()
    this.decoder?.destroy()
    this.handler.fail(failure(error, this.begun))
  }

  /** True if the call used a dead connection and may be repeated once on another one. */
  private mayReplace(error: Error): boolean {
    const { isOnce, mayRepeat } = this.request
    return this.reuses && !this.begun && !this.replaced && !isOnce && isStale(error) && mayRepeat?.() !== false
  }

  private beginDecoding(
    codings: NonNullable<ReturnType<typeof codingsOf>>,
    status: number,
    headers: UpstreamHeaders,
  ): void {
    const { 'content-encoding': _, 'content-length': __, ...others } = headers
    this.handler.head(status, others)
    this.decoder = createDecoder(codings, {
      data: (chunk) => this.take(chunk),
      end: () => this.finish(),
      fail: (error) => this.crash(error),
      drain: () => this.controller?.resume(),
    })
  }

  private arrived(): void {
    if (this.waiting) this.waiting.count--
    this.waiting = undefined
  }

  /** Ends the call if its handler throws, never the process. */
  private crash(error: unknown): void {
    this.over = true
    this.decoder?.destroy()
    this.controller?.abort(new Error(ABORTED))
    this.handler.fail(asError(error))
  }

  private take(chunk: Buffer): void {
    // undici repeats an empty chunk at each resume: a handler that pauses for each chunk would never end.
    if (this.over || chunk.length === 0) return
    this.flow.count(chunk.length)
    try {
      this.handler.data(chunk)
    } catch (error) {
      this.crash(error)
    }
  }

  private finish(): void {
    if (this.over) return
    this.over = true
    try {
      this.handler.end()
    } catch (error) {
      this.crash(error)
    }
  }
}

/**
 * Connections to all upstreams: HTTP/1.1, one request at a time per connection, no limit of connections per origin;
 * through a proxy if `HTTPS_PROXY` is set. If a reused connection fails before any byte of the response, the request is
 * repeated once.
 */
export function createUpstreams(times: UpstreamTimes, { publicOrigins = [] }: UpstreamOrigins = {}): Upstreams {
  const options = {
    connections: null,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: times.connect },
    headersTimeout: times.firstByte,
    bodyTimeout: times.silence,
    keepAliveTimeout: 30_000,
  }
  const early = createEarlyConnections(buildConnector({ timeout: times.connect, allowH2: false }))
  const limited = new Set(publicOrigins.map((origin) => new URL(origin).origin))
  const isGuarded = (origin: string): boolean => limited.size > 0 && limited.has(new URL(origin).origin)
  const guarded = publicConnector({ timeout: times.connect, allowH2: false })
  const kept = createPools(options, { usual: early.connect, guarded, isGuarded })
  const single = createPools({ ...options, pipelining: 0 }, { guarded, isGuarded })
  const dispatchers = (): readonly Dispatcher[] => [...kept.all(), ...single.all()]

  return {
    call(request, handler) {
      const pool = (request.isOnce ? single : kept).to(request.origin)
      const call = new UndiciCall(request, handler, pool)
      call.start()
      return call
    },
    preconnect(origin) {
      const pool = kept.to(origin)
      if (hasProxy() || isGuarded(origin) || pool.connections > 0) return
      // A call on it counts as a reuse, so that the call is repeated if the upstream has closed it.
      early.open(origin, () => pool.connections--)
    },
    async close() {
      early.close()
      await Promise.all(dispatchers().map((dispatcher) => dispatcher.close()))
    },
    async destroy() {
      early.close()
      await Promise.all(dispatchers().map((dispatcher) => dispatcher.destroy()))
    },
  }
}
