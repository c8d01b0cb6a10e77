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

export function nodeIncoming(request: IncomingMessage, response: ServerResponse, options: NodeOptions): Incoming {
  const { times, basePath, awaitsContinue, trustedProxies } = options
  recordRequest()
  return {
    method: request.method ?? 'GET',
    url: urlOf(request, basePath),
    address: clientAddress(request.socket.remoteAddress, request.headers, trustedProxies),
    headers: request.headers,
    read: (limit, took) =>
      new Promise((resolve, reject) => {
        if (request.readableDidRead) throw bodyAlreadyRead()
        checkLength(request.headers['content-length'], limit)
        if (awaitsContinue) response.writeContinue()
        const chunks = createChunks()
        const until = now() + times.upload
        let size = 0
        let over = false
        let silence: NodeJS.Timeout | undefined
        const flow = new ReadFlow(() => request)
        const refuse = (error: unknown): void => {
          over = true
          clearTimeout(silence)
          reject(error)
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
            took?.(chunk.length)
            chunks.add(chunk)
            flow.count(chunk.length)
          } catch (error) {
            refuse(error)
          }
        })
        request.on('end', () => {
          if (over) return
          over = true
          clearTimeout(silence)
          resolve(size < LARGE_BODY ? chunks.whole() : takeTurn(() => chunks.whole()))
        })
        // Every request emits `close`; creating an error earlier would cost a stack trace.
        const gone = (): void => {
          if (!over) refuse(new HeadgateError('canceled', 'The caller disconnected before its request had arrived.'))
        }
        request.on('error', gone)
        request.on('close', gone)
        if (request.destroyed) gone()
      }),
  }
}
