import type { HeadgateError } from '@headgate/core/errors'
import type { ResponseHeaders, Sink } from '../../edge/sink.ts'

/** Head of a recorded response. */
export interface RecordedHead {
  readonly status: number
  readonly headers: ResponseHeaders
}

export interface RecorderParts {
  /** Sink of the caller. */
  readonly sink: Sink
  /** Maximum bytes of a recorded body. */
  readonly limit: number
  /** Counts memory of the record, negative when it is freed. @throws HeadgateError if none is left */
  take(bytes: number): void
  /** Called once, when the whole response has been recorded. */
  onEnd(): void
  /** Called if the caller has left and the response is too large to be stored, so that its rest is useless. */
  onUseless(why: HeadgateError | undefined): void
}

/**
 * Sink that passes a response to the caller and records it. If the caller leaves, the response continues into the
 * record only, so that the caller can get it with a repetition.
 */
export interface Recorder extends Sink {
  readonly recorded: RecordedHead | undefined
  /** True after the whole response. */
  readonly isOver: boolean
  /** True if the response is too large to be stored. */
  readonly isTooLarge: boolean
  body(): Buffer
}

/** Creates a recorder. It takes the place of the sink's `onClose` callback. */
export function createRecorder(parts: RecorderParts): Recorder {
  return new RecordingSink(parts)
}

/** It is a class because many functions share its state. */
class RecordingSink implements Recorder {
  recorded: RecordedHead | undefined
  isOver = false
  isTooLarge = false
  private readonly parts: RecorderParts
  private chunks: (Uint8Array | string)[] = []
  private size = 0
  private hasLeft = false
  private why: HeadgateError | undefined
  private drained: (() => void) | undefined
  private closed: ((why?: HeadgateError) => void) | undefined

  constructor(parts: RecorderParts) {
    this.parts = parts
    parts.sink.onClose((why) => this.leave(why))
  }

  head(status: number, headers: ResponseHeaders): void {
    // A sink may add headers of its connection.
    this.recorded = { status, headers: { ...headers } }
    if (!this.hasLeft) this.parts.sink.head(status, headers)
  }

  write(chunk: Uint8Array | string): boolean {
    this.record(chunk)
    return this.hasLeft || this.parts.sink.write(chunk)
  }

  onDrain(callback: () => void): void {
    this.drained = callback
    if (this.hasLeft) this.drain()
    else this.parts.sink.onDrain(() => this.drain())
  }

  end(chunk?: Uint8Array | string): void {
    if (chunk !== undefined) this.record(chunk)
    this.isOver = true
    if (!this.hasLeft) this.parts.sink.end(chunk)
    this.parts.onEnd()
  }

  unsent(): number {
    return this.hasLeft ? 0 : this.parts.sink.unsent()
  }

  onSettled(callback: () => void): void {
    this.parts.sink.onSettled(callback)
  }

  destroy(): void {
    if (!this.hasLeft) this.parts.sink.destroy()
  }

  /** The callback is called only if the rest of the response is useless. */
  onClose(callback: (why?: HeadgateError) => void): void {
    this.closed = callback
  }

  body(): Buffer {
    return Buffer.concat(this.chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)))
  }

  private drain(): void {
    const callback = this.drained
    this.drained = undefined
    callback?.()
  }

  private leave(why: HeadgateError | undefined): void {
    if (this.isOver || this.hasLeft) return
    this.hasLeft = true
    this.why = why
    if (this.isTooLarge) this.giveUp()
    else this.drain()
  }

  private record(chunk: Uint8Array | string): void {
    if (this.isTooLarge) return
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length
    if (this.size + size > this.parts.limit || !this.take(size)) {
      this.isTooLarge = true
      this.chunks = []
      this.take(-this.size)
      // Its writer is in the middle of a write.
      if (this.hasLeft) queueMicrotask(() => this.giveUp())
      return
    }
    this.chunks.push(chunk)
    this.size += size
  }

  private take(bytes: number): boolean {
    try {
      this.parts.take(bytes)
      return true
    } catch {
      return false
    }
  }

  private giveUp(): void {
    if (this.isOver) return
    this.closed?.(this.why)
    this.parts.onUseless(this.why)
    this.drain()
  }
}
