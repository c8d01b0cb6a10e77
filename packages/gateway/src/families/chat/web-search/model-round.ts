import type { Origin, Part, StreamReader } from '@headgate/core/canonical'
import {
  createTextSample,
  observe,
  partsOf,
  restoreParts,
  restoreResponse,
  type StreamObservations,
  type TextSample,
  upstreamErrorOf,
} from '@headgate/core/canonical'
import type { HttpResponse } from '@headgate/core/contract'
import { HeadgateError, reworded, type UpstreamError } from '@headgate/core/errors'
import type { Framing } from '../../../http/framing.ts'
import type { MemoryLease } from '../../../http/memory.ts'
import type { UpstreamHeaders } from '../../../http/upstream.ts'
import { readWholeResponse } from '../../../http/whole-response.ts'
import type { Consumer, RunningAttempt } from '../../../serve/attempt.ts'
import type { Core } from '../../../serve/core.ts'
import { explain, failureOf } from '../../../serve/failure.ts'
import type { ChatCall } from '../chat-call.ts'
import type { ChatPlan, RemotePlan } from '../plan.ts'
import { brokenStream, patches } from '../relay.ts'
import { LINGER_MS, wholeFrame } from '../stream.ts'
import { patchedAnswer, usageIn, usedBy } from '../unary.ts'

/** Output of one model call. */
export interface ModelRound {
  readonly memory: Pick<MemoryLease, 'take'>
  readonly seen: StreamObservations
  readonly textSample: TextSample
  headers: UpstreamHeaders
}

export function createRound(memory: ModelRound['memory']): ModelRound {
  return { memory, seen: { content: false, finished: 0 }, textSample: createTextSample(), headers: {} }
}

/** Consumer of one model call. */
abstract class RoundConsumer implements Consumer {
  protected readonly core: Core
  protected readonly chat: ChatCall
  protected readonly plan: ChatPlan
  protected readonly remote: RemotePlan
  protected readonly attempt: RunningAttempt
  protected readonly round: ModelRound
  private readonly take: (parts: readonly Part[]) => void
  private readonly note: (part: Part) => void
  private readonly chunks: Buffer[] = []
  private size = 0

  constructor({ core, chat, plan, remote, attempt, round, take }: RoundOptions) {
    this.core = core
    this.chat = chat
    this.plan = plan
    this.remote = remote
    this.attempt = attempt
    this.round = round
    this.take = take
    this.note = observe(round.seen, round.textSample)
  }

  abstract data(chunk: Buffer): void
  abstract end(): void

  head(status: number, given: UpstreamHeaders): void {
    this.attempt.status = status
    this.round.headers = given
  }

  fail(error: HeadgateError): void {
    this.attempt.done(reworded(error, `${this.plan.candidate.instance.name}: ${error.message}`))
  }

  readonly stop = (error: HeadgateError): void => {
    this.over()
    this.attempt.done(error)
  }

  /** Stops timers. */
  protected over(): void {}

  /** Forwards parts until an error part. */
  protected pass(parts: readonly Part[]): void {
    const { seen } = this.round
    const good: Part[] = []
    for (const part of parts) {
      this.note(part)
      if (seen.error) break
      good.push(part)
    }
    this.take(good)
    if (!seen.error) return
    const { instance, endpoint, model } = this.plan.candidate
    const error = upstreamErrorOf(seen.error)
    const found: UpstreamError = error.kind === 'cut' ? { ...error, kind: 'upstream' } : error
    this.attempt.done(explain(found, instance.name, model, endpoint.provider))
  }

  protected gather(chunk: Buffer): void {
    const { answer: limit } = this.core.limits
    this.round.memory.take(chunk.length)
    this.size += chunk.length
    if (this.size <= limit) this.chunks.push(chunk)
    else this.upstream(`responded with more than ${limit} bytes.`)
  }

  protected gathered(): HttpResponse {
    return readWholeResponse(this.attempt.status ?? 0, this.round.headers, Buffer.concat(this.chunks))
  }

  /** Checks a complete response. If it is a failure, the attempt ends with it. */
  protected refused(): boolean {
    const { core, chat, plan, remote, attempt } = this
    const { instance, endpoint, model } = plan.candidate
    const answer = this.gathered()
    const error = failureOf(answer, remote.format, endpoint.provider)
    if (!error) return false
    attempt.refused = answer.status >= 400
    attempt.used = usedBy(core, chat, plan, usageIn(remote, answer.body))
    attempt.done(explain(error, instance.name, model, endpoint.provider))
    return true
  }

  /** Ends the attempt with an error of the provider. */
  protected upstream(what: string): void {
    this.attempt.done(new HeadgateError('upstream', `${this.plan.candidate.instance.name} ${what}`))
  }
}

/** Model call with a unary response. */
class WholeRound extends RoundConsumer {
  data(chunk: Buffer): void {
    this.gather(chunk)
  }

  end(): void {
    if (this.refused()) return
    const { remote, attempt } = this
    try {
      const patched = patchedAnswer(remote, this.gathered())
      this.pass(partsOf(restoreResponse(remote.format.readResponse(patched, originOf(remote)), remote.restore)))
    } catch (cause) {
      const why = HeadgateError.is(cause) ? cause.message : `The response is not valid ${remote.format.id}.`
      attempt.done(new HeadgateError('upstream', `${this.plan.candidate.instance.name}: ${why}`, { cause }))
    }
    attempt.done('served')
  }
}

/** Model call with a stream. */
class StreamedRound extends RoundConsumer {
  private readonly splitter: ReturnType<Framing['splitter']>
  private readonly reader: StreamReader
  private readonly patch: ReturnType<typeof patches>
  private readonly bend: ReturnType<typeof restoreParts>
  private linger: NodeJS.Timeout | undefined
  private isUnusable = false

  constructor(options: RoundOptions) {
    super(options)
    const { remote } = options
    this.splitter = remote.framing.splitter()
    this.reader = remote.format.readStream(originOf(remote))
    this.patch = patches(remote.support, remote.call)
    this.bend = restoreParts(remote.restore)
  }

  override head(status: number, given: UpstreamHeaders): void {
    super.head(status, given)
    const type = given['content-type']
    this.isUnusable = status >= 300 || (type !== undefined && !this.remote.framing.type.test(String(type)))
  }

  data(chunk: Buffer): void {
    if (this.isUnusable) {
      this.gather(chunk)
      return
    }
    const { round, attempt } = this
    try {
      // The parts of all calls stay in memory until the response ends.
      round.memory.take(chunk.length)
      const piece = this.splitter.push(chunk)
      if (piece) this.read(piece)
    } catch (cause) {
      attempt.done(brokenStream(cause))
    }
    // Only usage can follow the finish reason; it gets a limited time.
    if (round.seen.finished > 0 && !attempt.isOver()) this.linger ??= setTimeout(() => this.conclude(), LINGER_MS)
  }

  end(): void {
    if (!this.isUnusable) this.conclude()
    else if (!this.refused()) this.upstream('did not respond with a stream.')
  }

  override fail(error: HeadgateError): void {
    this.over()
    if (this.round.seen.finished > 0) this.conclude()
    else super.fail(error)
  }

  protected override over(): void {
    clearTimeout(this.linger)
  }

  private read(piece: Uint8Array): void {
    for (const raw of this.remote.framing.read(piece)) {
      const frame = this.attempt.isOver() ? undefined : this.patch(raw)
      if (frame) this.pass(this.reader.push(frame).flatMap(this.bend))
    }
  }

  private conclude(): void {
    const { attempt } = this
    const { seen } = this.round
    this.over()
    try {
      const rest = this.splitter.rest()
      const frame = rest && wholeFrame(this.remote.framing, rest)
      if (frame) this.read(frame)
      if (!attempt.isOver()) this.pass(this.reader.end().flatMap(this.bend))
    } catch (cause) {
      attempt.done(brokenStream(cause))
    }
    if (seen.finished > 0) attempt.done('served')
    else this.upstream(seen.content ? 'ended its stream before it was complete.' : 'ended its stream without output.')
  }
}

function originOf({ target: { signer } }: RemotePlan): Origin {
  return signer === undefined ? {} : { signer }
}

/** Settings of a model call. */
export interface RoundOptions {
  readonly core: Core
  readonly chat: ChatCall
  readonly plan: ChatPlan
  readonly remote: RemotePlan
  readonly attempt: RunningAttempt
  readonly round: ModelRound
  /** Receives the parts of the model. */
  take(parts: readonly Part[]): void
}

/** Consumer of one model call. Parts of a stream arrive one by one, parts of a unary response together. */
export function roundConsumer(options: RoundOptions): Consumer {
  return options.remote.call.stream ? new StreamedRound(options) : new WholeRound(options)
}
