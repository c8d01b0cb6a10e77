import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { type AccessRecord, HeadgateError } from '@headgate/gateway'
import { clientAddress, uuidv7 } from '@headgate/gateway/ports'
import type { ManagementApi } from '../api/api.ts'
import { problemOf } from '../api/problem.ts'
import { type Bodies, createBodies } from './body.ts'
import { COMPRESS_FROM, codingOf, compressed, compressor, isCompressible } from './compression.ts'

/** Path of the management API. */
const PREFIX = '/api/v1'
/** Path below which requests and responses pass unchanged. The gateway enforces its own limits there. */
const PASSING = `${PREFIX}/playground/`
/** Maximum inactivity of a connection in milliseconds. */
const SILENCE = 120_000
/** Methods for which `new Request` accepts no body. */
const BODILESS: readonly (string | undefined)[] = ['GET', 'HEAD']
/**
 * Methods that `Request` does not support. They are served like OPTIONS, which every path rejects with its allowed
 * methods.
 */
const UNASKABLE: readonly string[] = ['CONNECT', 'TRACE', 'TRACK']

/** Address of a caller that a proxy does not name. */
const UNKNOWN = 'unknown'

export interface ManagementHandlerParts {
  readonly api: Pick<ManagementApi, 'fetch'> & Partial<Pick<ManagementApi, 'close'>>
  /** Allowed origins of browsers. */
  readonly origins: readonly string[]
  /** True if the origins are configured. */
  readonly isConfigured: boolean
  /** Addresses and networks of proxies whose headers name the caller. */
  trustedProxies?(): readonly string[] | undefined
  onAccess(record: AccessRecord): void
  /** Receives the reason if a response failed. */
  onWarning(message: string): void
}

/** Management API for a server of `node:http`. */
export interface ManagementHandler {
  /** Handles a request below the API path; false for any other path. */
  handle(request: IncomingMessage, response: ServerResponse, awaitsContinue?: boolean): boolean
  inFlight(): number
  /** Resolves when open requests have ended. */
  close(): Promise<void>
  /** Ends open requests immediately. */
  abort(): void
}

export function createManagementHandler(parts: ManagementHandlerParts): ManagementHandler {
  const bodies = createBodies()
  const open = new Map<ServerResponse, Promise<void>>()

  return {
    handle(request, response, awaitsContinue = false) {
      if (!isManaged(request.url)) return false
      const answering = answer(parts, bodies, { request, response, awaitsContinue }).finally(() =>
        open.delete(response),
      )
      open.set(response, answering)
      return true
    },
    inFlight: () => open.size,
    async close() {
      parts.api.close?.()
      await Promise.all(open.values())
    },
    abort() {
      for (const response of open.keys()) response.destroy()
    },
  }
}

function isManaged(url = ''): boolean {
  if (!url.startsWith(PREFIX)) return false
  return url.length === PREFIX.length || url[PREFIX.length] === '/' || url[PREFIX.length] === '?'
}

interface HttpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly awaitsContinue: boolean
}

/** Serves a request. Never rejects. */
async function answer(parts: ManagementHandlerParts, bodies: Bodies, exchange: HttpExchange): Promise<void> {
  const { request, response } = exchange
  const begun = performance.now()
  const path = pathOf(request)
  const ownId = `req_${uuidv7().replaceAll('-', '')}`
  const found = await ask(parts, bodies, exchange).catch((error: unknown) => failed(parts, path, ownId, error))
  const requestId = found.headers.get('x-request-id') ?? ownId
  const { status } = found
  try {
    await send(exchange, found, requestId)
  } catch (error) {
    // The caller has left or gets an incomplete response, so the connection is closed.
    if (!response.destroyed) parts.onWarning(`${path} was interrupted: ${String(error)}`)
    response.destroy()
  }
  parts.onAccess({ requestId, method: request.method ?? '', path, status, durationMs: performance.now() - begun })
}

async function ask(
  { api, ...known }: ManagementHandlerParts,
  bodies: Bodies,
  exchange: HttpExchange,
): Promise<Response> {
  const { request, response } = exchange
  const isPassing = request.url?.startsWith(PASSING) === true
  if (!isPassing) response.setTimeout(SILENCE)
  checkOrigin(known, request.headers.origin)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const peer = {
    address: clientAddress(request.socket.remoteAddress, request.headers, known.trustedProxies?.()) ?? UNKNOWN,
  }
  if (isPassing) {
    if (exchange.awaitsContinue) response.writeContinue()
    const stream = BODILESS.includes(request.method)
      ? undefined
      : (Readable.toWeb(request) as ReadableStream<Uint8Array>)
    return api.fetch(webRequest(known, request, stream, gone.signal), peer)
  }
  const body = BODILESS.includes(request.method)
    ? undefined
    : await bodies.read(request, response, exchange.awaitsContinue)
  try {
    return await api.fetch(
      webRequest(known, request, body && body.bytes.length > 0 ? body.bytes : undefined, gone.signal),
      peer,
    )
  } finally {
    body?.release()
  }
}

/** Fetch request with our own host. The `Host` header is ignored. */
function webRequest(
  { origins: [origin] }: Pick<ManagementHandlerParts, 'origins'>,
  { url, method = 'GET', headers: given }: IncomingMessage,
  body: Buffer<ArrayBuffer> | ReadableStream<Uint8Array> | undefined,
  signal: AbortSignal,
): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value))
  const asked = UNASKABLE.includes(method) ? 'OPTIONS' : method
  return new Request(new URL(`${origin}${url}`), {
    method: asked,
    headers,
    signal,
    ...(body && { body, duplex: 'half' }),
  })
}

/** @throws HeadgateError `forbidden` for a browser from another origin. */
function checkOrigin(
  { origins, isConfigured }: Pick<ManagementHandlerParts, 'origins' | 'isConfigured'>,
  origin: string | undefined,
): void {
  if (origin === undefined || origins.includes(origin)) return
  const own = origins.join(', ')
  throw new HeadgateError(
    'forbidden',
    isConfigured
      ? `This origin is not allowed (allowed: ${own}). If people use another address, set HEADGATE_PUBLIC_URL to it and restart the gateway.`
      : `This gateway does not know the address in your browser (known: ${own}). Set HEADGATE_PUBLIC_URL, or accounts.publicUrl in the configuration, to that address, such as https://headgate.example.com, and restart the gateway.`,
  )
}

function failed({ onWarning }: ManagementHandlerParts, path: string, requestId: string, error: unknown): Response {
  if (HeadgateError.is(error) && error.status < 500) return problemOf(error, requestId)
  onWarning(`${path} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  return problemOf(new HeadgateError('internal', 'The request failed. The log shows the reason.'), requestId)
}

async function send(exchange: HttpExchange, answer: Response, requestId: string): Promise<void> {
  const { request, response } = exchange
  const { status, headers, body } = answer
  for (const [name, value] of headers) if (name !== 'set-cookie') response.setHeader(name, value)
  const cookies = headers.getSetCookie()
  if (cookies.length > 0) response.setHeader('set-cookie', cookies)
  if (!headers.has('cache-control')) response.setHeader('cache-control', 'no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('x-request-id', requestId)
  // An unread rest of the body would be read as the next request.
  if (isArriving(request)) response.setHeader('connection', 'close')
  if (!body || request.method === 'HEAD') {
    response.writeHead(status).end()
    return body?.cancel()
  }
  if (mayCompress(request, headers)) return sendCompressed(exchange, answer)
  response.writeHead(status)
  await pipeline(Readable.fromWeb(body as ReadableStream), response)
}

/**
 * True for a response to a GET that compression makes smaller. Responses to other methods can contain a new secret,
 * whose characters the compressed size could reveal.
 */
function mayCompress({ method, url }: IncomingMessage, headers: Headers): boolean {
  if (method !== 'GET' || url?.startsWith(PASSING) || headers.has('content-encoding')) return false
  return isCompressible(headers.get('content-type'))
}

/** Sends a download as a compressed stream, and other bodies compressed if they are large. */
async function sendCompressed({ request, response }: HttpExchange, answer: Response): Promise<void> {
  const { status, headers, body } = answer
  const coding = codingOf(request.headers['accept-encoding'])
  response.setHeader('vary', 'accept-encoding')
  if (headers.has('content-disposition')) {
    if (coding) response.setHeader('content-encoding', coding)
    response.writeHead(status)
    const source = Readable.fromWeb(body as ReadableStream)
    return coding ? pipeline(source, compressor(coding), response) : pipeline(source, response)
  }
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const isLarge = coding !== undefined && bytes.length >= COMPRESS_FROM
  if (isLarge) response.setHeader('content-encoding', coding)
  response.writeHead(status).end(isLarge ? await compressed(bytes, coding) : bytes)
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** True if part of the body is still to come. On a reused connection it would be read as the next request. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0)
}
