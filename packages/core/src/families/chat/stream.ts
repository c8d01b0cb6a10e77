import type { Frame } from '../../canonical/format.ts'
import { parse } from '../../canonical/json.ts'
import { ARRAY_PING } from '../../canonical/json-array.ts'
import type { Loss } from '../../canonical/loss.ts'
import { HeadgateError, reworded, type UpstreamError } from '../../errors.ts'
import { readAnswer } from '../../http/answer.ts'
import type { Framing } from '../../http/framing.ts'
import { scrub } from '../../http/scrub.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import type { Attempt, Consumer } from '../../pipeline/attempt.ts'
import { answerHead } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { explain, failureOf } from '../../pipeline/failure.ts'
import type { Ask } from './ask.ts'
import { keep, recordHome } from './keeping.ts'
import type { Plan, RemotePlan } from './plan.ts'
import { brokenStream, relayFor } from './relay.ts'
import { type Result, settle } from './settle.ts'
import { servedHeaders } from './unary.ts'

/** How long an upstream that has said all may take to say what it counted, and to close, in milliseconds. */
export const LINGER_MS = 2_000
/** Most bytes of a failure's body. */
const MAX_FAILURE = 1024 * 1024

const CONTENT_TYPE = { sse: 'text/event-stream; charset=utf-8', 'json-array': 'application/json' } as const

/** The caller's side of a stream: begun at the commit point, ended once its row is settled. */
export interface Outlet {
  readonly committed: boolean
  /** Sends the head, then what has waited. */
  commit(headers: UpstreamHeaders): void
  /** Before the commit point and once `hold` is set, what is written waits. */
  write(piece: Uint8Array | string): void
  hold: boolean
  /** Accounts, then sends what waits and `last`, and ends. */
  finish(result: Result, last?: string): void
  /** Ends after a failure past the commit point, with an error in the caller's format unless the caller was told. */
  fail(error: HeadgateError, result: Result, told: boolean): void
  close(): void
}

export interface OutletOptions {
  readonly pings: boolean
  /** Of the answer. */
  readonly losses: readonly Loss[]
  /** What the first frame waits for. Never rejects. */
  readonly before?: () => Promise<void> | undefined
}

/** Opens the caller's side of a stream. It pauses the attempt while the caller does not read. */
export function openOutlet(core: Core, ask: Ask, plan: Plan, attempt: Attempt, options: OutletOptions): Outlet {
  const { context } = ask
  const { sink } = context
  const sign = ask.framing === 'json-array' ? ARRAY_PING : ask.format.ping
  let waiting: (Uint8Array | string)[] = []
  let ping: NodeJS.Timeout | undefined
  const send = (piece: Uint8Array | string): void => {
    if (piece.length === 0 || context.gone) return
    ping?.refresh()
    if (sink.write(piece)) return
    attempt.call?.pause()
    sink.onDrain(() => attempt.call?.resume())
  }
  const flush = (): void => {
    const pieces = waiting
    waiting = []
    for (const piece of pieces) send(piece)
  }
  /** While it is there the head waits, and with it what is written. */
  let begun: Promise<void> | undefined
  const open = (headers: UpstreamHeaders): void => {
    const head = servedHeaders(plan, headers, CONTENT_TYPE[ask.framing], plan.losses)
    head['cache-control'] = 'no-cache, no-transform'
    head['x-accel-buffering'] = 'no'
    answerHead(context, 200, head)
    if (options.pings && !attempt.isOver()) ping = setInterval(() => send(sign), core.times.ping)
    if (!outlet.hold) flush()
  }
  const end = (result: Result, last: string): void => {
    clearInterval(ping)
    const close = (): undefined => {
      if (context.gone) return
      flush()
      sink.end(last === '' ? undefined : last)
    }
    attempt.done('served', () => {
      const settled = settle(core, ask, plan, { ...result, losses: options.losses })
      const kept = keep(core, ask, plan, result.tally)
      if (!kept && !begun) return settled ? settled.then(close) : close()
      return Promise.all([begun, kept, settled]).then(close)
    })
  }
  const outlet = {
    committed: false,
    hold: false,
    commit(headers: UpstreamHeaders) {
      outlet.committed = true
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
      if (outlet.committed && !outlet.hold && !begun) send(piece)
      else waiting.push(piece)
    },
    finish: (result: Result, last = '') => end(result, last),
    fail(error: HeadgateError, result: Result, told: boolean) {
      const frame = told ? '' : ask.format.writeStreamError(error, context.id, ask.framing)
      end(result, frame)
    },
    close: () => clearInterval(ping),
  }
  return outlet
}

/** Data that says nothing but that a stream is at its end. */
const DONE = '[DONE]'

/** Bytes that no boundary ended, where they hold a whole frame all the same: with the boundary, unless they say nothing but the end. */
export function wholeFrame(framing: Framing, bytes: Uint8Array): Uint8Array | undefined {
  try {
    const frames = framing.read(bytes)
    const isDone = ({ data }: Frame): boolean => data.startsWith(DONE)
    if (frames.length === 0 || !frames.every((frame) => isDone(frame) || parse(frame.data) !== undefined)) return undefined
    return frames.every(isDone) ? bytes : framing.closed(bytes)
  } catch {
    return undefined
  }
}

/** Passes a stream on as it comes. Until something commits the answer, any failure may still move to another candidate. */
export function streamConsumer(core: Core, ask: Ask, plan: Plan, remote: RemotePlan, attempt: Attempt): Consumer {
  const { instance, model } = plan.candidate
  const losses: Loss[] = []
  const relay = relayFor(ask, remote, losses, (text) => scrub(text, instance.provider))
  const { state } = relay
  const splitter = remote.framing.splitter()
  const outlet = openOutlet(core, ask, plan, attempt, {
    pings: !remote.native,
    losses,
    before: () => recordHome(core, ask, plan, state.tally),
  })
  const lingerMs = Math.min(LINGER_MS, core.times.silence)
  let headers: UpstreamHeaders = {}
  let failed: Buffer[] | undefined
  let failedSize = 0
  let linger: NodeJS.Timeout | undefined
  /** Why the caller is not there any more, while its usage is still read. */
  let departed: HeadgateError | undefined

  /** What was heard has to be estimated, unless the upstream has counted the whole. */
  const uncounted = (): Pick<Result, 'tally' | 'heard'> => {
    const { tally } = state
    return { tally, heard: tally.usage && relay.finishing() ? undefined : relay.heard }
  }
  const leave = (error: HeadgateError): void => {
    clearTimeout(linger)
    attempt.done(error, () => settle(core, ask, plan, { status: 499, why: 'cancelled', losses, ...uncounted() }))
  }
  const fail = (error: HeadgateError): void => {
    if (departed) {
      leave(departed)
      return
    }
    clearTimeout(linger)
    if (!outlet.committed) {
      outlet.close()
      attempt.done(error)
      return
    }
    const words = scrub(error.message, instance.provider)
    const said = words === error.message ? error : reworded(error, words)
    outlet.fail(said, { status: 200, why: 'cut', failure: error.kind, ...uncounted() }, state.told)
  }
  /** What the upstream said is wrong. A stream that was cut before anything of it went out is one that never came. */
  const explained = (error: UpstreamError): HeadgateError =>
    explain(error.kind === 'cut' ? { ...error, kind: 'upstream' } : error, instance.name, model, instance.provider)
  const complete = (last: string, isBroken: boolean): void => {
    clearTimeout(linger)
    outlet.finish({ status: 200, why: 'served', ...(isBroken ? uncounted() : { tally: state.tally }) }, last)
  }
  const write = (out: Uint8Array | string): void => {
    if (state.ended && !linger) linger = setTimeout(conclude, lingerMs)
    outlet.hold ||= state.ended || state.error !== undefined
    outlet.write(out)
    if (state.content && !outlet.committed) outlet.commit(headers)
  }
  const pass = (out: Uint8Array | string): void => {
    if (departed) {
      if (state.ended || state.error) leave(departed)
      return
    }
    // What stood before an error in the same piece still counts.
    if (!state.error || state.content) write(out)
    if (!state.error) return
    if (state.closing && !state.ended) linger ??= setTimeout(conclude, lingerMs)
    else {
      attempt.refused = !state.content
      fail(explained(state.error))
    }
  }
  const push = (piece: Uint8Array): void => {
    try {
      pass(relay.push(piece))
    } catch (cause) {
      fail(brokenStream(cause))
    }
  }
  /** What the caller gets of a last frame that lacks its boundary. */
  const takeRest = (): Uint8Array | string => {
    const rest = splitter.rest()
    const frame = rest && wholeFrame(remote.framing, rest)
    if (!frame) return ''
    const before = state.error
    const out = relay.push(frame)
    if (state.error === before) return out
    state.told = false
    return ''
  }
  /** The upstream says no more: its stream has ended, `broken` off, or is not waited for any longer. */
  const conclude = (broken?: HeadgateError): void => {
    let rest: Uint8Array | string
    let last = ''
    try {
      rest = takeRest()
      if (!broken || relay.finishing() || state.error) last = relay.end()
    } catch (cause) {
      fail(brokenStream(cause))
      return
    }
    if (departed) leave(departed)
    else if (state.error) {
      state.closing = false
      pass(state.told ? rest : last)
    } else if (!state.content) fail(broken ?? new HeadgateError('upstream', `${instance.name} ended its stream before it said anything.`))
    else if (!state.complete) fail(broken ?? new HeadgateError('upstream', `${instance.name} cut its stream.`))
    else {
      outlet.hold = true
      outlet.write(rest)
      if (!outlet.committed) outlet.commit(headers)
      complete(last, broken !== undefined)
    }
  }
  const unusable = (): void => {
    const answer = readAnswer(attempt.status ?? 0, headers, Buffer.concat(failed ?? []))
    const error = failureOf(answer, remote.format, instance.provider)
    if (error) {
      attempt.refused = true
      fail(explained(error))
    } else
      fail(
        new HeadgateError(
          'upstream',
          `${instance.name} answered with content type "${scrub(String(headers['content-type']), instance.provider).slice(0, 80)}" where a stream was due.`,
        ),
      )
  }

  return {
    head(status, given) {
      attempt.status = status
      headers = given
      const type = given['content-type']
      if (status >= 300 || (type !== undefined && !remote.framing.type.test(String(type)))) failed = []
    },
    data(chunk) {
      if (failed) {
        failedSize += chunk.length
        if (failedSize <= MAX_FAILURE) failed.push(chunk)
        else unusable()
        return
      }
      let piece: Uint8Array | undefined
      try {
        piece = splitter.push(chunk)
      } catch (cause) {
        fail(brokenStream(cause))
        return
      }
      if (piece) push(piece)
    },
    end() {
      if (failed) unusable()
      else conclude()
    },
    fail(error) {
      conclude(reworded(error, `${instance.name}: ${error.message}`))
    },
    stop(error) {
      outlet.close()
      if (departed) leave(departed)
      else if (error.kind !== 'cancelled') conclude(error)
      else if (!outlet.committed) attempt.done(error)
      else if (state.ended || !relay.finishing()) leave(error)
      else {
        departed = error
        linger = setTimeout(conclude, lingerMs)
        attempt.call?.resume()
      }
    },
  }
}
