import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeadgateError } from '@headgate/core/errors'
import { takeTurn } from '#transport'
import { now } from '../clock.ts'
import { Flow, LARGE, noteRequest } from '../http/turns.ts'
import type { Times } from '../ports/gateway-options.ts'
import { createChunks } from './chunks.ts'
import { clientAddress } from './client-address.ts'
import type { Incoming } from './sink.ts'

export function tooLarge(limit: number): HeadgateError {
  return new HeadgateError(
    'too-large',
    `The body is larger than ${limit} bytes. Send less, or raise limits.body in the configuration.`,
  )
}

/** A body that was announced as too large is refused before it is read. */
export function checkLength(announced: string | undefined, limit: number): void {
  if (announced !== undefined && Number(announced) > limit) throw tooLarge(limit)
}

export function silentBody(ms: number): HeadgateError {
  return new HeadgateError('too-slow', `Nothing of the body arrived for ${ms} ms. Send it without pauses.`)
}

export function slowBody(ms: number): HeadgateError {
  return new HeadgateError('too-slow', `The body had not arrived after ${ms} ms. Send less, or faster.`)
}

/** A body of which nothing is left: the developer's to mend, whose log has it as well. */
export function alreadyRead(): HeadgateError {
  return new HeadgateError(
    'internal',
    'The body of this request was read before the gateway got it: by a body parser such as express.json(). Put the gateway before the parser, or keep the parser off its paths.',
  )
}

/** Express and Connect cut the path under which a handler is mounted, and keep the whole one beside it. */
function urlOf(request: IncomingMessage, basePath: string): string {
  const { url = '/' } = request
  if (basePath === '' || !('originalUrl' in request)) return url
  const { originalUrl } = request
  return typeof originalUrl === 'string' && originalUrl.startsWith(basePath) ? originalUrl : url
}

export interface NodeOptions {
  readonly times: Times
  readonly basePath: string
  /** Addresses and networks of proxies whose headers name the caller. */
  readonly trustedProxies?: readonly string[] | undefined
  /** The caller sends its body once it is told to. */
  readonly awaitsContinue: boolean
}

export function nodeIncoming(request: IncomingMessage, response: ServerResponse, options: NodeOptions): Incoming {
  const { times, basePath, awaitsContinue, trustedProxies } = options
  noteRequest()
  return {
    method: request.method ?? 'GET',
    url: urlOf(request, basePath),
    address: clientAddress(request.socket.remoteAddress, request.headers, trustedProxies),
    headers: request.headers,
    read: (limit, took) =>
      new Promise((resolve, reject) => {
        if (request.readableDidRead) throw alreadyRead()
        checkLength(request.headers['content-length'], limit)
        if (awaitsContinue) response.writeContinue()
        const chunks = createChunks()
        const until = now() + times.upload
        let size = 0
        let over = false
        let silence: NodeJS.Timeout | undefined
        const flow = new Flow(() => request)
        const refuse = (error: unknown): void => {
          over = true
          clearTimeout(silence)
          reject(error)
        }
        // A body that came with its head is there by then.
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
          resolve(size < LARGE ? chunks.whole() : takeTurn(() => chunks.whole()))
        })
        // Every request closes in the end, and an error takes the time of a stack trace.
        const gone = (): void => {
          if (!over) refuse(new HeadgateError('canceled', 'The caller left before its request had arrived.'))
        }
        request.on('error', gone)
        request.on('close', gone)
        if (request.destroyed) gone()
      }),
  }
}
