import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeadgateError } from '@headgate/gateway'

/** Maximum size of a body in bytes. Callers are not authenticated yet. */
const MOST = 262_144
/** Maximum size of all bodies in memory, in bytes. */
const MOST_HELD = 64 * MOST
/** Time limit for a body in milliseconds. */
const PATIENCE = 30_000

/** Reader of request bodies. */
export interface Bodies {
  /** @throws HeadgateError for a body that is too long or incomplete. */
  read(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): Promise<RequestBody>
}

export interface RequestBody {
  readonly bytes: Buffer<ArrayBuffer>
  /** Frees the reserved memory. Must be called once. */
  release(): void
}

export function createBodies(): Bodies {
  let held = 0

  return {
    read(request, response, awaitsContinue) {
      const { promise, resolve, reject } = Promise.withResolvers<RequestBody>()
      const chunks: Buffer[] = []
      let length = 0
      const release = () => {
        held -= length
        length = 0
      }
      const fail = (error: HeadgateError) => {
        end()
        release()
        reject(error)
      }
      const onData = (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        held += chunk.length
        if (length > MOST) fail(tooLarge())
        else if (held > MOST_HELD) fail(busy())
      }
      const onEnd = () => {
        end()
        resolve({ bytes: Buffer.concat(chunks), release })
      }
      const onClose = () => fail(left())
      const timer = setTimeout(() => fail(late()), PATIENCE)
      const end = () => {
        clearTimeout(timer)
        request.off('data', onData).off('end', onEnd).off('close', onClose).pause()
      }
      if (Number(request.headers['content-length']) > MOST) fail(tooLarge())
      else {
        if (awaitsContinue) response.writeContinue()
        request.on('data', onData).on('end', onEnd).on('close', onClose)
      }
      return promise
    },
  }
}

function tooLarge(): HeadgateError {
  return new HeadgateError('too-large', `The body is larger than ${MOST} bytes.`)
}

function late(): HeadgateError {
  return new HeadgateError('too-slow', `The body did not arrive within ${PATIENCE / 1_000} seconds.`)
}

function busy(): HeadgateError {
  return new HeadgateError('over-limit', 'Too many request bodies are being read. Try again in a moment.', {
    retryAfterMs: 1_000,
  })
}

function left(): HeadgateError {
  return new HeadgateError('canceled', 'The caller closed the connection.')
}
