import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeadgateError } from '@headgate/core/errors'
import type { Times } from '../ports/gateway-options.ts'
import type { Sink } from './sink.ts'

/** What a caller still sends once it has its answer is read so far, in bytes, and so long, in milliseconds. */
const LINGER_BYTES = 256 * 1024
const LINGER_MS = 2_000

/** Connections that end with the answer that they have. */
const ending = new Set<unknown>()

/** Whether a request came after one whose answer said that the connection ends: it is not looked at. */
export function isTooLate({ socket }: IncomingMessage): boolean {
  return ending.size > 0 && ending.has(socket)
}

/** Whether some of a request has not arrived. */
function isArriving({ complete, headers, httpVersionMajor }: IncomingMessage): boolean {
  if (complete || httpVersionMajor !== 1) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/**
 * Ends an answer that is written, when the rest of its request has arrived or is not worth the wait. Closing over bytes
 * that are on their way would reset the connection, and the caller would lose the answer.
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

/** The caller's side of an answer of `node:http`. A caller who does not read for `times.write` is left. */
export function nodeSink(request: IncomingMessage, response: ServerResponse, times: Times): Sink {
  let drained: (() => void) | undefined
  let why: HeadgateError | undefined
  let lingers = false
  let isStalled = false
  /** The server's own timeout, which ours stands in for. */
  let usual: number | undefined

  const leave = (): void => {
    if (isStalled) why = new HeadgateError('canceled', `The caller did not read its answer for ${times.write} ms.`)
    response.destroy()
  }
  const flows = (): void => {
    isStalled = false
    response.setTimeout(usual ?? 0)
  }
  /** Node's timeout sees whether the system still takes bytes of a write that is under way. */
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
    // Before Node's own listener, which begins the time that a kept connection may be idle.
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
      // Node would go over a string twice, for its length and as it goes out.
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
