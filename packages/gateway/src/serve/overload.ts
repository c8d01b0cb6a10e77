import { HeadgateError, invalid } from '@headgate/core/errors'
import { now } from '../clock.ts'
import { headerOf, type Incoming } from '../edge/sink.ts'
import type { ShedReason } from '../ports/gateway-options.ts'
import type { Principal } from '../ports/ledger.ts'
import {
  DEFAULT_CLASS,
  isServiceClass,
  lowerClass,
  SERVICE_CLASSES,
  type ServiceClass,
} from '../ports/service-class.ts'
import type { Context } from './context.ts'

/** Header that lowers the class of a request. */
const CLASS_HEADER = 'headgate-class'
/** Period of the measurement in milliseconds. */
const TICK_MS = 20
/** Number of delays in a row of which the smallest counts: a single long task is not an overload. */
const TICKS = 3
/** Time in which a measured delay falls to a half, in milliseconds, so that refusals do not begin and end in bursts. */
const HALF_LIFE_MS = 200
/** Multiple of the configured delay above which a class is refused. */
const DELAYS: Readonly<Record<ServiceClass, number>> = { interactive: 4, normal: 2, batch: 1 }
/**
 * Used part of the memory quota above which a class is refused. The quota itself leaves memory for small requests of
 * every key, which must not be refused here.
 */
const MEMORY: Readonly<Record<ServiceClass, number>> = { interactive: 1, normal: 1, batch: 1 / 2 }
/** Announced size in bytes from which a body is expensive to start; such requests are refused earlier. */
const LARGE_BODY = 1024 * 1024
const LARGE_DELAY = 1 / 2
const LARGE_MEMORY: Readonly<Record<ServiceClass, number>> = { interactive: 1, normal: 3 / 4, batch: 1 / 4 }
/** Suggested wait by class, in milliseconds. */
const RETRY_AFTER_MS: Readonly<Record<ServiceClass, number>> = { interactive: 1_000, normal: 2_000, batch: 5_000 }

/** Use of the memory quota. */
export interface MemoryUse {
  readonly held: number
  /** Size of the quota in bytes. */
  readonly total: number
}

/** Overload of this process. */
export interface Overload {
  /** Smallest of the last delays of the event loop in milliseconds, which falls slowly. */
  readonly delay: number
  /** Reason to refuse a request of a class with a body of `bytes`; undefined = none. */
  reasonFor(serviceClass: ServiceClass, bytes: number): ShedReason | undefined
  /** Records that the timer of the measurement ran. */
  tick(): void
  /** Ends the measurement. */
  close(): void
}

/**
 * Measures the delay of the event loop, and decides which requests are refused.
 *
 * @param most delay in milliseconds above which requests are refused
 * @param clock monotonic clock in milliseconds
 */
export function createOverload(most: number, memory: () => MemoryUse, clock: () => number = now): Overload {
  const delays = Array.from({ length: TICKS }, () => 0)
  let place = 0
  let last = clock()
  const overload = {
    delay: 0,
    reasonFor(serviceClass: ServiceClass, bytes: number): ShedReason | undefined {
      const isLarge = bytes >= LARGE_BODY
      if (overload.delay > most * DELAYS[serviceClass] * (isLarge ? LARGE_DELAY : 1)) return 'event-loop-delay'
      const { held, total } = memory()
      return held > total * (isLarge ? LARGE_MEMORY : MEMORY)[serviceClass] ? 'memory' : undefined
    },
    tick() {
      const moment = clock()
      const passed = moment - last
      last = moment
      delays[place] = Math.max(0, passed - TICK_MS)
      place = (place + 1) % TICKS
      overload.delay = Math.max(Math.min(...delays), overload.delay * 0.5 ** (passed / HALF_LIFE_MS))
    },
    close: () => clearInterval(timer),
  }
  const timer = setInterval(() => overload.tick(), TICK_MS)
  timer.unref()
  return overload
}

/**
 * Class of a request: the class of its key, or a lower one from the header.
 * @throws HeadgateError `invalid-request` for an unknown class
 */
export function serviceClassOf(
  incoming: Pick<Incoming, 'headers'>,
  { class: most = DEFAULT_CLASS }: Pick<Principal, 'class'>,
): ServiceClass {
  const requested = headerOf(incoming, CLASS_HEADER)
  if (requested === undefined) return most
  if (isServiceClass(requested)) return lowerClass(requested, most)
  throw invalid(
    CLASS_HEADER,
    `The header ${CLASS_HEADER} must be one of ${SERVICE_CLASSES.join(', ')}; found ${JSON.stringify(requested.slice(0, 64))}.`,
  )
}

/** Announced size of a request body in bytes; 0 = none or unknown. */
function announcedSize({ headers }: Pick<Incoming, 'headers'>): number {
  const length = Number(headers['content-length'] ?? 0)
  return Number.isFinite(length) ? length : 0
}

/**
 * Refuses a request before its body is read, if the process has too much to do.
 * @throws HeadgateError `over-limit`
 */
export function checkOverload(overload: Overload, context: Context): void {
  const { serviceClass, incoming } = context
  const reason = overload.reasonFor(serviceClass, announcedSize(incoming))
  if (!reason) return
  context.shed = { reason, serviceClass }
  const what = reason === 'memory' ? 'has little memory left' : 'is overloaded'
  throw new HeadgateError(
    'over-limit',
    `The gateway ${what}, and refuses requests of the class ${serviceClass} now. Try again later.`,
    { retryAfterMs: RETRY_AFTER_MS[serviceClass] },
  )
}
