/** Event of the future. */
export interface QueuedEvent {
  readonly at: number
  /** Replaced to cancel the event. */
  run: () => void
}

/** Virtual time: a queue of events, which run in the order of their times. */
export interface VirtualClock {
  /** Milliseconds since the start of the simulation. */
  now(): number
  /** Runs a function after so many milliseconds, rounded up. Returns the event. */
  after(ms: number, run: () => void): QueuedEvent
  /** Runs a function after all other events of the present millisecond. */
  soon(run: () => void): void
  /** Runs all events until a time, and the promises that they settle. */
  runUntil(ms: number): Promise<void>
  /** Number of events so far. */
  readonly events: number
}

/** Order of events of the same time does not matter: a binary heap by time. */
export function createVirtualClock(): VirtualClock {
  const heap: QueuedEvent[] = []
  let later: (() => void)[] = []
  let time = 0
  let count = 0
  /** Settles all promises of this millisecond, and runs what follows from them. */
  const settle = async (): Promise<void> => {
    do {
      const now = later
      later = []
      count += now.length
      for (const run of now) run()
      await new Promise(setImmediate)
    } while (later.length > 0)
  }
  return {
    now: () => time,
    after(ms, run) {
      const event = { at: time + Math.max(1, Math.ceil(ms)), run }
      push(heap, event)
      return event
    },
    soon(run) {
      later.push(run)
    },
    async runUntil(ms) {
      for (let next = heap[0]; next && next.at <= ms; next = heap[0]) {
        time = next.at
        for (let event: QueuedEvent | undefined = next; event?.at === time; event = heap[0]) {
          pop(heap)
          count += 1
          event.run()
        }
        await settle()
      }
      time = ms
    },
    get events() {
      return count
    },
  }
}

function push(heap: QueuedEvent[], event: QueuedEvent): void {
  let index = heap.length
  heap.push(event)
  while (index > 0) {
    const parent = (index - 1) >> 1
    const above = heap[parent] as QueuedEvent
    if (above.at <= event.at) break
    heap[index] = above
    index = parent
  }
  heap[index] = event
}

function pop(heap: QueuedEvent[]): void {
  const last = heap.pop()
  if (!last || heap.length === 0) return
  let index = 0
  for (;;) {
    const left = 2 * index + 1
    if (left >= heap.length) break
    const right = left + 1
    const child = right < heap.length && (heap[right] as QueuedEvent).at < (heap[left] as QueuedEvent).at ? right : left
    const below = heap[child] as QueuedEvent
    if (below.at >= last.at) break
    heap[index] = below
    index = child
  }
  heap[index] = last
}
