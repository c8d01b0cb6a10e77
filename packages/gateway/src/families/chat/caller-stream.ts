import type { Loss } from '@headgate/core/canonical'
import { ARRAY_PING } from '@headgate/core/canonical'
import type { HeadgateError } from '@headgate/core/errors'
import type { ResponseHeaders } from '../../edge/sink.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import type { RunningAttempt } from '../../serve/attempt.ts'
import { sendHead } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import type { ChatCall } from './chat-call.ts'
import type { ChatPlan } from './plan.ts'
import { storeResponse } from './responses/storage.ts'
import { type ChatResult, settle } from './settle.ts'
import { servedHeaders } from './unary.ts'

const CONTENT_TYPE = { sse: 'text/event-stream; charset=utf-8', 'json-array': 'application/json' } as const

/** Writer of a caller's stream. It starts at the commit point and ends after the usage row is recorded. */
export interface CallerStream {
  readonly committed: boolean
  /** Sends the head, then the buffered output. */
  commit(headers: UpstreamHeaders): void
  /** Writes or buffers output. Before the commit point, and after `hold` is set, output is buffered. */
  write(piece: Uint8Array | string): void
  hold: boolean
  /** Bytes buffered here, plus bytes in the socket of a slow caller. */
  held(): number
  /** Records usage, then sends the buffered output and `last`, and ends. */
  finish(result: ChatResult, last?: string): void
  /** Ends after a failure past the commit point. Unless the upstream's error was forwarded, it writes an error in the caller's format. */
  fail(error: HeadgateError, result: ChatResult, isForwarded: boolean): void
  close(): void
}

export interface CallerStreamOptions {
  readonly pings: boolean
  /** Writes the error as the stream's last frames. */
  readonly failure: (error: HeadgateError) => string
  /** Losses of the response. */
  readonly losses: readonly Loss[]
  /** Work to finish before the first frame. Never rejects. */
  readonly before?: () => Promise<void> | undefined
}

function streamHeaders(plan: ChatPlan, upstream: UpstreamHeaders, contentType: string): ResponseHeaders {
  const headers = servedHeaders(plan, upstream, contentType, plan.losses)
  headers['cache-control'] = 'no-cache, no-transform'
  headers['x-accel-buffering'] = 'no'
  return headers
}

/** Opens a stream writer. It pauses the attempt while the caller does not read. */
export function openCallerStream(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  attempt: RunningAttempt,
  options: CallerStreamOptions,
): CallerStream {
  const { context } = chat
  const { sink } = context
  const sign = chat.framing === 'json-array' ? ARRAY_PING : chat.format.ping
  const waiting: (Uint8Array | string)[] = []
  let waitingSize = 0
  let isStalled = false
  let ping: NodeJS.Timeout | undefined
  const send = (piece: Uint8Array | string): void => {
    if (piece.length === 0 || context.gone) return
    ping?.refresh()
    if (sink.write(piece)) return
    attempt.call?.pause()
    isStalled = true
    sink.onDrain(() => {
      isStalled = false
      attempt.call?.resume()
    })
  }
  const flush = (): void => {
    waitingSize = 0
    for (const piece of waiting.splice(0)) send(piece)
  }
  /** Pending work of `before`; the head and all output wait for it. */
  let begun: Promise<void> | undefined
  const open = (headers: UpstreamHeaders): void => {
    sendHead(context, 200, streamHeaders(plan, headers, CONTENT_TYPE[chat.framing]))
    if (options.pings && !attempt.isOver()) ping = setInterval(() => send(sign), core.times.ping)
    if (!caller.hold) flush()
  }
  const end = (result: ChatResult, last: string): void => {
    clearInterval(ping)
    const close = (): undefined => {
      if (context.gone) return
      flush()
      sink.end(last === '' ? undefined : last)
    }
    attempt.done('served', () => {
      const settled = settle(core, chat, plan, { ...result, losses: options.losses })
      const kept = storeResponse(core, chat, plan, result.summary)
      if (!kept && !begun) return settled ? settled.then(close) : close()
      return Promise.all([begun, kept, settled]).then(close)
    })
  }
  const caller = {
    committed: false,
    hold: false,
    commit(headers: UpstreamHeaders) {
      attempt.commit()
      caller.committed = true
      begun = options.before?.()
      if (!begun) return open(headers)
      attempt.call?.pause()
      begun = begun.then(() => {
        begun = undefined
        if (context.gone) return
        open(headers)
        if (!attempt.isOver()) attempt.call?.resume()
      })
    },
    write(piece: Uint8Array | string) {
      if (piece.length === 0) return
      if (caller.committed && !caller.hold && !begun) return send(piece)
      waiting.push(piece)
      waitingSize += piece.length
    },
    held: () => (isStalled ? waitingSize + sink.unsent() : waitingSize),
    finish: (result: ChatResult, last = '') => end(result, last),
    fail: (error: HeadgateError, result: ChatResult, isForwarded: boolean) =>
      end(result, isForwarded ? '' : options.failure(error)),
    close: () => clearInterval(ping),
  }
  return caller
}
