import type { HeadgateError } from '@headgate/core/errors'
import { chatCompletions } from '@headgate/core/formats'
import { lostHeader } from '../../edge/lost.ts'
import type { ResponseHeaders } from '../../edge/sink.ts'
import type { RunningAttempt } from '../../serve/attempt.ts'
import { type Context, sendHead } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import type { SpeechCall, SpeechPlan } from './plan.ts'
import { type SpeechResult, settleSpeech } from './settle.ts'

/** Writer of a caller's response. It begins with the first sound, and ends after the usage row is recorded. */
export interface SpeechResponse {
  readonly isCommitted: boolean
  /** Sends the head. `type`: content type; `size`: size of the body in bytes, if it is known. */
  commit(type: string, size: number | undefined): void
  write(piece: Uint8Array | string): void
  /** Bytes in the socket of a slow caller. */
  held(): number
  /** Records usage, then sends `last` and ends. */
  finish(result: SpeechResult, last?: Uint8Array | string): void
  /**
   * Ends after a failure past the head: with an error event, or by breaking the connection, since a shorter sound would
   * look complete.
   */
  fail(error: HeadgateError, result: SpeechResult): void
}

function headersOf({ candidate, losses, responseLosses, isSse }: SpeechPlan, type: string): ResponseHeaders {
  const headers: ResponseHeaders = {
    'content-type': isSse ? 'text/event-stream; charset=utf-8' : type,
    'headgate-vendor': candidate.instance.name,
    'cache-control': isSse ? 'no-cache, no-transform' : 'no-store',
    'x-accel-buffering': 'no',
  }
  const lost = lostHeader([...losses, ...responseLosses.map((loss) => ({ ...loss, path: `response.${loss.path}` }))])
  if (lost !== undefined) headers['headgate-lost'] = lost
  return headers
}

/** Opens a response. It pauses the attempt while the caller does not read. */
export function openResponse(
  core: Core,
  context: Context,
  call: SpeechCall,
  plan: SpeechPlan,
  attempt: RunningAttempt,
): SpeechResponse {
  const { sink } = context
  let isStalled = false
  const end = (result: SpeechResult, close: () => void): void => {
    const unlessGone = (): undefined => {
      if (!context.gone) close()
    }
    attempt.done('served', () => {
      const settled = settleSpeech(core, context, call, plan, result)
      return settled ? settled.then(unlessGone) : unlessGone()
    })
  }
  const response = {
    isCommitted: false,
    commit(type: string, size: number | undefined) {
      attempt.commit()
      response.isCommitted = true
      const headers = headersOf(plan, type)
      if (size !== undefined && !plan.isSse) headers['content-length'] = String(size)
      sendHead(context, 200, headers)
    },
    write(piece: Uint8Array | string) {
      if (piece.length === 0 || context.gone || sink.write(piece)) return
      attempt.call?.pause()
      isStalled = true
      sink.onDrain(() => {
        isStalled = false
        attempt.call?.resume()
      })
    },
    held: () => (isStalled ? sink.unsent() : 0),
    finish: (result: SpeechResult, last: Uint8Array | string = '') =>
      end(result, () => void sink.end(last.length === 0 ? undefined : last)),
    fail: (error: HeadgateError, result: SpeechResult) =>
      end(result, () => (plan.isSse ? sink.end(chatCompletions.writeStreamError(error, context.id)) : sink.destroy())),
  }
  return response
}
