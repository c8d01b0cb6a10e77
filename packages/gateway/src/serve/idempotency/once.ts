import { createHash } from 'node:crypto'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { takeTurn } from '#transport'
import { now } from '../../clock.ts'
import { inDollars } from '../../cost/dollars.ts'
import type { Incoming } from '../../edge/sink.ts'
import { offStop, onStop, stopContext } from '../../edge/stop.ts'
import { LARGE_BODY } from '../../http/turns.ts'
import { type Context, sendWholeBody } from '../context.ts'
import type { Core } from '../core.ts'
import { deadlineOf } from '../deadline.ts'
import { type Idempotency, KEY_HEADER, type KnownExecution } from './idempotency.ts'
import type { IdempotentOutcome, LossReason } from './outcome.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { type IdempotentRun, REPLAY } from './run.ts'

const KEY = /^[\x21-\x7e]{1,255}$/
/** Time after the deadline of a request by which its record has its outcome, in milliseconds. */
const AFTER_DEADLINE_MS = 30_000
/** First and maximum interval of looking up an execution of another process, in milliseconds. */
const LOOK_MS = { first: 100, most: 1_000 }
/** Headers that belong to one request only. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['x-request-id', 'content-length', 'connection', 'headgate-attempts'])
const COST = 'headgate-cost'

const ADVICE = 'Send a new key to execute the request again.'
const LOST: Readonly<Record<LossReason, string>> = {
  'too-large': `The request with this idempotency-key was executed, and its response is too large to be repeated. ${ADVICE}`,
  incomplete: `The request with this idempotency-key was executed, and its response broke off. It may have been charged. ${ADVICE}`,
  removed: `The request with this idempotency-key was executed, and its response is no longer stored. ${ADVICE}`,
  unreadable: `A request with this idempotency-key was executed, and its record cannot be decrypted, because the secret of the gateway has changed. ${ADVICE}`,
}

/** True if a request has the header. */
export function hasIdempotencyKey({ headers }: Pick<Incoming, 'headers'>): boolean {
  return headers[KEY_HEADER] !== undefined
}

/** Request whose body can be read twice: for its digest, and by its family. */
export function rereadable(incoming: Incoming): Incoming {
  let read: Promise<Buffer> | undefined
  return { ...incoming, read: (limit, took) => (read ??= incoming.read(limit, took)) }
}

/**
 * Executes a request once per principal and idempotency key. A repetition gets the stored response; it waits for it
 * while the first request runs. The caller's departure does not end the first request.
 *
 * @param context its `incoming` must be {@link rereadable}
 * @throws HeadgateError `invalid-request` for an invalid key; `conflict` if the key belongs to another request, or if
 * the response cannot be repeated; `unavailable` if the store does not answer
 */
export async function serveOnce(
  core: Core,
  idempotency: Idempotency,
  context: Context,
  serve: () => Promise<void>,
): Promise<void> {
  const key = keyOf(context.incoming)
  const { at: deadline } = deadlineOf(core.times, context)
  const execution = idempotency.executionOf({
    principal: context.principal.id,
    key,
    requestId: context.id,
    digest: await digestOf(core, context),
  })
  const begin = () => idempotency.begin(execution, deadline - now() + AFTER_DEADLINE_MS)
  let pause = LOOK_MS.first
  for (let earlier = await begin(); earlier; earlier = (await idempotency.find(execution)) ?? (await begin())) {
    if (context.stopped) throw context.stopped
    if (earlier !== 'running') return repeat(context, earlier)
    if (now() >= deadline) throw stillRunning()
    await waitForEnd(idempotency, context, execution.id, Math.min(pause, deadline - now()))
    if (context.stopped) throw context.stopped
    pause = Math.min(2 * pause, LOOK_MS.most)
  }
  if (context.stopped) {
    await idempotency.drop(execution)
    throw context.stopped
  }
  record(idempotency, context, execution)
  return serve()
}

function keyOf({ headers }: Incoming): string {
  const key = headers[KEY_HEADER]
  if (typeof key === 'string' && KEY.test(key)) return key
  throw invalid(KEY_HEADER, 'The header idempotency-key must have 1 to 255 visible ASCII characters.')
}

/** Digest of everything that must be the same in a repetition. Reads the body. */
async function digestOf({ limits }: Core, { incoming, path, memory }: Context): Promise<Buffer> {
  const body = await incoming.read(limits.body, (size) => memory.take(size))
  const { method, url } = incoming
  const mark = url.indexOf('?')
  const digest = (): Buffer =>
    createHash('sha256')
      .update(`${method}\n${path}${mark < 0 ? '' : url.slice(mark)}\n`)
      .update(body)
      .digest()
  return body.length < LARGE_BODY ? digest() : takeTurn(digest)
}

function stillRunning(): HeadgateError {
  return new HeadgateError(
    'conflict',
    'The first request with this idempotency-key is still running. Try again later.',
    { param: KEY_HEADER },
  )
}

/** Waits until an execution of this process ends, the time has passed, or the request is stopped. */
function waitForEnd(idempotency: Idempotency, context: Context, id: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    const unwatch = idempotency.watch(id, done)
    onStop(context, done)
    function done(): void {
      clearTimeout(timer)
      unwatch()
      offStop(context, done)
      resolve()
    }
  })
}

/** Sends a stored response. */
function repeat(context: Context, outcome: IdempotentOutcome): void {
  if ('lost' in outcome) throw new HeadgateError('conflict', LOST[outcome.lost], { param: KEY_HEADER })
  const { status, body } = outcome
  const headers = { ...outcome.headers }
  if (headers[COST] !== undefined) headers[COST] = inDollars(0)
  headers['idempotency-replayed'] = 'true'
  context.once = REPLAY
  sendWholeBody(context, status, headers, body)
}

/** Records the response of a request from now on. */
function record(idempotency: Idempotency, context: Context, execution: KnownExecution): void {
  const run = new RecordedRun(idempotency, context, execution)
  context.once = run
  context.sink = run.recorder
}

/** First request with an idempotency key. It is a class because its functions share state. */
class RecordedRun implements IdempotentRun {
  readonly isReplay = false
  readonly recorder: Recorder
  private readonly idempotency: Idempotency
  private readonly context: Context
  private readonly execution: KnownExecution
  private hasEnded = false
  private stored: Promise<void> | undefined

  constructor(idempotency: Idempotency, context: Context, execution: KnownExecution) {
    this.idempotency = idempotency
    this.context = context
    this.execution = execution
    this.recorder = createRecorder({
      sink: context.sink,
      limit: idempotency.responseBytes,
      take: (bytes) => {
        // The memory of a request that has ended is no longer counted.
        if (!this.hasEnded) context.memory.take(bytes)
      },
      onEnd: () => this.store(),
      onUseless: (why) => this.stop(why),
    })
  }

  end(): Promise<void> | undefined {
    this.hasEnded = true
    // A background stream may still be read.
    if (this.context.sink === this.recorder) this.store()
    return this.stored
  }

  private stop(why: HeadgateError | undefined): void {
    const { context } = this
    // Background work continues without the caller.
    if (context.sink !== this.recorder) return
    context.gone = true
    stopContext(context, why ?? new HeadgateError('canceled', 'The caller has left.'))
  }

  /** Stores the outcome, once. A failure that certainly cost nothing is not stored: a repetition is executed. */
  private store(): void {
    const { idempotency, execution } = this
    this.stored ??=
      this.hasFailed() && this.context.attempts.every(({ cost }) => cost === 0)
        ? idempotency.drop(execution)
        : idempotency.finish(execution, this.outcome())
  }

  private hasFailed(): boolean {
    const { recorded, isOver } = this.recorder
    return !isOver || recorded === undefined || recorded.status >= 400
  }

  private outcome(): IdempotentOutcome {
    const { recorder } = this
    const { recorded, isOver, isTooLarge } = recorder
    if (isTooLarge) return { lost: 'too-large' }
    if (!isOver || !recorded) return { lost: 'incomplete' }
    const { rateHeaders = {} } = this.context
    const kept = Object.entries(recorded.headers).filter(
      ([name]) => !OWN_HEADERS.has(name) && !Object.hasOwn(rateHeaders, name),
    )
    return { status: recorded.status, headers: Object.fromEntries(kept), body: recorder.body() }
  }
}
