import { addedUsage, errorReader, type Json, text, type Usage } from '@headgate/core/canonical'
import { asError, HeadgateError, reworded } from '@headgate/core/errors'
import { chatCompletions } from '@headgate/core/formats'
import type { StopListener } from '../../edge/stop.ts'
import { scrub } from '../../http/scrub.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import { readWholeResponse } from '../../http/whole-response.ts'
import { isContent } from '../../http/wire-body.ts'
import type { AttemptOutcome } from '../../routing/attempts.ts'
import { attemptRemote, type Consumer, type RunningAttempt } from '../../serve/attempt.ts'
import { sendHead } from '../../serve/context.ts'
import { explain, failureOf } from '../../serve/failure.ts'
import type { RelayedCall } from '../../serve/unary.ts'
import { EventRelay, type RelayedPiece } from './event-relay.ts'
import { sizeIn } from './input.ts'
import type { ImagesCall, NativeImagesPlan } from './plan.ts'
import { boundOf, countedUsage, madeIn, tokensIn } from './usage.ts'

const readError = errorReader({ codes: [] })

/** Time after the caller has left for the provider to report the usage, in milliseconds. */
const LINGER_MS = 2_000
/** Maximum bytes of a failure's body. */
const MAX_FAILURE = 1024 * 1024

/** Sends on a stream of events as it comes. The first event commits the response, unless it is an error. */
export async function relayStream(
  asked: ImagesCall,
  plan: NativeImagesPlan,
  asking: RelayedCall,
): Promise<AttemptOutcome> {
  const { core, context, candidate, accounts } = asking
  const [call] = plan.calls
  const { url, headers = {}, body } = plan.request
  if (!body || !('bytes' in body)) throw new TypeError('A native request has bytes.')
  try {
    await accounts.reserve?.(call && boundOf(asked.input, plan.can, call))
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
  return attemptRemote(core, context, candidate, outgoing, (attempt) => new StreamRelay(asked, asking, attempt))
}

/** Relay of one stream. A class, because its functions share state. */
class StreamRelay implements Consumer {
  private readonly asked: ImagesCall
  private readonly asking: RelayedCall
  private readonly attempt: RunningAttempt
  private readonly events = new EventRelay()
  private headers: UpstreamHeaders = {}
  private failed: Buffer[] | undefined
  private failedSize = 0
  private isCommitted = false
  private completed = 0
  private usage: Usage | undefined
  private isUncounted = false
  private departed: HeadgateError | undefined
  private linger: NodeJS.Timeout | undefined

  constructor(asked: ImagesCall, asking: RelayedCall, attempt: RunningAttempt) {
    this.asked = asked
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
    for (const piece of this.events.push(chunk)) if (!this.attempt.isOver()) this.pass(piece)
  }

  end(): void {
    if (this.failed) {
      this.unusable(true)
      return
    }
    const last = this.events.end()
    if (last) this.pass(last)
    if (!this.attempt.isOver()) this.conclude()
  }

  fail(error: HeadgateError): void {
    const { name } = this.asking.candidate.instance
    if (this.completed >= this.asked.input.n) this.conclude()
    else this.failWith(reworded(error, `${name}: ${error.message}`))
  }

  readonly stop: StopListener = (error) => {
    if (this.departed || error.kind !== 'canceled' || !this.isCommitted) {
      this.leave(this.departed ?? error)
      return
    }
    this.departed = error
    this.linger = setTimeout(() => this.leave(error), LINGER_MS)
    this.attempt.call?.resume()
  }

  private pass({ bytes, event, isWhole }: RelayedPiece): void {
    if (event) this.note(event)
    const error = event && errorIn(event)
    if (error && isWhole) {
      this.failWith(this.explained(error))
      return
    }
    const isSilent = event === undefined && isWhole
    if (!this.isCommitted && !isSilent) this.commit()
    if (this.isCommitted) this.write(bytes)
    if (this.departed && this.completed >= this.asked.input.n) this.leave(this.departed)
  }

  /** Counts finished images with their usage. */
  private note(event: Json): void {
    if (!text(event['type'])?.endsWith('.completed')) return
    const { core, context, candidate } = this.asking
    const price = core.priceOf(candidate, context.startedAt)
    this.completed++
    const { input } = this.asked
    const usage =
      tokensIn(event) ??
      (event['usage'] === undefined ? countedUsage(madeIn(event, 1, sizeIn), input.images.length, price) : undefined)
    this.isUncounted ||= usage === undefined
    this.usage = this.usage && usage ? addedUsage(this.usage, usage) : (usage ?? this.usage)
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
    clearTimeout(this.linger)
    if (this.departed) this.leave(this.departed)
    else if (this.completed > 0) this.serve()
    else
      this.failWith(
        new HeadgateError(
          'upstream',
          this.isCommitted
            ? `${name} ended its stream before it was complete.`
            : `${name} ended its stream without images.`,
        ),
      )
  }

  private serve(): void {
    const { context, candidate } = this.asking
    this.attempt.done('served', () => {
      const settled = this.settle({ status: 200, why: 'served' }, candidate.model)
      const close = (): undefined => {
        if (!context.gone) context.sink.end()
      }
      return settled ? settled.then(close) : close()
    })
  }

  /** Charges the attempt and settles the row. */
  private settle(end: Parameters<RelayedCall['settle']>[0], providerModel: string): Promise<void> | undefined {
    const { context, accounts, settle } = this.asking
    const row = context.attempts.at(-1)
    const usage = this.isUncounted ? undefined : this.usage
    const isCharged = row !== undefined && (usage !== undefined || end.why === 'served')
    if (row && isCharged) accounts.spend(row, usage)
    const servedFrom = isCharged ? context.attempts.length - 1 : undefined
    return settle(end, {
      stream: true,
      providerModel,
      servedFrom,
      billing: (charged) => this.billing(end.why, charged),
    })
  }

  private billing(why: string, charged: number | null): { billed: boolean; why: string } {
    if (charged !== null && this.completed > 0) return { billed: true, why }
    if (why !== 'served') return { billed: false, why }
    return { billed: false, why: this.usage && !this.isUncounted ? 'price-unknown' : 'usage-unknown' }
  }

  private leave(error: HeadgateError): void {
    clearTimeout(this.linger)
    const { model } = this.asking.candidate
    if (!this.isCommitted) this.attempt.done(error)
    else this.attempt.done(error, () => this.settle({ status: 499, why: 'canceled', failure: error.kind }, model))
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
    this.attempt.done('served', () => {
      const settled = this.settle({ status: 200, why: 'cut', failure: error.kind }, candidate.model)
      const close = (): undefined => {
        if (!context.gone) context.sink.end(chatCompletions.writeStreamError(said, context.id, 'sse'))
      }
      return settled ? settled.then(close) : close()
    })
  }

  private explained(body: Json): HeadgateError {
    const { instance, endpoint, model } = this.asking.candidate
    const error = failureOf({ status: 0, headers: {}, body, bytes: new Uint8Array() }, { readError }, endpoint.provider)
    if (error) return explain(error, instance.name, model, endpoint.provider)
    return new HeadgateError('upstream', `${instance.name} reported a failure.`)
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
        : new HeadgateError('upstream', `${instance.name} did not respond with a stream of images.`),
    )
  }
}

/** Body of an error that an event reports. */
function errorIn(event: Json): Json | undefined {
  if (event['error']) return { error: event['error'] }
  return event['type'] === 'error' ? { error: event } : undefined
}
