import type { Loss } from '../canonical/loss.ts'
import type { ModelFacts } from '../canonical/target.ts'
import type { HttpRequest, HttpResponse } from './http.ts'

/** Call to an upstream, for the function that builds its request. */
export interface Call {
  /** The provider's id of the model. Empty for calls without a model, such as a list of models. */
  readonly model: string
  readonly stream: boolean
  /** The caller's headers that `forward` names. Names are lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Known facts of the model. */
  readonly facts?: ModelFacts | undefined
  /**
   * Declares a loss: the `path` in the input that the upstream does not support, and the reason. Callers find it in
   * `headgate-lost`; `headgate-strict` rejects the request before it is sent (in-process: before the first output).
   * Default kind: `dropped`.
   */
  lose(path: string, reason: string, kind?: Loss['kind']): void
}

// Registered, so that adapters with another copy of this package work.
const NEXT = Symbol.for('headgate.next')

/** Request for one more response before the result. See {@link next}. */
export interface Next {
  readonly [NEXT]: true
  readonly request: HttpRequest
  readonly afterMs: number
}

/**
 * Further request before the result, such as the next page of a list or the state of a task.
 * @param afterMs delay in milliseconds; default 0, maximum 60,000.
 * @example return next({ method: 'GET', url: `/jobs/${id}` }, 2000)
 */
export function next(request: HttpRequest, afterMs = 0): Next {
  return { [NEXT]: true, request, afterMs }
}

/**
 * True for a result of {@link next}, also of another copy of this package.
 * @example if (isNext(result)) await send(result.request)
 */
export function isNext(value: unknown): value is Next {
  return typeof value === 'object' && value !== null && NEXT in value
}

/** Pure functions around one or more calls to an upstream. `response` can return {@link next} for one more request. */
export interface Exchange<In, Out> {
  request(input: In, call: Call): HttpRequest
  /** `earlier` has the previous responses, oldest first, such as the pages of a list. */
  response(response: HttpResponse, input: In, earlier: readonly HttpResponse[]): Out | Next
  /**
   * True if `response` reads a response with a status of 400 or more, or with an error in its body, such as a failed
   * task or a task that cannot be canceled. Called before `readError`. Default: false for all.
   */
  reads?(failure: HttpResponse): boolean
}

/** Family that runs in this process. `run` stops when the signal aborts, and declares losses with `call.lose`. */
export interface InProcess<In, Out> {
  run(input: In, signal: AbortSignal, call: Call): Out
}
