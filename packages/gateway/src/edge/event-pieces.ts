import { isObject, type Json, parse } from '@headgate/core/canonical'
import { readFrames } from '@headgate/core/formats'
import { type Chunks, createChunks } from './chunks.ts'
import { createOutline, type Outline } from './outline.ts'

/** Bytes of an event that are held until it is known not to be an error. Errors are smaller. */
const HELD_BYTES = 64 * 1024
/** Bytes before a chunk that can begin the end of an event. */
const MAX_TAIL = 3
const NOTHING = Buffer.alloc(0)

/** Part of a stream of events. */
export interface EventPiece {
  readonly bytes: Buffer
  /** JSON of the event that ends with this piece, with shortened images; undefined within an event. */
  readonly event: Json | undefined
  /** True if nothing of the event was returned before. */
  readonly isWhole: boolean
}

/**
 * Divides a stream of server-sent events into pieces without holding whole images: an event is returned whole if it is
 * small, otherwise in pieces as it comes. Work is linear in the size of the stream for any division into chunks.
 */
export class EventPieces {
  private held: Chunks = createChunks()
  private size = 0
  private tail: Buffer = NOTHING
  private outline: Outline = createOutline()
  private isLarge = false

  push(chunk: Buffer): EventPiece[] {
    const pieces: EventPiece[] = []
    let rest = chunk
    for (let end = this.endIn(rest); end > 0; end = this.endIn(rest)) {
      this.hold(rest.subarray(0, end))
      pieces.push(this.finish())
      rest = rest.subarray(end)
    }
    this.hold(rest)
    if (rest.length > 0 && (this.isLarge || this.size > HELD_BYTES)) {
      const bytes = this.release()
      this.isLarge = true
      pieces.push({ bytes, event: undefined, isWhole: false })
    }
    return pieces
  }

  /** The last event, if the stream ends without an empty line after it. */
  end(): EventPiece | undefined {
    return this.size > 0 || this.isLarge ? this.finish() : undefined
  }

  /** Index after the empty line that ends the current event; 0 = none. */
  private endIn(chunk: Buffer): number {
    const { tail } = this
    const data = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    const plain = data.indexOf('\n\n')
    const windows = data.indexOf('\r\n\r\n')
    const isWindows = windows >= 0 && (plain < 0 || windows < plain)
    if (!isWindows && plain < 0) return 0
    return (isWindows ? windows + 4 : plain + 2) - tail.length
  }

  private hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    // A copy of a small chunk, which may be part of a larger buffer.
    this.held.add(Buffer.from(bytes))
    this.size += bytes.length
    this.tail = Buffer.concat([this.tail, bytes.subarray(-MAX_TAIL)]).subarray(-MAX_TAIL)
  }

  /** The held bytes, which are no longer held. */
  private release(): Buffer {
    const bytes = this.held.whole()
    this.held = createChunks()
    this.size = 0
    this.outline.add(bytes)
    return bytes
  }

  private finish(): EventPiece {
    const bytes = this.release()
    const [frame] = readFrames(this.outline.whole().toString('utf8'))
    const json = frame && parse(frame.data)
    const piece = { bytes, event: isObject(json) ? json : undefined, isWhole: !this.isLarge }
    this.outline = createOutline()
    this.isLarge = false
    this.tail = NOTHING
    return piece
  }
}
