import type { Loss } from '../canonical/loss.ts'
import type { ModelFacts } from '../canonical/target.ts'
import type { HttpRequest, HttpResponse } from './http.ts'

/** What is known of one call when its request is built. */
export interface Call {
  /** The provider's own name of the model; empty where no model is asked for (a list). */
  readonly model: string
  readonly stream: boolean
  /** The caller's headers that `forward` names, lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** What is known of the model. */
  readonly facts?: ModelFacts | undefined
  /**
   * Declares what the upstream can not be told: `path` in the body that was given, and why. The caller reads it in
   * `headgate-lost`, and with `headgate-strict` the request is refused before it is sent; in this process, before
   * anything of the answer has gone out. Default kind: `dropped`.
   */
  lose(path: string, reason: string, kind?: Loss['kind']): void
}

// Registered, so that an adapter with another copy of this package is understood.
const NEXT = Symbol.for('headgate.next')

/** One more request before the result; created by {@link next}. */
export interface Next {
  readonly [NEXT]: true
  readonly request: HttpRequest
  readonly afterMs: number
}

/**
 * One more request: the next page of a list, or the state of a task.
 * @param afterMs how long to wait first, in milliseconds; default 0, at most 60,000.
 */
export function next(request: HttpRequest, afterMs = 0): Next {
  return { [NEXT]: true, request, afterMs }
}

/** Whether a result of `response` is one more request, also if another copy of this package created it. */
export function isNext(value: unknown): value is Next {
  return typeof value === 'object' && value !== null && NEXT in value
}

/**
 * Pure functions around one upstream call, or several: `response` may ask for one more request before it has the
 * answer.
 */
export interface Exchange<In, Out> {
  request(input: In, call: Call): HttpRequest
  /** `earlier` are the answers that asked for more, oldest first (the pages of a list). */
  response(answer: HttpResponse, input: In, earlier: readonly HttpResponse[]): Out | Next
  /**
   * Whether a failure is an answer all the same, for `response` to read: of a task that failed itself, or that can not
   * be canceled any more. Asked for statuses from 400 on, and before `readError`. Default: none is.
   */
  reads?(failure: HttpResponse): boolean
}

/**
 * A family that is served in this process. `run` stops when the signal aborts, and declares by `call.lose` what it
 * leaves out.
 */
export interface InProcess<In, Out> {
  run(input: In, signal: AbortSignal, call: Call): Out
}
