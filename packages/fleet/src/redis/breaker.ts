/** Options of {@link createBreaker}. */
export interface BreakerOptions {
  /** Call that shows whether the server answers again. */
  probe(): Promise<unknown>
  /** Called once when the breaker opens, with the message of the last failure. */
  onOpen(reason: string): void
  /** Called once when the breaker closes. */
  onClose(): void
  /** Consecutive failures that open the breaker; default 5. */
  readonly failures?: number | undefined
  /** Minimum time that the breaker stays open, in milliseconds; default 1,000. */
  readonly leastMs?: number | undefined
  /** Interval of probes after `leastMs`, in milliseconds; default 100. */
  readonly probeMs?: number | undefined
}

/** Circuit breaker: after several failures in a row, calls are refused without waiting until a probe succeeds. */
export interface Breaker {
  readonly isOpen: boolean
  succeeded(): void
  failed(reason: string): void
  /** Opens it regardless of earlier calls. Does nothing if it is open. */
  open(reason: string): void
  /** Stops probing. */
  end(): void
}

const FAILURES = 5
const LEAST_MS = 1_000
const PROBE_MS = 100

/**
 * Creates a closed circuit breaker.
 *
 * @example
 * ```ts
 * const breaker = createBreaker({ probe: ping, onOpen: (reason) => log.warn(reason), onClose: () => log.info('back') })
 * if (!breaker.isOpen) await call().then(breaker.succeeded, (error) => breaker.failed(error.message))
 * ```
 */
export function createBreaker(options: BreakerOptions): Breaker {
  const { probe, onOpen, onClose, failures = FAILURES, leastMs = LEAST_MS, probeMs = PROBE_MS } = options
  let inARow = 0
  let isOpen = false
  let isEnded = false
  let timer: NodeJS.Timeout | undefined

  const probeIn = (ms: number): void => {
    timer = setTimeout(() => {
      probe().then(close, () => isEnded || probeIn(probeMs))
    }, ms).unref()
  }
  const close = (): void => {
    if (isEnded) return
    isOpen = false
    inARow = 0
    onClose()
  }
  const open = (reason: string): void => {
    if (isOpen || isEnded) return
    isOpen = true
    onOpen(reason)
    probeIn(leastMs)
  }
  return {
    get isOpen() {
      return isOpen
    },
    succeeded() {
      inARow = 0
    },
    failed(reason) {
      inARow += 1
      if (inARow >= failures) open(reason)
    },
    open,
    end() {
      isEnded = true
      clearTimeout(timer)
    },
  }
}
