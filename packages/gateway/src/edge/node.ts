import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeadgateError } from '@headgate/core/errors'
import { takeTurn } from '#transport'
import { now } from '../clock.ts'
import { LARGE_BODY, ReadFlow, recordRequest } from '../http/turns.ts'
import type { Times } from '../ports/gateway-options.ts'
import { createChunks } from './chunks.ts'
import { clientAddress } from './client-address.ts'
import type { Incoming } from './sink.ts'

export function tooLarge(limit: number): HeadgateError {
  return new HeadgateError(
    'too-large',
    `The body is larger than ${limit} bytes. Send a smaller body, or raise limits.body in the configuration.`,
  )
}

/** Rejects a body whose announced length exceeds the limit, before it is read. */
export function checkLength(announced: string | undefined, limit: number): void {
  if (announced !== undefined && Number(announced) > limit) throw tooLarge(limit)
}

export function silentBody(ms: number): HeadgateError {
  return new HeadgateError('too-slow', `No part of the body arrived for ${ms} ms. Send it without pauses.`)
}

export function slowBody(ms: number): HeadgateError {
  return new HeadgateError(
    'too-slow',
    `The body had not arrived after ${ms} ms. Send a smaller body, or send it faster.`,
  )
}

/** Error for a body that was read by other code. The embedding program must be fixed, so the error is also logged. */
export function bodyAlreadyRead(): HeadgateError {
  return new HeadgateError(
    'internal',
    'The body of this request was read before the gateway received it, for example by a body parser such as express.json(). Mount the gateway before the parser, or exclude its paths from the parser.',
  )
}

/**
 * URL with the full path. Express and Connect remove the path under which a handler is mounted, and store the original
 * in `originalUrl`.
 */
function urlOf(request: IncomingMessage, basePath: string): string {
  const { url = '/' } = request
  if (basePath === '' || !('originalUrl' in request)) return url
  const { originalUrl } = request
  return typeof originalUrl === 'string' && originalUrl.startsWith(basePath) ? originalUrl : url
}

export interface NodeOptions {
  readonly times: Times
  readonly basePath: string
  /** Addresses and networks of proxies whose headers are trusted. */
  readonly trustedProxies?: readonly string[] | undefined
  /** The caller sends its body after `100 Continue`. */
  readonly awaitsContinue: boolean
}

/** Receiver of a body. Exactly one of `onEnd` and `onError` is called, once. */
interface BodyReceiver {
  /** Maximum size of the body in bytes. */
  readonly limit: number
  /** Receives each chunk. The next one comes after the promise. Its error ends the transfer. */
  onChunk(chunk: Buffer): Promise<void> | undefined
  onEnd(): void
  onError(error: unknown): void
}

function receive(request: IncomingMessage, { times }: Pick<NodeOptions, 'times'>, receiver: BodyReceiver): void {
  const { limit, onChunk, onEnd, onError } = receiver
  const until = now() + times.upload
  let size = 0
  let over = false
  let isWhole = false
  /** The write of the last chunk; undefined if it has ended. */
  let writing: Promise<void> | undefined
  let silence: NodeJS.Timeout | undefined
  const flow = new ReadFlow(() => request)
  const refuse = (error: unknown): void => {
    if (over) return
    over = true
    clearTimeout(silence)
    onError(error)
  }
  const written = (): void => {
    writing = undefined
    silence?.refresh()
    flow.resume()
  }
  // A body that was sent with its head has arrived by then.
  process.nextTick(() => {
    if (!over && !request.complete) silence = setTimeout(() => refuse(silentBody(times.body)), times.body)
  })
  request.on('data', (chunk: Buffer) => {
    if (over) return
    silence?.refresh()
    size += chunk.length
    try {
      if (size > limit) throw tooLarge(limit)
      if (silence && now() > until) throw slowBody(times.upload)
      writing = onChunk(chunk)
      flow.count(chunk.length)
    } catch (error) {
      refuse(error)
    }
    if (!writing) return
    flow.pause()
    writing.then(written, refuse)
  })
  request.on('end', () => {
    isWhole = true
    const end = (): void => {
      if (over) return
      over = true
      clearTimeout(silence)
      onEnd()
    }
    if (writing) writing.then(end, refuse)
    else end()
  })
  // Every request emits `close`; creating an error earlier would cost a stack trace.
  const gone = (): void => {
    if (!over && !isWhole)
      refuse(new HeadgateError('canceled', 'The caller disconnected before its request had arrived.'))
  }
  request.on('error', gone)
  request.on('close', gone)
  if (request.destroyed) gone()
}

export function nodeIncoming(request: IncomingMessage, response: ServerResponse, options: NodeOptions): Incoming {
  const { basePath, awaitsContinue, trustedProxies } = options
  recordRequest()
  const begin = (limit: number): void => {
    if (request.readableDidRead) throw bodyAlreadyRead()
    checkLength(request.headers['content-length'], limit)
    if (awaitsContinue) response.writeContinue()
  }
  return {
    method: request.method ?? 'GET',
    url: urlOf(request, basePath),
    address: clientAddress(request.socket.remoteAddress, request.headers, trustedProxies),
    headers: request.headers,
    read: (limit, took) =>
      new Promise((resolve, reject) => {
        begin(limit)
        const chunks = createChunks()
        let size = 0
        receive(request, options, {
          limit,
          onChunk(chunk) {
            size += chunk.length
            took?.(chunk.length)
            chunks.add(chunk)
            return undefined
          },
          onEnd: () => resolve(size < LARGE_BODY ? chunks.whole() : takeTurn(() => chunks.whole())),
          onError: reject,
        })
      }),
    stream: (limit, onChunk) =>
      new Promise((resolve, reject) => {
        begin(limit)
        receive(request, options, { limit, onChunk, onEnd: resolve, onError: reject })
      }),
  }
}
