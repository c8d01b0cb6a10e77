import type { Json, Usage } from '@headgate/core/canonical'
import type { HttpRequest } from '@headgate/core/contract'
import { asError, HeadgateError, reworded } from '@headgate/core/errors'
import { chatCompletions } from '@headgate/core/formats'
import type { UsageBound } from '../cost/bound.ts'
import { type EventPiece, EventPieces } from '../edge/event-pieces.ts'
import type { StopListener } from '../edge/stop.ts'
import { FRAMINGS } from '../http/framing.ts'
import { scrubError } from '../http/scrub.ts'
import type { UpstreamHeaders } from '../http/upstream.ts'
import { isContent } from '../http/wire-body.ts'
import type { AttemptOutcome } from '../routing/attempts.ts'
import { attemptRemote, type Consumer, type RunningAttempt } from './attempt.ts'
import { sendHead } from './context.ts'
import { createFailedBody, type FailedBody, reportedByEvent, reportedFailure } from './failed-body.ts'
import type { RelayedCall } from './unary.ts'

/** Time after the last event, or after the caller has left, for the provider to end its stream, in milliseconds. */
const LINGER_MS = 2_000

/** Stream of a family, in the caller's own format. */
export interface RelayedStream {
  /** Name of the content, for messages: `images`. */
  readonly content: string
  /** Notes an event that is not an error. Long strings are shortened. */
  note(event: Json): void
  /** True once everything that the caller requested was received. */
  isComplete(): boolean
  /** True if a stream that ends now is a success. */
  mayEnd(): boolean
  /** Usage so far; undefined = unknown. */
  usage(): { readonly usage: Usage; readonly isEstimated: boolean } | undefined
}

/**
 * Sends a request whose events reach the caller unchanged, as they come. The first event commits the response, unless
 * it is an error. If the caller leaves, the provider has two seconds to report the usage.
 */
export async function relayEvents(
  asking: RelayedCall,
  { url, headers = {}, body }: HttpRequest,
  bound: UsageBound | undefined,
  stream: RelayedStream,
): Promise<AttemptOutcome> {
  const { core, context, candidate, accounts } = asking
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
  return attemptRemote(core, context, candidate, outgoing, (attempt) => new EventRelay(stream, asking, attempt))
}

/** Relay of one stream. A class, because its functions share state. */
class EventRelay implements Consumer {
  private readonly stream: RelayedStream
  private readonly asking: RelayedCall
  private readonly attempt: RunningAttempt
  private readonly events = new EventPieces()
  private headers: UpstreamHeaders = {}
  private failed: FailedBody | undefined
  private isCommitted = false
  /** Reason why the caller left, while the provider's usage is still read. */
  private departed: HeadgateError | undefined
  private linger: NodeJS.Timeout | undefined

  constructor(stream: RelayedStream, asking: RelayedCall, attempt: RunningAttempt) {
    this.stream = stream
    this.asking = asking
    this.attempt = attempt
  }

  head(status: number, headers: UpstreamHeaders): void {
    this.attempt.status = status
    this.headers = headers
    const isStream = status < 300 && FRAMINGS.sse.type.test(String(headers['content-type'] ?? ''))
    if (!isStream) this.failed = createFailedBody()
  }

  data(chunk: Buffer): void {
    if (this.failed) {
      if (!this.failed.add(chunk)) this.unusable(this.failed, false)
      return
    }
    for (const piece of this.events.push(chunk)) if (!this.attempt.isOver()) this.pass(piece)
  }

  end(): void {
    if (this.attempt.isOver()) return
    if (this.failed) {
      this.unusable(this.failed, true)
      return
    }
    const last = this.events.end()
    if (last) this.pass({ ...last, bytes: Buffer.from(FRAMINGS.sse.closed(last.bytes)) })
    if (!this.attempt.isOver()) this.conclude()
  }

  fail(error: HeadgateError): void {
    if (this.stream.isComplete()) this.conclude()
    else this.failWith(reworded(error, `${this.asking.candidate.instance.name}: ${error.message}`))
  }

  readonly stop: StopListener = (error) => {
    if (this.departed || error.kind !== 'canceled' || !this.isCommitted) {
      this.leave(this.departed ?? error)
      return
    }
    this.departed = error
    this.wait()
    this.attempt.call?.resume()
  }

  /** Gives the provider time to end its stream. */
  private wait(): void {
    this.linger ??= setTimeout(() => this.conclude(), LINGER_MS)
  }

  private pass({ bytes, event, isWhole }: EventPiece): void {
    const { candidate } = this.asking
    const error = event && isWhole ? reportedByEvent(candidate, event, this.headers) : undefined
    if (error) {
      this.failWith(error)
      return
    }
    if (event) this.stream.note(event)
    // Comments of a provider that has not begun could be followed by an error.
    const isSilent = event === undefined && isWhole
    if (!this.isCommitted && !isSilent) this.commit()
    if (this.isCommitted) this.write(bytes)
    if (!this.stream.isComplete()) return
    if (this.departed) this.leave(this.departed)
    else this.wait()
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

  /** Handles the end of the provider's stream, or of the time for it. */
  private conclude(): void {
    const { name } = this.asking.candidate.instance
    const { content } = this.stream
    if (this.departed) this.leave(this.departed)
    else if (this.stream.mayEnd()) this.finish({ status: 200, why: 'served' })
    else
      this.failWith(
        new HeadgateError(
          'upstream',
          this.isCommitted
            ? `${name} ended its stream before it was complete.`
            : `${name} ended its stream without ${content}.`,
        ),
      )
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

  /** Charges the attempt and settles the row. */
  private settle(end: Parameters<RelayedCall['settle']>[0]): Promise<void> | undefined {
    const { context, candidate, accounts, settle } = this.asking
    const { usage, isEstimated } = this.stream.usage() ?? {}
    const row = context.attempts.at(-1)
    const isCharged = row !== undefined && (usage !== undefined || end.why === 'served')
    if (isCharged) accounts.spend(row, usage)
    return settle(end, {
      stream: true,
      providerModel: candidate.model,
      servedFrom: isCharged ? context.attempts.length - 1 : undefined,
      estimated: isEstimated || undefined,
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
    if (this.departed || !this.isCommitted) {
      this.leave(this.departed ?? error)
      return
    }
    const { context, candidate } = this.asking
    const said = scrubError(error, candidate.endpoint.provider)
    const last = chatCompletions.writeStreamError(said, context.id, 'sse')
    this.finish({ status: 200, why: 'cut', failure: error.kind }, last)
  }

  /** Handles a response that is not a stream. */
  private unusable(body: FailedBody, isWhole: boolean): void {
    const { candidate } = this.asking
    const answer = body.response(this.attempt.status, this.headers)
    const error = reportedFailure(candidate, answer)
    this.attempt.refused = isWhole && error !== undefined && answer.status >= 400
    const { name } = candidate.instance
    this.failWith(
      error ?? new HeadgateError('upstream', `${name} did not respond with a stream of ${this.stream.content}.`),
    )
  }
}
