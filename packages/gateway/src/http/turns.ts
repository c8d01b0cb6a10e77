/** Size of a large body in bytes. Parsing one takes milliseconds, during which no other request is served. */
export const LARGE_BODY = 1024 * 1024

const waiting: (() => void)[] = []
let isBusy = false

function next(): void {
  const run = waiting.shift()
  if (run) run()
  else isBusy = false
}

/**
 * Runs work on a large body immediately, or after the large work before it. Between two jobs, the event loop is free
 * for as long as the first job took: large bodies use at most half of the time, and a small request waits for at most
 * one of them.
 */
export function takeTurn<T>(job: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const run = (): void => {
      isBusy = true
      const begunAt = performance.now()
      try {
        resolve(job())
      } catch (error) {
        reject(error)
      }
      // By then, code that awaited the result has run, too.
      setImmediate(() => setTimeout(next, performance.now() - begunAt))
    }
    if (isBusy) waiting.push(run)
    else run()
  })
}

/** Minimum bytes that a source reads before it can pause: Node's chunk size. */
const READ = 64 * 1024
/** Bytes of large bodies that are read per iteration of the event loop: about half a millisecond of work. */
const BYTES_AT_ONCE = 4 * READ
/**
 * Bytes per millisecond of the last iteration, while new requests begin and connections may wait to be accepted. A busy
 * process must read large bodies, too: at least one chunk, at most twice `BYTES_AT_ONCE`.
 */
const BYTES_PER_MS = READ / 2

/** Smaller chunks do not count, because their cost does not depend on their bytes. */
const SMALLEST_COUNTED = READ / 4

/** Source that can be paused and resumed. */
export interface Pausable {
  pause(): void
  resume(): void
}

let flows = 0
/** Paused flows, oldest first. */
const waitingFlows: ReadFlow[] = []
let bytesLeft = BYTES_AT_ONCE
let isCounting = false
let hasRequests = false
/** Start of the current iteration, by the clock of `performance`. */
let begunAt = 0

/**
 * Flow control for a body or response. It is paused by its reader, or while others are read. Node reads up to 2 MiB
 * from each socket before the next one, and accepts one connection per iteration of the event loop: with many large
 * responses, an iteration would take 200 ms, and new connections would wait for seconds. The oldest flow continues
 * first: if the memory is enough for only some of them, these are read to their end.
 */
export class ReadFlow implements Pausable {
  /** Sequence number of the flow. */
  readonly nth = flows++
  private readonly target: () => Pausable | undefined
  private isPaused = false
  private isWaiting = false

  /** @param target returns the source, or undefined after it has ended */
  constructor(target: () => Pausable | undefined) {
    this.target = target
  }

  pause(): void {
    this.isPaused = true
    this.target()?.pause()
  }

  resume(): void {
    this.isPaused = false
    if (!this.isWaiting) this.target()?.resume()
  }

  /** Counts a chunk. If it was the last one for this iteration, pauses until the next iteration or a later one. */
  count(bytes: number): void {
    if (bytes < SMALLEST_COUNTED || this.isWaiting) return
    if (!isCounting) {
      isCounting = true
      begunAt = performance.now()
      setImmediate(beginIteration)
    }
    bytesLeft -= bytes
    if (bytesLeft > 0) return
    let at = waitingFlows.length
    while (at > 0 && (waitingFlows[at - 1]?.nth ?? 0) > this.nth) at--
    waitingFlows.splice(at, 0, this)
    this.isWaiting = true
    this.target()?.pause()
  }

  /** Called when it is this flow's turn. */
  proceed(): void {
    this.isWaiting = false
    if (!this.isPaused) this.target()?.resume()
  }
}

function beginIteration(): void {
  const now = performance.now()
  const share = Math.max(READ, Math.min(2 * BYTES_AT_ONCE, BYTES_PER_MS * (now - begunAt)))
  bytesLeft = hasRequests ? share : BYTES_AT_ONCE
  begunAt = now
  hasRequests = false
  isCounting = waitingFlows.length > 0
  if (isCounting) setImmediate(beginIteration)
  for (let reads = bytesLeft / READ; reads > 0 && bytesLeft > 0; reads--) waitingFlows.shift()?.proceed()
}

/** Records that a request has begun. */
export function recordRequest(): void {
  hasRequests = true
}
