import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeadgateError } from '@headgate/core/errors'
import type { Times } from '../ports/gateway-options.ts'
import type { Sink } from './sink.ts'

/** Maximum bytes and milliseconds of a request that are still read after its response has been written. */
const LINGER_BYTES = 256 * 1024
const LINGER_MS = 2_000

/** Connections that close after the current response. */
const ending = new Set<unknown>()

/** True if a request arrived on a connection that closes after the previous response. Such requests are ignored. */
export function isTooLate({ socket }: IncomingMessage): boolean {
  return ending.size > 0 && ending.has(socket)
}

/** True if part of the request has not arrived yet. */
function isArriving({ complete, headers, httpVersionMajor }: IncomingMessage): boolean {
  if (complete || httpVersionMajor !== 1) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/**
 * Ends a written response after the rest of the request has arrived, or after a limit. Closing a connection with unread
 * bytes would reset it, and the caller would lose the response.
 */
function linger(request: IncomingMessage, response: ServerResponse): void {
  let size = 0
  const end = (): void => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, LINGER_MS)
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > LINGER_BYTES) request.pause()
  })
  request.once('end', end)
  response.once('close', () => clearTimeout(timer))
}

/** Sink of a `node:http` response. A caller that does not read for `times.write` is disconnected. */
export function nodeSink(request: IncomingMessage, response: ServerResponse, times: Times): Sink {
  let drained: (() => void) | undefined
  let why: HeadgateError | undefined
  let lingers = false
  let isStalled = false
  /** Socket timeout of the server, which is restored later. */
  let usual: number | undefined

  const leave = (): void => {
    if (isStalled) why = new HeadgateError('canceled', `The caller did not read the response for ${times.write} ms.`)
    response.destroy()
  }
  const flows = (): void => {
    isStalled = false
    response.setTimeout(usual ?? 0)
  }
  /** Node's timeout is reset while the system still accepts bytes of a pending write. */
  const stall = (): void => {
    if (isStalled) return
    isStalled = true
    if (usual === undefined) {
      usual = response.socket?.timeout ?? 0
      response.on('timeout', leave)
    }
    response.setTimeout(times.write)
  }
  const onDrain = (): void => {
    flows()
    const run = drained
    drained = undefined
    run?.()
  }
  const end = (chunk?: Uint8Array | string): void => {
    if (lingers) {
      if (chunk !== undefined) response.write(chunk)
      linger(request, response)
    } else response.end(chunk)
    if (response.writableLength === 0) return
    stall()
    const late = setTimeout(leave, times.whole)
    // Runs before Node's own listener, which starts the keep-alive timeout.
    response.prependListener('finish', flows)
    response.once('close', () => clearTimeout(late))
  }

  return {
    head(status, headers) {
      if (isArriving(request)) {
        lingers = true
        const { socket } = request
        ending.add(socket)
        response.once('close', () => ending.delete(socket))
        headers['connection'] = 'close'
      }
      response.writeHead(status, headers)
    },
    write(chunk) {
      // Node would process a string twice, once for its length.
      if (response.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) return true
      if (!isStalled) response.once('drain', onDrain)
      stall()
      return false
    },
    onDrain(callback) {
      drained = callback
    },
    end,
    unsent: () => (response.destroyed ? 0 : response.writableLength),
    onSettled(callback) {
      response.once('close', callback)
    },
    destroy() {
      response.destroy()
    },
    onClose(callback) {
      const closed = (): void => {
        if (!response.writableFinished) callback(why)
      }
      if (response.destroyed) closed()
      else response.on('close', closed)
    },
  }
}
