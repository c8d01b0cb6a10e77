import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeadgateError } from '../errors.ts'
import type { Incoming, Sink } from './sink.ts'

export function tooLarge(limit: number): HeadgateError {
  return new HeadgateError('too-large', `The body is larger than ${limit} bytes. Send less, or raise limits.body in the configuration.`)
}

/** A body that was announced as too large is refused before it is read. */
export function checkLength(announced: string | undefined, limit: number): void {
  if (announced !== undefined && Number(announced) > limit) throw tooLarge(limit)
}

export function nodeIncoming(request: IncomingMessage): Incoming {
  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: request.headers,
    read: (limit) =>
      new Promise((resolve, reject) => {
        checkLength(request.headers['content-length'], limit)
        const chunks: Buffer[] = []
        let size = 0
        request.on('data', (chunk: Buffer) => {
          const fits = size <= limit
          size += chunk.length
          if (size <= limit) chunks.push(chunk)
          else if (fits) {
            // What still comes is read and thrown away: a connection that is closed over unread bytes loses the answer.
            chunks.length = 0
            reject(tooLarge(limit))
          }
        })
        let whole = false
        request.on('end', () => {
          whole = true
          resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
        })
        // Every request closes in the end, and an error takes the time of a stack trace.
        const gone = (): void => {
          if (!whole) reject(new HeadgateError('cancelled', 'The caller left before its request had arrived.'))
        }
        request.on('error', gone)
        request.on('close', gone)
        if (request.destroyed) gone()
      }),
  }
}

export function nodeSink(response: ServerResponse): Sink {
  let drained: (() => void) | undefined
  return {
    head(status, headers) {
      response.writeHead(status, headers)
    },
    write: (chunk) => response.write(chunk),
    onDrain(callback) {
      if (!drained) {
        response.once('drain', () => {
          const run = drained
          drained = undefined
          run?.()
        })
      }
      drained = callback
    },
    end(chunk) {
      response.end(chunk)
    },
    destroy() {
      response.destroy()
    },
    onClose(callback) {
      const closed = (): void => {
        if (!response.writableFinished) callback()
      }
      if (response.destroyed) closed()
      else response.on('close', closed)
    },
  }
}
