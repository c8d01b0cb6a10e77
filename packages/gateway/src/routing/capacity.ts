import type { ServiceClass } from '../ports/service-class.ts'
import type { QueueOptions, QueueRefusal } from './call-queue.ts'
import { createFairQueue, type FairRequest } from './fair-queue.ts'

/** Result of a wait: a place, or the reason for its absence; undefined after `leave`. */
export type CapacityResult = 'entered' | QueueRefusal | undefined

/** Wait of a request. */
export interface CapacityWait {
  readonly result: Promise<CapacityResult>
  /** Ends the wait. A place that was given already stays. */
  leave(): void
}

/** Maximum number of requests in progress. Further ones wait in fair order. */
export interface Capacity {
  /** Takes a place. False = the request must wait. */
  enter(): boolean
  /** Waits for a place, at most `ms`. */
  wait(request: FairRequest, ms: number): CapacityWait
  /** Frees a place. */
  leave(): void
  /** Number of waiting requests of a class. */
  waiting(serviceClass: ServiceClass): number
  /** Milliseconds that a new request would wait; undefined = unknown. */
  expectedMs(): number | undefined
}

/** @param concurrent maximum number of requests in progress */
export function createCapacity(concurrent: number, { most, ms: mostMs, clock }: QueueOptions): Capacity {
  let running = 0
  const queue = createFairQueue<(result: CapacityResult) => void>({
    most,
    ms: mostMs,
    clock,
    onEvicted: (settle) => settle('queue-full'),
  })
  return {
    enter() {
      if (running >= concurrent || queue.size > 0) return false
      running++
      return true
    },
    wait(request, ms) {
      const { promise, resolve } = Promise.withResolvers<CapacityResult>()
      const settle = (result: CapacityResult): void => {
        clearTimeout(timer)
        place?.leave()
        resolve(result)
      }
      const timer = setTimeout(settle, ms, 'queue-timeout')
      const place = queue.add(request, settle)
      if (!place) settle('queue-full')
      return { result: promise, leave: () => settle(undefined) }
    },
    leave() {
      const next = queue.take()
      if (next) next('entered')
      else running--
    },
    waiting: (serviceClass) => queue.waiting(serviceClass),
    expectedMs: () => queue.expectedMs(),
  }
}
