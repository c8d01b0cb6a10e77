import type { Sink } from '../../../edge/sink.ts'

/** Final events. */
const LAST = /^event: (?:error|response\.(?:completed|incomplete|failed))\n/

/** Event log of a stream that continues without its caller. Event number n is the n-th frame. */
export interface Recording {
  /** Sink for the stream. The head is ignored, because the caller already has one. */
  readonly sink: Sink
  /** All events so far, including events that wait for `finish`. */
  text(): string
  /** Number of events so far. */
  count(): number
  /** Adds events. Final events wait for `finish`. */
  add(text: string): void
  /** Releases the final events and ends all readers. */
  finish(): void
  /**
   * Sends the events after number `after` to a caller, then new events as they arrive. Calls `done` once at the end.
   * @returns a function that stops the reader
   */
  read(sink: Sink, after: number, done?: () => void): () => void
}

/** Creates an event log. `grown` is called with the total size in UTF-16 code units after each addition. */
export function createRecording(grown: (size: number) => void): Recording {
  const frames: string[] = []
  const held: string[] = []
  const readers = new Set<() => void>()
  let size = 0
  let isOver = false

  const add = (text: string): void => {
    for (const frame of text.split(/(?<=\n\n)/)) {
      if (!frame.startsWith('event: ')) continue
      const list = held.length > 0 || LAST.test(frame) ? held : frames
      list.push(frame)
      size += frame.length
    }
    for (const pump of readers) pump()
    grown(size)
  }
  const write = (chunk: Uint8Array | string): void =>
    add(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))

  return {
    sink: {
      head() {},
      write(chunk) {
        write(chunk)
        return true
      },
      onDrain() {},
      end(chunk) {
        if (chunk !== undefined) write(chunk)
      },
      unsent: () => 0,
      onSettled() {},
      destroy() {},
      onClose() {},
    },
    text: () => frames.join('') + held.join(''),
    count: () => frames.length + held.length,
    add,
    finish() {
      isOver = true
      frames.push(...held.splice(0))
      for (const pump of readers) pump()
    },
    read(sink, after, done) {
      let next = after + 1
      let isWaiting = false
      const pump = (): void => {
        while (!isWaiting && next < frames.length) {
          if (sink.write(frames[next++] ?? '')) continue
          isWaiting = true
          sink.onDrain(() => {
            isWaiting = false
            pump()
          })
        }
        if (isWaiting || !isOver || !readers.delete(pump)) return
        sink.end()
        done?.()
      }
      readers.add(pump)
      pump()
      return () => {
        if (readers.delete(pump)) done?.()
      }
    },
  }
}
