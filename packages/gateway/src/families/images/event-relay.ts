import { isObject, type Json, parse } from '@headgate/core/canonical'
import { readFrames } from '@headgate/core/formats'
import { createOutline, type Outline } from '../../edge/outline.ts'

/** Bytes of an event that are held until it is known not to be an error. Errors are smaller. */
const HELD_BYTES = 64 * 1024
/** Bytes that may begin the end of an event. */
const MAX_END = 3

/** Part of a stream of events. */
export interface RelayedPiece {
  readonly bytes: Buffer
  /** JSON of the event that ends with this piece, with shortened images; undefined within an event. */
  readonly event: Json | undefined
  /** True if nothing of the event was returned before. */
  readonly isWhole: boolean
}

/**
 * Divides a stream of server-sent events into pieces without holding whole images: an event is returned whole if it is
 * small, otherwise in pieces as it comes.
 */
export class EventRelay {
  private held: Buffer = Buffer.alloc(0)
  private outline: Outline = createOutline()
  private isLarge = false

  push(chunk: Buffer): RelayedPiece[] {
    const pieces: RelayedPiece[] = []
    let data = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk])
    let from = Math.max(0, this.held.length - MAX_END)
    for (let end = endOfEvent(data, from); end > 0; end = endOfEvent(data, from)) {
      pieces.push(this.finish(data.subarray(0, end)))
      data = data.subarray(end)
      from = 0
    }
    if (this.isLarge || data.length > HELD_BYTES) {
      const cut = Math.max(0, data.length - MAX_END)
      const bytes = data.subarray(0, cut)
      if (cut > 0) {
        this.outline.add(bytes)
        pieces.push({ bytes, event: undefined, isWhole: false })
        this.isLarge = true
      }
      data = data.subarray(cut)
    }
    this.held = Buffer.from(data)
    return pieces
  }

  /** The last event, if the stream ends without an empty line after it. */
  end(): RelayedPiece | undefined {
    const { held } = this
    this.held = Buffer.alloc(0)
    return held.length > 0 || this.isLarge ? this.finish(held) : undefined
  }

  /** Bytes in memory. */
  get size(): number {
    return this.held.length
  }

  private finish(bytes: Buffer): RelayedPiece {
    this.outline.add(bytes)
    const [frame] = readFrames(this.outline.whole().toString('utf8'))
    const json = frame && parse(frame.data)
    const piece = { bytes, event: isObject(json) ? json : undefined, isWhole: !this.isLarge }
    this.outline = createOutline()
    this.isLarge = false
    return piece
  }
}

/** Index after the empty line that ends an event; 0 = none. */
function endOfEvent(data: Buffer, from: number): number {
  const plain = data.indexOf('\n\n', from)
  const windows = data.indexOf('\r\n\r\n', from)
  if (windows >= 0 && (plain < 0 || windows < plain)) return windows + 4
  return plain < 0 ? 0 : plain + 2
}
