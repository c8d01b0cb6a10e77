/** Timers of allocations, so that simulations can use a virtual clock. */
export interface FleetTimers {
  /** Calls back once after a number of milliseconds. Returns a value for {@link clear}. */
  set(call: () => void, ms: number): unknown
  clear(timer: unknown): void
  /** Calls back after the present turn of the event loop. */
  soon(call: () => void): void
}

/** Timers of Node, which do not keep the process running. */
export const NODE_TIMERS: FleetTimers = {
  set: (call, ms) => {
    const timer = setTimeout(call, ms)
    timer.unref()
    return timer
  },
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
  soon: (call) => void setImmediate(call),
}
