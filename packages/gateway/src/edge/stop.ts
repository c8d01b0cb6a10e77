import type { HeadgateError } from '@headgate/core/errors'

/**
 * Called when a request must end: the caller has left, the deadline has passed, or the gateway is shutting down. Called
 * again if another of these follows.
 */
export type StopListener = (error: HeadgateError) => void

/** Cancellation state of a request. */
export interface Stoppable {
  /**
   * Reason why no further work may begin: the caller has left, the deadline has passed, or the gateway is shutting
   * down.
   */
  stopped: HeadgateError | undefined
  /** See {@link onStop}. */
  readonly stopListeners: StopListener[]
  /** See {@link signalOf}. */
  abort: AbortController | undefined
}

/** Adds a listener. It is not called if the request is stopped already. */
export function onStop({ stopListeners }: Pick<Stoppable, 'stopListeners'>, listener: StopListener): void {
  stopListeners.push(listener)
}

export function offStop({ stopListeners }: Pick<Stoppable, 'stopListeners'>, listener: StopListener): void {
  const at = stopListeners.lastIndexOf(listener)
  if (at >= 0) stopListeners.splice(at, 1)
}

/** Abort signal of a request. It is created on first use, because most requests only need listeners. */
export function signalOf(context: Stoppable): AbortSignal {
  if (!context.abort) {
    context.abort = new AbortController()
    if (context.stopped) context.abort.abort(context.stopped)
  }
  return context.abort.signal
}

/** Stops all work of a request and prevents further work. */
export function stopContext(context: Stoppable, error: HeadgateError): void {
  context.stopped ??= error
  context.abort?.abort(context.stopped)
  for (const listener of [...context.stopListeners]) listener(error)
}
