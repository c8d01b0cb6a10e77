import type { Frame, Loss } from '@headgate/core/canonical'
import { parse } from '@headgate/core/canonical'
import { HeadgateError, reworded, type UpstreamError } from '@headgate/core/errors'
import { now } from '../../clock.ts'
import type { Framing } from '../../http/framing.ts'
import { scrub } from '../../http/scrub.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import { readWholeResponse } from '../../http/whole-response.ts'
import type { Consumer, RunningAttempt } from '../../serve/attempt.ts'
import type { Core } from '../../serve/core.ts'
import { explain, failureOf } from '../../serve/failure.ts'
import { type CallerStream, openCallerStream } from './caller-stream.ts'
import type { ChatCall } from './chat-call.ts'
import type { ChatPlan, RemotePlan } from './plan.ts'
import { brokenStream, type Relay, relayFor } from './relay.ts'
import { recordProvider } from './responses/storage.ts'
import { type ChatResult, settle } from './settle.ts'
import { usageIn, usedBy } from './unary.ts'

/** Time after the finish reason for an upstream to send usage and close, in milliseconds. */
export const LINGER_MS = 2_000
/** Maximum bytes of a failure's body. */
const MAX_FAILURE = 1024 * 1024

/** Minimum change of buffered bytes to report to the memory quota. */
const MEMORY_STEP = 65_536

/** End marker of a stream. */
const DONE = '[DONE]'

/**
 * Bytes without a frame boundary that still contain a complete frame, with the boundary added unless they are only an
 * end marker. Undefined = incomplete.
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

/** Consumer of one upstream stream. It is a class because many functions share its state. */
class StreamConsumer implements Consumer {
  private readonly core: Core
  private readonly chat: ChatCall
  private readonly plan: ChatPlan
  private readonly remote: RemotePlan
  private readonly attempt: RunningAttempt
  private readonly losses: Loss[] = []
  private readonly relay: Relay
  private readonly splitter: ReturnType<Framing['splitter']>
  private readonly caller: CallerStream
  private readonly lingerMs: number
  private headers: UpstreamHeaders = {}
  private failed: Buffer[] | undefined
  private failedSize = 0
  private linger: NodeJS.Timeout | undefined
  /** Reason why the caller left, while the upstream's usage is still read. */
  private departed: HeadgateError | undefined
  private counted = 0

  constructor(core: Core, chat: ChatCall, plan: ChatPlan, remote: RemotePlan, attempt: RunningAttempt) {
    this.core = core
    this.chat = chat
    this.plan = plan
    this.remote = remote
    this.attempt = attempt
    const { provider } = plan.candidate.endpoint
    const relay = relayFor(chat, remote, this.losses, (text) => scrub(text, provider))
    this.relay = relay
    this.splitter = remote.framing.splitter()
    this.caller = openCallerStream(core, chat, plan, attempt, {
      pings: !remote.native,
      losses: this.losses,
      failure: relay.fail,
      before: () => recordProvider(core, chat, plan, relay.state.summary),
    })
    this.lingerMs = Math.min(LINGER_MS, core.times.silence)
  }

  head(status: number, given: UpstreamHeaders): void {
    this.attempt.status = status
    this.headers = given
    const type = given['content-type']
    if (status >= 300 || (type !== undefined && !this.remote.framing.type.test(String(type)))) this.failed = []
  }

  data(chunk: Buffer): void {
    if (this.failed) {
      this.failedSize += chunk.length
      if (this.failedSize > MAX_FAILURE) this.unusable(false)
      else {
        this.failed.push(chunk)
        this.count()
      }
      return
    }
    const { context } = this.chat
    context.chunks++
    if (!this.caller.committed) context.answeredAt = now()
    let piece: Uint8Array | undefined
    try {
      piece = this.splitter.push(chunk)
      this.count()
    } catch (cause) {
      this.failWith(brokenStream(cause))
      return
    }
    if (piece) this.push(piece)
  }

  end(): void {
    if (this.failed) this.unusable(true)
    else this.conclude()
  }

  fail(error: HeadgateError): void {
    this.conclude(reworded(error, `${this.plan.candidate.instance.name}: ${error.message}`))
  }

  readonly stop = (error: HeadgateError): void => {
    const { caller, relay, attempt } = this
    caller.close()
    if (this.departed) this.leave(this.departed)
    else if (error.kind !== 'canceled') this.conclude(error)
    else if (!caller.committed) attempt.done(error)
    else if (relay.state.ended || !relay.finishing()) this.leave(error)
    else {
      this.departed = error
      this.beginLinger()
      attempt.call?.resume()
    }
  }

  /** Waits for the upstream to close a finished stream. */
  private beginLinger(): void {
    this.linger = setTimeout(() => this.conclude(), this.lingerMs)
  }

  /**
   * Reports the memory of incomplete frames, a failure's body and buffered output.
   * @throws HeadgateError `over-limit`
   */
  private count(): void {
    const held = this.splitter.held() + this.failedSize + this.caller.held() + this.relay.held()
    if (Math.abs(held - this.counted) < MEMORY_STEP) return
    this.chat.context.memory.take(held - this.counted)
    this.counted = held
  }

  /** The usage so far, with a sample to estimate the rest unless the upstream counted everything. */
  private uncounted(): Pick<ChatResult, 'summary' | 'textSample'> {
    const { relay } = this
    const { summary } = relay.state
    return { summary, textSample: summary.usage && relay.finishing() ? undefined : relay.textSample }
  }

  private leave(error: HeadgateError): void {
    const { core, chat, plan, losses } = this
    clearTimeout(this.linger)
    this.attempt.done(error, () =>
      settle(core, chat, plan, { status: 499, why: 'canceled', losses, ...this.uncounted() }),
    )
  }

  /** Ends the stream with a failure. */
  private failWith(error: HeadgateError): void {
    if (this.departed) {
      this.leave(this.departed)
      return
    }
    const { caller, plan, relay } = this
    clearTimeout(this.linger)
    if (!caller.committed) {
      caller.close()
      this.attempt.done(error)
      return
    }
    const words = scrub(error.message, plan.candidate.endpoint.provider)
    const said = words === error.message ? error : reworded(error, words)
    caller.fail(said, { status: 200, why: 'cut', failure: error.kind, ...this.uncounted() }, relay.state.forwarded)
  }

  /** The error to report. A stream cut before any output is treated as an upstream failure. */
  private explained(error: UpstreamError): HeadgateError {
    const { instance, endpoint, model } = this.plan.candidate
    const found = error.kind === 'cut' ? { ...error, kind: 'upstream' as const } : error
    return explain(found, instance.name, model, endpoint.provider)
  }

  private complete(last: string, isBroken: boolean): void {
    clearTimeout(this.linger)
    const counts = isBroken ? this.uncounted() : { summary: this.relay.state.summary }
    this.caller.finish({ status: 200, why: 'served', ...counts }, last)
  }

  private write(out: Uint8Array | string): void {
    const { caller } = this
    const { state } = this.relay
    if (state.ended && !this.linger) this.beginLinger()
    caller.hold ||= state.ended || state.error !== undefined
    caller.write(out)
    if (state.content && !caller.committed) caller.commit(this.headers)
  }

  private pass(out: Uint8Array | string): void {
    const { state } = this.relay
    if (this.departed) {
      if (state.ended || state.error) this.leave(this.departed)
      return
    }
    // Content before an error in the same piece still counts.
    if (!state.error || state.content) this.write(out)
    if (!state.error) return
    if (!state.closing || state.ended) this.failWith(this.explained(state.error))
    else if (!this.linger) this.beginLinger()
  }

  private push(piece: Uint8Array): void {
    try {
      this.pass(this.relay.push(piece))
    } catch (cause) {
      this.failWith(brokenStream(cause))
    }
  }

  /** Output of a last frame without a boundary. */
  private takeRest(): Uint8Array | string {
    const { relay } = this
    const rest = this.splitter.rest()
    const frame = rest && wholeFrame(this.remote.framing, rest)
    if (!frame) return ''
    const before = relay.state.error
    const out = relay.push(frame)
    if (relay.state.error === before) return out
    relay.state.forwarded = false
    return ''
  }

  /** Handles the end of the upstream's stream: it ended, broke off (`broken`) or timed out. */
  private conclude(broken?: HeadgateError): void {
    const { relay, caller } = this
    const { state } = relay
    const { name } = this.plan.candidate.instance
    let rest: Uint8Array | string
    let last = ''
    try {
      rest = this.takeRest()
      if (!broken || relay.finishing() || state.error) last = relay.end()
    } catch (cause) {
      this.failWith(brokenStream(cause))
      return
    }
    if (this.departed) this.leave(this.departed)
    else if (state.error) {
      state.closing = false
      this.pass(state.forwarded ? rest : last)
    } else if (!state.content)
      this.failWith(broken ?? new HeadgateError('upstream', `${name} ended its stream without output.`))
    else if (!state.complete)
      this.failWith(broken ?? new HeadgateError('upstream', `${name} ended its stream before it was complete.`))
    else {
      caller.hold = true
      caller.write(rest)
      if (!caller.committed) caller.commit(this.headers)
      this.complete(last, broken !== undefined)
    }
  }

  /** Handles a response that is not a stream. */
  private unusable(isWhole: boolean): void {
    const { core, chat, plan, remote, attempt, headers } = this
    const { name } = plan.candidate.instance
    const { provider } = plan.candidate.endpoint
    const answer = readWholeResponse(attempt.status ?? 0, headers, Buffer.concat(this.failed ?? []))
    const error = failureOf(answer, remote.format, provider)
    if (error) {
      attempt.refused = isWhole && answer.status >= 400
      attempt.used = usedBy(core, chat, plan, usageIn(remote, answer.body))
      this.failWith(this.explained(error))
      return
    }
    const type = scrub(String(headers['content-type']), provider).slice(0, 80)
    const message = `${name} responded with content type "${type}" instead of a stream.`
    this.failWith(new HeadgateError('upstream', message))
  }
}

/**
 * Consumer that forwards a stream as it arrives. Until the response is committed, any failure can move to another
 * candidate.
 */
export function streamConsumer(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  remote: RemotePlan,
  attempt: RunningAttempt,
): Consumer {
  return new StreamConsumer(core, chat, plan, remote, attempt)
}
