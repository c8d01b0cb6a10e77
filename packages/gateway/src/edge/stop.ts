import type { HeadgateError } from '@headgate/core/errors'

/**
 * Called when a request must end: its caller has left, its deadline has passed, or the gateway shuts down. Called again
 * if another of these follows.
 */
export type StopListener = (error: HeadgateError) => void

/** The part of a request that ends what runs for it. */
export interface Stoppable {
  /** Why nothing more is begun: the caller has left, the deadline has passed, or the gateway shuts down. */
  stopped: HeadgateError | undefined
  /** Called then; see {@link onStop}. */
  readonly stopListeners: StopListener[]
  /** Aborts then; see {@link signalOf}. */
  abort: AbortController | undefined
}

/** Adds a listener, which is not called for a request that has been stopped before. */
export function onStop({ stopListeners }: Pick<Stoppable, 'stopListeners'>, listener: StopListener): void {
  stopListeners.push(listener)
}

export function offStop({ stopListeners }: Pick<Stoppable, 'stopListeners'>, listener: StopListener): void {
  const at = stopListeners.lastIndexOf(listener)
  if (at >= 0) stopListeners.splice(at, 1)
}

/** The abort signal of a request, made when it is first used: streams and unary answers have listeners instead. */
export function signalOf(context: Stoppable): AbortSignal {
  if (!context.abort) {
    context.abort = new AbortController()
    if (context.stopped) context.abort.abort(context.stopped)
  }
  return context.abort.signal
}

/** Ends everything that runs for a request, and prevents that anything more begins. */
export function stopContext(context: Stoppable, error: HeadgateError): void {
  context.stopped ??= error
  context.abort?.abort(context.stopped)
  for (const listener of [...context.stopListeners]) listener(error)
}
