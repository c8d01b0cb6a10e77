import { type Frame, parse, type Usage } from '@headgate/core/canonical'
import type { SpeechPart } from '@headgate/core/contract'
import { asError, HeadgateError, reworded } from '@headgate/core/errors'
import { takeTurn } from '#transport'
import { type Chunks, createChunks } from '../../edge/chunks.ts'
import { FRAMINGS } from '../../http/framing.ts'
import { scrub, scrubError } from '../../http/scrub.ts'
import { LARGE_BODY } from '../../http/turns.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import { plainHeaders, readWholeResponse } from '../../http/whole-response.ts'
import type { Consumer, RunningAttempt } from '../../serve/attempt.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { createFailedBody, type FailedBody, reportedFailure } from '../../serve/failed-body.ts'
import { openResponse, type SpeechResponse } from './caller-response.ts'
import { type SpeechEvents, speechEvents } from './events.ts'
import { SPEECH_TYPES } from './format.ts'
import type { SpeechCall, SpeechPlan } from './plan.ts'
import { type SpeechResult, settleSpeech } from './settle.ts'
import { conversionOf, isExpected, kindOf, type SoundConversion, WAV_HEADER } from './sound.ts'

const { sse } = FRAMINGS
/** Minimum change of buffered bytes to report to the memory quota. */
const MEMORY_STEP = 65_536
/** Time after the last event for an upstream to close its stream, in milliseconds. */
const LINGER_MS = 2_000
const EMPTY = new Uint8Array(0)

/** Body of a response: sound, events, JSON with sound, or a failure. */
type BodyKind = 'sound' | 'events' | 'json' | 'failure'

/** Consumer of one response. It is a class because many functions share its state. */
class SpeechConsumer implements Consumer {
  private readonly core: Core
  private readonly context: Context
  private readonly asked: SpeechCall
  private readonly plan: SpeechPlan
  private readonly attempt: RunningAttempt
  private readonly caller: SpeechResponse
  private readonly events: SpeechEvents | undefined
  private readonly splitter = sse.splitter()
  private headers: UpstreamHeaders = {}
  private kind: BodyKind = 'sound'
  private failed: FailedBody | undefined
  /** Bytes of JSON. */
  private whole: Chunks | undefined
  private wholeSize = 0
  /** First bytes, until they tell sound from text. Undefined once they have. */
  private begun: Uint8Array | undefined = EMPTY
  private conversion: SoundConversion | undefined
  private usage: Usage | undefined
  private isLast = false
  private counted = 0
  private linger: NodeJS.Timeout | undefined
  /** Error whose message already names the provider. */
  private explained: HeadgateError | undefined

  constructor(core: Core, context: Context, asked: SpeechCall, plan: SpeechPlan, attempt: RunningAttempt) {
    this.core = core
    this.context = context
    this.asked = asked
    this.plan = plan
    this.attempt = attempt
    this.caller = openResponse(core, context, asked, plan, attempt)
    this.events = plan.isSse ? speechEvents(plan.format) : undefined
  }

  head(status: number, given: UpstreamHeaders): void {
    this.attempt.status = status
    this.headers = given
    this.kind = this.kindOf(status, String(given['content-type'] ?? ''))
    if (this.kind === 'failure') this.failed = createFailedBody()
    else if (this.kind === 'json') this.whole = createChunks()
    else this.usage = this.plan.usageOf?.({ headers: plainHeaders(given) }, this.plan.request)
  }

  data(chunk: Buffer): void {
    try {
      if (this.failed) this.takeFailure(this.failed, chunk)
      else if (this.whole) this.collect(this.whole, chunk)
      else if (this.kind === 'events') this.takeEvents(this.splitter.push(chunk))
      else this.takeSound(chunk)
      this.count()
    } catch (error) {
      this.failWith(this.named(error))
    }
  }

  end(): void {
    if (this.attempt.isOver()) return
    clearTimeout(this.linger)
    try {
      if (this.failed) this.unusable(this.failed, true)
      else if (this.kind === 'json') this.takeJson()
      else this.conclude()
    } catch (error) {
      this.failWith(this.named(error))
    }
  }

  fail(error: HeadgateError): void {
    this.failWith(this.named(error))
  }

  readonly stop = (error: HeadgateError): void => {
    const { caller, attempt } = this
    clearTimeout(this.linger)
    if (error.kind !== 'canceled') this.failWith(error)
    else if (!caller.isCommitted) attempt.done(error)
    else attempt.done(error, () => this.settle({ status: 499, why: 'canceled', usage: this.usage }))
  }

  private kindOf(status: number, type: string): BodyKind {
    if (status >= 300) return 'failure'
    if (/event-stream/i.test(type)) return this.plan.part ? 'events' : 'failure'
    if (/json/i.test(type)) return this.plan.part ? 'json' : 'failure'
    return /^\s*text\/|xml/i.test(type) ? 'failure' : 'sound'
  }

  private settle(result: SpeechResult): Promise<void> | undefined {
    return settleSpeech(this.core, this.context, this.asked, this.plan, result)
  }

  /** An error with the provider's name. */
  private named(cause: unknown): HeadgateError {
    if (this.explained && cause === this.explained) return this.explained
    const error = HeadgateError.is(cause)
      ? cause
      : new HeadgateError('upstream', 'the response cannot be read.', { cause })
    return reworded(error, `${this.plan.candidate.instance.name}: ${error.message}`)
  }

  /** @throws HeadgateError `over-limit` */
  private count(): void {
    const held =
      this.splitter.held() + this.wholeSize + (this.failed?.size ?? 0) + (this.begun?.length ?? 0) + this.caller.held()
    if (Math.abs(held - this.counted) < MEMORY_STEP) return
    this.context.memory.take(held - this.counted)
    this.counted = held
  }

  private takeFailure(failed: FailedBody, chunk: Uint8Array): void {
    if (!failed.add(chunk)) this.unusable(failed, false)
  }

  /** @throws HeadgateError for a body that is too large */
  private collect(whole: Chunks, chunk: Buffer): void {
    const most = this.core.limits.answer
    this.wholeSize += chunk.length
    if (this.wholeSize > most) throw new HeadgateError('upstream', `the response has more than ${most} bytes.`)
    whole.add(chunk)
  }

  private takeEvents(piece: Uint8Array | undefined): void {
    if (!piece) return
    const isPassing = this.isPassing()
    for (const frame of sse.read(piece)) {
      const part = this.partOf(frame)
      if (!part) continue
      if (part.usage) this.usage = part.usage
      if (part.isLast) this.isLast = true
      if (!part.bytes || part.bytes.length === 0) continue
      if (isPassing) this.begin()
      else this.takeSound(part.bytes)
    }
    if (isPassing && this.caller.isCommitted) this.caller.write(piece)
    // The upstream usually closes its stream now, and its connection can be used again.
    if (this.isLast) this.linger ??= setTimeout(() => this.end(), Math.min(LINGER_MS, this.core.times.silence))
  }

  /** True if the caller gets the events of the provider unchanged. */
  private isPassing(): boolean {
    return this.plan.isSse && this.plan.isBypass && this.kind === 'events'
  }

  /** Part of an event. @throws HeadgateError for an error of the provider */
  private partOf({ data }: Frame): SpeechPart | undefined {
    const value = parse(data)
    if (value === undefined) return undefined
    const answer = { status: 200, headers: plainHeaders(this.headers), body: value, bytes: Buffer.from(data) }
    this.explained = reportedFailure(this.plan.candidate, answer)
    if (this.explained) throw this.explained
    return this.plan.part?.(value, this.plan.request)
  }

  /** Passes sound on. The first bytes wait until they are known to be sound. */
  private takeSound(bytes: Uint8Array, isWhole = false, size?: number): void {
    const { begun } = this
    if (!begun) {
      this.pass(bytes)
      return
    }
    const start = begun.length === 0 ? bytes : Buffer.concat([begun, bytes])
    this.begun = start
    const { made } = this.plan
    const kind = kindOf(start, made, isWhole)
    if (kind === undefined) return
    if (kind === 'text') {
      this.kind = 'failure'
      this.begun = undefined
      this.failed = createFailedBody()
      this.takeFailure(this.failed, start)
      return
    }
    if (!isExpected(kind, made)) throw new HeadgateError('upstream', `the response is ${kind}, not ${made}.`)
    this.begun = undefined
    this.begin(size)
    this.pass(start)
  }

  /** Begins the response to the caller, once. */
  private begin(size?: number): void {
    if (this.caller.isCommitted) return
    const { made, format } = this.plan
    const announced = Number(this.headers['content-length'])
    const total = size ?? (this.kind === 'sound' && Number.isSafeInteger(announced) ? announced : undefined)
    this.conversion = conversionOf(made, format, total)
    const sent = total === undefined || made === format ? total : made === 'pcm' ? total + WAV_HEADER : undefined
    this.caller.commit(SPEECH_TYPES[format], sent)
  }

  private pass(bytes: Uint8Array): void {
    const sound = this.conversion ? this.conversion.push(bytes) : bytes
    this.caller.write(this.events ? this.events.write(sound) : sound)
  }

  /** Reads sound from JSON. A large body is parsed in its turn. */
  private takeJson(): void {
    if (this.wholeSize < LARGE_BODY) {
      this.readJson()
      return
    }
    const later = (): void => {
      if (this.attempt.isOver()) return
      try {
        this.readJson()
      } catch (error) {
        this.failWith(this.named(error))
      }
    }
    takeTurn(later).catch((error: unknown) => this.failWith(this.named(asError(error))))
  }

  private readJson(): void {
    const answer = readWholeResponse(this.attempt.status ?? 0, this.headers, this.whole?.whole() ?? Buffer.alloc(0))
    const error = reportedFailure(this.plan.candidate, answer)
    if (error) {
      this.failWith(error)
      return
    }
    const { bytes, usage } = this.plan.part?.(answer.body, this.plan.request) ?? {}
    this.usage = usage ?? this.plan.usageOf?.(answer, this.plan.request)
    this.isLast = true
    if (bytes && bytes.length > 0) this.takeSound(bytes, true, bytes.length)
    this.conclude()
  }

  /** Handles the end of the sound. */
  private conclude(): void {
    if (this.kind === 'events') {
      const rest = this.splitter.rest()
      if (rest) this.takeEvents(sse.closed(rest))
    }
    if (this.begun && this.begun.length > 0) this.takeSound(EMPTY, true)
    if (this.failed) {
      this.unusable(this.failed, true)
      return
    }
    if (!this.caller.isCommitted) throw new HeadgateError('upstream', 'the response has no sound.')
    if (this.kind === 'events' && this.plan.hasEnd && !this.isLast)
      throw new HeadgateError('upstream', 'the stream ended before it was complete.')
    this.conversion?.end()
    const last = this.isPassing() ? undefined : this.events?.end(this.usage)
    this.caller.finish({ status: 200, why: 'served', usage: this.usage }, last)
  }

  /** Handles a response that is not sound. */
  private unusable(failed: FailedBody, isWhole: boolean): void {
    const { attempt, headers } = this
    const { candidate } = this.plan
    const answer = failed.response(attempt.status, headers)
    const error = reportedFailure(candidate, answer)
    attempt.refused = isWhole && error !== undefined && answer.status >= 400
    const type = scrub(String(headers['content-type'] ?? 'none'), candidate.endpoint.provider).slice(0, 80)
    const message = `${candidate.instance.name} responded with text instead of sound (content type "${type}").`
    this.failWith(error ?? new HeadgateError('upstream', message))
  }

  /** Ends the attempt with a failure. Before the first sound, another candidate can serve the request. */
  private failWith(error: HeadgateError): void {
    const { caller, attempt, plan } = this
    clearTimeout(this.linger)
    if (attempt.isOver()) return
    if (!caller.isCommitted) {
      attempt.done(error)
      return
    }
    const said = scrubError(error, plan.candidate.endpoint.provider)
    caller.fail(said, { status: 200, why: 'cut', failure: error.kind, usage: this.usage })
  }
}

/** Consumer that forwards sound as it arrives. Until its first bytes, any failure can move to another candidate. */
export function speechConsumer(
  core: Core,
  context: Context,
  asked: SpeechCall,
  plan: SpeechPlan,
  attempt: RunningAttempt,
): Consumer {
  return new SpeechConsumer(core, context, asked, plan, attempt)
}
