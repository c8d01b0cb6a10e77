import type { Price, Usage } from '@headgate/core/canonical'
import type { Content } from '@headgate/core/contract'
import { asError } from '@headgate/core/errors'
import { now, since } from '../clock.ts'
import { charge, costOfFailure, isRejection, type RecordedAttempt, STARTED, startedAttempt } from '../cost/charge.ts'
import { hopsOf } from '../edge/hops.ts'
import { offStop, onStop, type StopListener } from '../edge/stop.ts'
import { createFeed, localAnswer } from '../http/local-answer.ts'
import { requestTargetOf } from '../http/request.ts'
import { scrubError } from '../http/scrub.ts'
import { sendEvents } from '../http/send.ts'
import type { UpstreamCall, UpstreamHandler, UpstreamRequest } from '../http/upstream.ts'
import type { AttemptOutcome } from '../routing/attempts.ts'
import { type Candidate, subjectOf } from '../routing/candidates.ts'
import { placeOf } from '../routing/catalog.ts'
import { keyOf } from '../routing/health.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { noteWords } from './end-record.ts'
import { callTrace } from './propagation.ts'
import { commitAttempt, type Rival } from './rivals.ts'
import { upstreamAccessOf } from './trace.ts'

const USER_AGENT = 'headgate'

/** POST request to a provider, without the credential. */
export interface Outgoing {
  /** Path below the base URL, or an absolute URL. */
  readonly path: string
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string | Content
}

/** Running attempt at one candidate. */
export interface RunningAttempt {
  /**
   * Ends the attempt, once: aborts its call, records its row, then runs `answer`. The request continues after the
   * promise of `answer`.
   */
  done(outcome: AttemptOutcome, answer?: () => Promise<void> | undefined): void
  isOver(): boolean
  /** Called before the first byte of the response is sent. Ends the other attempts of a hedged request. */
  commit(): void
  /** Sets the listener for an early end of the request. */
  onStop(stop: StopListener): void
  /** HTTP status of the upstream's response. */
  status: number | undefined
  /** The upstream responded with a complete error response. */
  refused: boolean
  /** Usage that was reported with a failure, and the price that applies. It settles the attempt. */
  used: { readonly usage: Usage; readonly price: Price | undefined } | undefined
  call: UpstreamCall | undefined
}

/** Handler of one attempt's response. */
export interface Consumer extends UpstreamHandler {
  /** See `onStop`; called without `this`. */
  readonly stop: StopListener
}

/** Begins an attempt. `signal` is for work other than upstream calls; it aborts when the attempt ends. */
function createAttempt(
  context: Context,
  candidate: Candidate,
  resolve: (outcome: AttemptOutcome) => void,
  reject: (error: unknown) => void,
): { attempt: RunningAttempt; row: RecordedAttempt; signal: () => AbortSignal } {
  const begunAt = now()
  const running = { place: placeOf(candidate.instance, candidate.endpoint), begunAt }
  context.running = running
  const row = startedAttempt(candidate.instance.name, candidate.endpoint.name, candidate.model)
  context.rivals?.rows.push(row)
  let over = false
  let abort: AbortController | undefined
  let listener: StopListener | undefined
  const attempt: RunningAttempt = {
    status: undefined,
    refused: false,
    used: undefined,
    call: undefined,
    isOver: () => over,
    commit() {
      commitAttempt(context.rivals, rival)
      context.running = running
    },
    onStop(stop) {
      if (listener) offStop(context, listener)
      listener = stop
      onStop(context, stop)
    },
    done(outcome, answer) {
      if (over) return
      over = true
      context.running = undefined
      const result = outcome === 'served' ? outcome : scrubError(outcome, candidate.endpoint.provider)
      if (listener) offStop(context, listener)
      attempt.call?.abort()
      abort?.abort()
      row.durationMs = since(begunAt)
      row.status = attempt.status
      if (outcome !== 'served') {
        row.failure = outcome.kind
        row.code = outcome.code
        noteWords(context, row, result)
      }
      // The family sets the cost of a successful attempt.
      if (outcome !== 'served')
        row.cost = costOfFailure({
          call: attempt.call,
          refused: attempt.refused,
          billing: candidate.endpoint.provider.billing,
        })
      if (outcome !== 'served' && attempt.used) charge(row, attempt.used.usage, attempt.used.price)
      context.attempts.push(row)
      try {
        const answered = answer?.()
        if (answered) answered.then(() => resolve(result), reject)
        else resolve(result)
      } catch (error) {
        reject(error)
      }
    },
  }
  const rival: Rival = { isOver: () => over, stop: (error) => (listener ?? attempt.done)(error) }
  context.rivals?.all.push(rival)
  const signal = (): AbortSignal => {
    abort ??= new AbortController()
    if (over) abort.abort()
    return abort.signal
  }
  return { attempt, row, signal }
}

/** Handler that also reads what the upstream says about its limits. */
function noteLimits(core: Core, candidate: Candidate, handler: UpstreamHandler): UpstreamHandler {
  const { limitHeaders } = candidate.endpoint.provider
  if (!limitHeaders) return handler
  return {
    head(status, headers) {
      core.upstreamLimits.note(keyOf(subjectOf(candidate)), limitHeaders, headers, now())
      handler.head(status, headers)
    },
    data: (chunk) => handler.data(chunk),
    end: () => handler.end(),
    fail: (error) => handler.fail(error),
  }
}

/** Passes the response of an upstream in this process to a consumer, as fast as the caller reads it. */
async function answerLocally(
  { core, context, candidate }: { readonly core: Core; readonly context: Context; readonly candidate: Candidate },
  { path, headers, body }: Outgoing,
  { attempt, signal }: { readonly attempt: RunningAttempt; readonly signal: AbortSignal },
  consumer: Consumer,
): Promise<void> {
  attempt.call = { ...STARTED, pause() {}, resume() {}, abort() {} }
  try {
    const type = headers['content-type'] ?? 'application/json'
    const request = { method: 'POST', url: path, headers, body: { bytes: body, type } } as const
    const options = { limit: core.limits.answer, signal, memory: context.memory }
    const response = await localAnswer(candidate.endpoint.provider, request, options)
    const feed = createFeed(response, consumer, attempt.isOver)
    attempt.call = { ...STARTED, ...feed, abort() {} }
    feed.start()
  } catch (error) {
    attempt.refused = isRejection(error)
    if (!attempt.isOver()) consumer.fail(asError(error))
  }
}

/**
 * Sends a request to its provider and passes the response to a consumer. Waits only if a credential must be obtained.
 */
export function attemptRemote(
  core: Core,
  context: Context,
  candidate: Candidate,
  outgoing: Outgoing,
  consume: (attempt: RunningAttempt) => Consumer,
): Promise<AttemptOutcome> {
  return new Promise((resolve, reject) => {
    const { attempt, row, signal } = createAttempt(context, candidate, resolve, reject)
    const { name, waiting, tracing } = candidate.instance
    const { provider } = candidate.endpoint
    const consumer = consume(attempt)
    attempt.onStop(consumer.stop)
    if (provider.answer) {
      void answerLocally({ core, context, candidate }, outgoing, { attempt, signal: signal() }, consumer)
      return
    }
    let target: ReturnType<typeof requestTargetOf>
    try {
      target = requestTargetOf(provider, outgoing.path)
    } catch (error) {
      consumer.fail(asError(error))
      return
    }
    const request: UpstreamRequest = {
      method: 'POST',
      origin: target.origin,
      path: target.path,
      headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...outgoing.headers },
      body: outgoing.body,
      ...(context.firstByteMs !== undefined && { firstByteMs: context.firstByteMs }),
      // Budgets would not know of the repetition, which could be billed twice.
      mayRepeat: () => context.holding === undefined && core.retries.mayRetry(name, now()),
      waiting,
    }
    sendEvents(
      core,
      provider,
      request,
      {
        hops: hopsOf(context.incoming),
        trace: callTrace(core, context, row, tracing),
        signal,
        dispatch(sealed, handler) {
          if (attempt.isOver()) return
          context.calledAt ??= now()
          const noting = noteLimits(core, candidate, handler)
          attempt.call = upstreamAccessOf(core, context, name, provider).upstreams.call(sealed, noting)
        },
      },
      consumer,
    )
  })
}

/** Runs an attempt in this process. */
export function attemptLocal(
  context: Context,
  candidate: Candidate,
  run: (attempt: RunningAttempt, signal: AbortSignal) => Promise<void>,
): Promise<AttemptOutcome> {
  return new Promise((resolve, reject) => {
    const { attempt, signal } = createAttempt(context, candidate, resolve, reject)
    attempt.call = { ...STARTED, pause() {}, resume() {}, abort() {} }
    attempt.onStop(attempt.done)
    void run(attempt, signal())
  })
}
