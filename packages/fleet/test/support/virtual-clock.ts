import type { FleetTimers } from '../../src/timers.ts'

interface VirtualEvent {
  readonly at: number
  readonly order: number
  call: (() => void) | undefined
}

/** Hops of promises that follow an event before the next event. */
const HOPS = 30

/** Clock whose time is moved by {@link VirtualClock.runUntil}. Promises settle between events. */
export interface VirtualClock extends FleetTimers {
  now(): number
  runUntil(at: number): Promise<void>
}

/** Events of a heap: children are not before their parent. */
function push(heap: VirtualEvent[], event: VirtualEvent): void {
  let at = heap.length
  heap.push(event)
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent] as VirtualEvent
    if (!isBefore(event, above)) break
    heap[at] = above
    at = parent
  }
  heap[at] = event
}

function pop(heap: VirtualEvent[]): VirtualEvent | undefined {
  const [first] = heap
  const last = heap.pop()
  if (!first || !last || heap.length === 0) return first
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    if (left >= heap.length) break
    const right = left + 1
    const isRight = right < heap.length && isBefore(heap[right] as VirtualEvent, heap[left] as VirtualEvent)
    const child = isRight ? right : left
    if (!isBefore(heap[child] as VirtualEvent, last)) break
    heap[at] = heap[child] as VirtualEvent
    at = child
  }
  heap[at] = last
  return first
}

function isBefore(one: VirtualEvent, other: VirtualEvent): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}

/** Lets promises settle that need no further event. */
async function settle(): Promise<void> {
  for (let hop = 0; hop < HOPS; hop++) await null
}

export function createVirtualClock(): VirtualClock {
  const heap: VirtualEvent[] = []
  let time = 0
  let order = 0
  const set = (call: () => void, ms: number): VirtualEvent => {
    const event = { at: time + Math.max(0, ms), order: ++order, call }
    push(heap, event)
    return event
  }
  return {
    now: () => time,
    set,
    soon: (call) => void set(call, 0),
    clear: (timer) => {
      if (timer) (timer as VirtualEvent).call = undefined
    },
    async runUntil(at) {
      await settle()
      while (heap[0] && heap[0].at <= at) {
        const event = pop(heap) as VirtualEvent
        time = event.at
        if (!event.call) continue
        event.call()
        await settle()
      }
      time = at
    },
  }
}
