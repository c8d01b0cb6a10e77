import type { MessagePort } from 'node:worker_threads'
import { HeadgateError } from '@headgate/gateway/ports'
import { isAway } from '../database/failure.ts'
import { AWAY, type CallFailure, type CallMessage, type Calls, type ReplyMessage } from './messages.ts'

/**
 * Serves calls of the main thread in a worker.
 * @param begin preparation before the first call, repeated before the next call if it fails
 */
export function serveCalls(port: MessagePort, begin: () => Promise<Calls>): void {
  let begun: Promise<Calls> | undefined
  const ready = (): Promise<Calls> => {
    begun ??= begin().catch((error: unknown) => {
      begun = undefined
      throw error
    })
    return begun
  }
  // Callers get the error.
  ready().catch(() => {})
  const answer = (message: ReplyMessage): void => port.postMessage(message)
  port.on('message', ({ id, name, args }: CallMessage) => {
    ready()
      .then(async (calls) =>
        (calls[name] as ((...given: readonly unknown[]) => Promise<unknown>) | undefined)?.(...args),
      )
      .then((value) => answer({ id, value }))
      .catch((error: unknown) => answer({ id, failure: failureOf(error) }))
  })
}

/** Sends an announcement to the main thread. */
export function announce(port: MessagePort, announced: string, value?: unknown): void {
  port.postMessage({ announced, value } satisfies ReplyMessage)
}

function failureOf(error: unknown): CallFailure {
  if (HeadgateError.is(error)) {
    const { message, kind, param, retryAfterMs, status } = error
    return { message, kind, param, retryAfterMs, status }
  }
  const message = error instanceof Error ? error.message : String(error)
  return isAway(error)
    ? { message: `The store does not answer: ${message || 'it is unreachable'}`, ...AWAY }
    : { message }
}
