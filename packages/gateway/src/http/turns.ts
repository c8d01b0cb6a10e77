/** Size in bytes from which a body is large: to read it takes milliseconds, in which no other request is served. */
export const LARGE = 1024 * 1024

const waiting: (() => void)[] = []
let isBusy = false

function next(): void {
  const run = waiting.shift()
  if (run) run()
  else isBusy = false
}

/**
 * Runs work on a large body at once, or after the large work before it. Between two such jobs the event loop is free for
 * as long as the first one took: large bodies use at most half of the time, and a small request waits for one of them.
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
      // By then what waited for the result has run, too.
      setImmediate(() => setTimeout(next, performance.now() - begunAt))
    }
    if (isBusy) waiting.push(run)
    else run()
  })
}

/** Bytes that a source reads at least before it can pause: what Node reads at once. */
const READ = 64 * 1024
/** Bytes of large bodies that are read in one iteration of the event loop: in about half a millisecond. */
const BYTES_AT_ONCE = 4 * READ
/**
 * The same while requests begin, when connections may wait to be accepted: for each millisecond that the last iteration
 * took, so that a busy process reads large bodies, too; at least one chunk, at most twice as much as otherwise.
 */
const BYTES_PER_MS = READ / 2

/** Smaller chunks do not count: it is not their bytes that take the time. */
const SMALLEST_COUNTED = READ / 4

/** What can be paused and resumed. */
export interface Pausable {
  pause(): void
  resume(): void
}

let flows = 0
/** Oldest first. */
const waitingFlows: Flow[] = []
let bytesLeft = BYTES_AT_ONCE
let isCounting = false
let hasRequests = false
/** When the present iteration began, by the clock of `performance`. */
let begunAt = 0

/**
 * A body or response that is read: paused by its reader, or while others are read. Node reads up to 2 MiB from each
 * socket before it looks at the next one, and accepts one connection per iteration of the event loop: with many large
 * responses, an iteration would take 200 ms, and new connections would wait for seconds. The oldest goes on first: if
 * memory suffices for some of them only, these are read to their end.
 */
export class Flow implements Pausable {
  /** Its place among all of them, by when it began. */
  readonly nth = flows++
  private readonly target: () => Pausable | undefined
  private isPaused = false
  private isWaiting = false

  /** @param target gives what is paused, or undefined once it has ended. */
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

  /** Counts a chunk that was read; pauses until the next iteration, or a later one, if it was the last for this one. */
  count(bytes: number): void {
    if (bytes < SMALLEST_COUNTED || this.isWaiting) return
    if (!isCounting) {
      isCounting = true
      begunAt = performance.now()
      setImmediate(countAnew)
    }
    bytesLeft -= bytes
    if (bytesLeft > 0) return
    let at = waitingFlows.length
    while (at > 0 && (waitingFlows[at - 1]?.nth ?? 0) > this.nth) at--
    waitingFlows.splice(at, 0, this)
    this.isWaiting = true
    this.target()?.pause()
  }

  /** Called when it is its turn. */
  proceed(): void {
    this.isWaiting = false
    if (!this.isPaused) this.target()?.resume()
  }
}

function countAnew(): void {
  const now = performance.now()
  const share = Math.max(READ, Math.min(2 * BYTES_AT_ONCE, BYTES_PER_MS * (now - begunAt)))
  bytesLeft = hasRequests ? share : BYTES_AT_ONCE
  begunAt = now
  hasRequests = false
  isCounting = waitingFlows.length > 0
  if (isCounting) setImmediate(countAnew)
  for (let reads = bytesLeft / READ; reads > 0 && bytesLeft > 0; reads--) waitingFlows.shift()?.proceed()
}

/** A request has begun. */
export function noteRequest(): void {
  hasRequests = true
}
