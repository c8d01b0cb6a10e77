import { errorReader, type Frame, isObject, type Json, parse, text, type Usage } from '@headgate/core/canonical'
import { asError, HeadgateError, reworded } from '@headgate/core/errors'
import { chatCompletions } from '@headgate/core/formats'
import type { UsageBound } from '../../cost/bound.ts'
import type { StopListener } from '../../edge/stop.ts'
import { FRAMINGS } from '../../http/framing.ts'
import { scrub } from '../../http/scrub.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import { plainHeaders, readWholeResponse } from '../../http/whole-response.ts'
import { isContent } from '../../http/wire-body.ts'
import type { AttemptOutcome } from '../../routing/attempts.ts'
import { attemptRemote, type Consumer, type RunningAttempt } from '../../serve/attempt.ts'
import { sendHead } from '../../serve/context.ts'
import { explain, failureOf } from '../../serve/failure.ts'
import type { RelayedCall } from '../../serve/unary.ts'
import { type NativeTranscriptionPlan, type TranscriptionCall, usageOf, withSurcharges } from './plan.ts'

const readError = errorReader({ codes: [] })
const { sse } = FRAMINGS

/** Maximum bytes of a failure's body. */
const MAX_FAILURE = 1024 * 1024
/** Time after the last event, or after the caller has left, for the provider to end its stream, in milliseconds. */
const LINGER_MS = 2_000

/** Sends on the events of a transcript as they come. The first event commits the response, unless it is an error. */
export async function relayTranscript(
  asked: TranscriptionCall,
  plan: NativeTranscriptionPlan,
  bound: UsageBound,
  asking: RelayedCall,
): Promise<AttemptOutcome> {
  const { core, context, candidate, accounts } = asking
  const { url, headers = {}, body } = plan.request
  if (!body || !('bytes' in body)) throw new TypeError('A native request has bytes.')
  try {
    await accounts.reserve?.(bound)
  } catch (error) {
    return asError(error)
  }
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const outgoing = {
    path: url,
    headers: { ...lowered, 'content-type': body.type },
    body: typeof body.bytes === 'string' || isContent(body.bytes) ? body.bytes : Buffer.from(body.bytes),
  }
  context.isStream = true
  return attemptRemote(
    core,
    context,
    candidate,
    outgoing,
    (attempt) => new TranscriptRelay(asked, plan, asking, attempt),
  )
}

/** Relay of one stream. A class, because its functions share state. */
class TranscriptRelay implements Consumer {
  private readonly asked: TranscriptionCall
  private readonly plan: NativeTranscriptionPlan
  private readonly asking: RelayedCall
  private readonly attempt: RunningAttempt
  private readonly splitter = sse.splitter()
  private headers: UpstreamHeaders = {}
  private failed: Buffer[] | undefined
  private failedSize = 0
  private isCommitted = false
  /** True after `transcript.text.done`. */
  private isComplete = false
  private usage: Usage | undefined
  private departed: HeadgateError | undefined
  private linger: NodeJS.Timeout | undefined

  constructor(asked: TranscriptionCall, plan: NativeTranscriptionPlan, asking: RelayedCall, attempt: RunningAttempt) {
    this.asked = asked
    this.plan = plan
    this.asking = asking
    this.attempt = attempt
  }

  head(status: number, headers: UpstreamHeaders): void {
    this.attempt.status = status
    this.headers = headers
    if (status >= 300 || !/event-stream/i.test(String(headers['content-type'] ?? ''))) this.failed = []
  }

  data(chunk: Buffer): void {
    if (this.failed) {
      this.failedSize += chunk.length
      if (this.failedSize > MAX_FAILURE) this.unusable(false)
      else this.failed.push(chunk)
      return
    }
    try {
      const piece = this.splitter.push(chunk)
      if (piece) this.pass(piece)
    } catch (error) {
      this.fail(asError(error))
    }
  }

  end(): void {
    if (this.attempt.isOver()) return
    if (this.failed) {
      this.unusable(true)
      return
    }
    const rest = this.splitter.rest()
    if (rest) this.pass(sse.closed(rest))
    if (!this.attempt.isOver()) this.conclude()
  }

  fail(error: HeadgateError): void {
    if (this.isComplete) this.conclude()
    else this.failWith(reworded(error, `${this.asking.candidate.instance.name}: ${error.message}`))
  }

  readonly stop: StopListener = (error) => {
    if (this.departed || error.kind !== 'canceled' || !this.isCommitted) {
      this.leave(this.departed ?? error)
      return
    }
    this.departed = error
    this.wait(() => this.leave(error))
    this.attempt.call?.resume()
  }

  private wait(then: () => void): void {
    this.linger ??= setTimeout(then, LINGER_MS)
  }

  /** Passes whole events on. */
  private pass(piece: Uint8Array): void {
    let isSilent = true
    for (const frame of sse.read(piece)) {
      const event = parse(frame.data)
      if (!isObject(event)) continue
      const error = this.errorIn(event, frame)
      if (error) {
        this.failWith(error)
        return
      }
      isSilent = false
      this.note(event)
    }
    if (!this.isCommitted && !isSilent) this.commit()
    if (this.isCommitted) this.write(piece)
    if (!this.isComplete) return
    if (this.departed) this.leave(this.departed)
    else this.wait(() => this.conclude())
  }

  private note(event: Json): void {
    if (event['type'] !== 'transcript.text.done') return
    this.isComplete = true
    this.usage = withSurcharges(usageOf(event, this.asked.milliseconds), this.plan.surcharges)
  }

  private commit(): void {
    const { context, candidate } = this.asking
    this.attempt.commit()
    this.isCommitted = true
    sendHead(context, 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'headgate-vendor': candidate.instance.name,
    })
  }

  private write(bytes: Uint8Array): void {
    const { context } = this.asking
    if (context.gone || this.departed || bytes.length === 0 || context.sink.write(bytes)) return
    this.attempt.call?.pause()
    context.sink.onDrain(() => this.attempt.call?.resume())
  }

  /** Handles the end of the provider's stream. */
  private conclude(): void {
    const { name } = this.asking.candidate.instance
    if (this.departed) this.leave(this.departed)
    else if (this.isComplete) this.finish({ status: 200, why: 'served' })
    else this.failWith(new HeadgateError('upstream', `${name} ended its stream before the transcript was complete.`))
  }

  private finish(end: Parameters<RelayedCall['settle']>[0], last?: string): void {
    clearTimeout(this.linger)
    const { context } = this.asking
    this.attempt.done('served', () => {
      const close = (): undefined => {
        if (!context.gone) context.sink.end(last)
      }
      const settled = this.settle(end)
      return settled ? settled.then(close) : close()
    })
  }

  /** Charges the attempt and settles the row. A recording that is billed by time is billed whole. */
  private settle(end: Parameters<RelayedCall['settle']>[0]): Promise<void> | undefined {
    const { core, context, candidate, accounts, settle } = this.asking
    const isTimed = core.priceOf(candidate, context.startedAt)?.units?.['milliseconds'] !== undefined
    const { milliseconds } = this.asked
    const estimate = isTimed ? withSurcharges(usageOf({}, milliseconds), this.plan.surcharges) : undefined
    const usage = this.usage ?? estimate
    const row = context.attempts.at(-1)
    if (row && (usage || end.why === 'served')) accounts.spend(row, usage)
    return settle(end, {
      stream: true,
      providerModel: candidate.model,
      servedFrom: usage || end.why === 'served' ? context.attempts.length - 1 : undefined,
      estimated: (this.usage === undefined && usage !== undefined) || undefined,
      billing: (charged) => {
        if (charged !== null && usage) return { billed: true, why: end.why }
        if (end.why !== 'served') return { billed: false, why: end.why }
        return { billed: false, why: usage ? 'price-unknown' : 'usage-unknown' }
      },
    })
  }

  private leave(error: HeadgateError): void {
    clearTimeout(this.linger)
    if (!this.isCommitted) this.attempt.done(error)
    else this.attempt.done(error, () => this.settle({ status: 499, why: 'canceled', failure: error.kind }))
  }

  private failWith(error: HeadgateError): void {
    clearTimeout(this.linger)
    const { context, candidate } = this.asking
    if (this.departed || !this.isCommitted) {
      if (this.departed) this.leave(this.departed)
      else this.attempt.done(error)
      return
    }
    const words = scrub(error.message, candidate.endpoint.provider)
    const said = words === error.message ? error : reworded(error, words)
    this.finish(
      { status: 200, why: 'cut', failure: error.kind },
      chatCompletions.writeStreamError(said, context.id, 'sse'),
    )
  }

  /** Error that an event reports. */
  private errorIn(event: Json, { data }: Frame): HeadgateError | undefined {
    if (!event['error'] && event['type'] !== 'error') return undefined
    const { instance, endpoint, model } = this.asking.candidate
    const body = event['error'] ? event : { error: event }
    const answer = { status: 0, headers: plainHeaders(this.headers), body, bytes: Buffer.from(data) }
    const error = failureOf(answer, { readError }, endpoint.provider)
    const message = text(event['message']) ?? 'the provider reported a failure.'
    return error
      ? explain(error, instance.name, model, endpoint.provider)
      : new HeadgateError('upstream', `${instance.name}: ${message}`)
  }

  /** Handles a response that is not a stream. */
  private unusable(isWhole: boolean): void {
    const { instance, endpoint, model } = this.asking.candidate
    const answer = readWholeResponse(this.attempt.status ?? 0, this.headers, Buffer.concat(this.failed ?? []))
    const error = failureOf(answer, { readError }, endpoint.provider)
    this.attempt.refused = isWhole && error !== undefined && answer.status >= 400
    this.attempt.done(
      error
        ? explain(error, instance.name, model, endpoint.provider)
        : new HeadgateError('upstream', `${instance.name} did not respond with a stream.`),
    )
  }
}
