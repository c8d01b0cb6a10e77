import type { Frame, Loss } from '@headgate/core/canonical'
import { parse } from '@headgate/core/canonical'
import { HeadgateError, reworded, type UpstreamError } from '@headgate/core/errors'
import { readAnswer } from '../../http/answer.ts'
import type { Framing } from '../../http/framing.ts'
import { scrub } from '../../http/scrub.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import type { Attempt, Consumer } from '../../serve/attempt.ts'
import type { Core } from '../../serve/core.ts'
import { explain, failureOf } from '../../serve/failure.ts'
import type { Ask } from './ask.ts'
import { openOutlet } from './outlet.ts'
import type { Plan, RemotePlan } from './plan.ts'
import { brokenStream, relayFor } from './relay.ts'
import { recordHome } from './responses/keeping.ts'
import { type Result, settle } from './settle.ts'
import { usageIn, usedBy } from './unary.ts'

/** How long an upstream that has said all may take to say what it counted, and to close, in milliseconds. */
export const LINGER_MS = 2_000
/** Most bytes of a failure's body. */
const MAX_FAILURE = 1024 * 1024

/** Changes of what a stream holds are counted in steps, in bytes. */
const MEMORY_STEP = 65_536

/** Data that says nothing but that a stream is at its end. */
const DONE = '[DONE]'

/**
 * Bytes that no boundary ended, where they hold a whole frame all the same: with the boundary, unless they say nothing
 * but the end.
 */
export function wholeFrame(framing: Framing, bytes: Uint8Array): Uint8Array | undefined {
  try {
    const frames = framing.read(bytes)
    const isDone = ({ data }: Frame): boolean => data.startsWith(DONE)
    if (frames.length === 0 || !frames.every((frame) => isDone(frame) || parse(frame.data) !== undefined))
      return undefined
    return frames.every(isDone) ? bytes : framing.closed(bytes)
  } catch {
    return undefined
  }
}

/**
 * Passes a stream on as it comes. Until something commits the answer, any failure may still move to another candidate.
 */
export function streamConsumer(core: Core, ask: Ask, plan: Plan, remote: RemotePlan, attempt: Attempt): Consumer {
  const { instance, model } = plan.candidate
  const losses: Loss[] = []
  const relay = relayFor(ask, remote, losses, (text) => scrub(text, instance.provider))
  const { state } = relay
  const splitter = remote.framing.splitter()
  const outlet = openOutlet(core, ask, plan, attempt, {
    pings: !remote.native,
    losses,
    failure: relay.fail,
    before: () => recordHome(core, ask, plan, state.tally),
  })
  const lingerMs = Math.min(LINGER_MS, core.times.silence)
  let headers: UpstreamHeaders = {}
  let failed: Buffer[] | undefined
  let failedSize = 0
  let linger: NodeJS.Timeout | undefined
  /** Why the caller is not there any more, while its usage is still read. */
  let departed: HeadgateError | undefined
  let counted = 0

  /**
   * Counts what the stream holds: frames that are not whole, a failure's body, what waits for the caller. @throws
   * HeadgateError `over-limit`.
   */
  const count = (): void => {
    const held = splitter.held() + failedSize + outlet.held() + relay.held()
    if (Math.abs(held - counted) < MEMORY_STEP) return
    ask.context.memory.take(held - counted)
    counted = held
  }
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
    } else if (!state.content)
      fail(broken ?? new HeadgateError('upstream', `${instance.name} ended its stream before it said anything.`))
    else if (!state.complete) fail(broken ?? new HeadgateError('upstream', `${instance.name} cut its stream.`))
    else {
      outlet.hold = true
      outlet.write(rest)
      if (!outlet.committed) outlet.commit(headers)
      complete(last, broken !== undefined)
    }
  }
  const unusable = (isWhole: boolean): void => {
    const answer = readAnswer(attempt.status ?? 0, headers, Buffer.concat(failed ?? []))
    const error = failureOf(answer, remote.format, instance.provider)
    if (error) {
      attempt.refused = isWhole && answer.status >= 400
      attempt.used = usedBy(core, ask, plan, usageIn(remote, answer.body))
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
        if (failedSize > MAX_FAILURE) return unusable(false)
        failed.push(chunk)
        count()
        return
      }
      let piece: Uint8Array | undefined
      try {
        piece = splitter.push(chunk)
        count()
      } catch (cause) {
        fail(brokenStream(cause))
        return
      }
      if (piece) push(piece)
    },
    end() {
      if (failed) unusable(true)
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
