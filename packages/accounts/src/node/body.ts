import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeadgateError } from '@headgate/gateway'

/** Most bytes of one body, and of all that are being read or worked on: nobody has shown yet who they are. */
const MOST = 262_144
const MOST_HELD = 64 * MOST
/** How long one may take to arrive, in milliseconds. */
const PATIENCE = 30_000

/** Bodies of requests, which are read whole. */
export interface Bodies {
  /** @throws HeadgateError for one that is too long, or does not arrive. */
  read(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): Promise<Body>
}

export interface Body {
  readonly bytes: Buffer<ArrayBuffer>
  /** To be called once, when nobody needs it any more. */
  release(): void
}

export function createBodies(): Bodies {
  let held = 0

  return {
    read(request, response, awaitsContinue) {
      const { promise, resolve, reject } = Promise.withResolvers<Body>()
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
  return new HeadgateError('too-large', `The body has more than the ${MOST} bytes that one may have here.`)
}

function late(): HeadgateError {
  return new HeadgateError('too-slow', `The body did not arrive within ${PATIENCE / 1_000} seconds.`)
}

function busy(): HeadgateError {
  return new HeadgateError('over-limit', 'Too many bodies are being read. Try again in a moment.', {
    retryAfterMs: 1_000,
  })
}

function left(): HeadgateError {
  return new HeadgateError('canceled', 'The caller has left.')
}
