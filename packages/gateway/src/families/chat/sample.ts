import type { Frame, StreamReader } from '@headgate/core/canonical'
import { createHeard, type Heard, observe } from '@headgate/core/canonical'
import type { Framing } from '../../http/framing.ts'

/** How much of the beginning is kept, in bytes. */
const KEPT = 4096
/** Most bytes of one piece that count: what is longer holds media, not words. */
const LONGEST = 65_536

const NOTHING = new Uint8Array()

/**
 * The beginning of a stream whose bytes pass unread, and its last piece: enough to tell what was heard when it breaks
 * off.
 */
export interface Sample {
  /** `piece` ends at a frame boundary. */
  add(piece: Uint8Array): void
  /**
   * The text of what is kept, and how much the whole has if the rest is like that. `patch` makes frames of the reader's
   * format, or none.
   */
  heard(framing: Framing, patch: (frame: Frame) => Frame | undefined, reader: StreamReader): Heard
}

export function createSample(): Sample {
  /** Copies: a piece would keep the whole chunk of the network that it is of. */
  const kept: Buffer[] = []
  let filled = 0
  let last: Uint8Array | undefined
  let size = 0
  /** Those that count. */
  let bytes = 0
  return {
    add(piece) {
      size += piece.length
      bytes += Math.min(piece.length, LONGEST)
      last = piece
      if (filled === KEPT) return
      const room = piece.length <= KEPT - filled ? piece : piece.subarray(0, KEPT - filled)
      kept.push(Buffer.from(room))
      filled += room.length
    },
    heard(framing, patch, reader) {
      const heard = createHeard()
      const note = observe({ content: false, finished: 0 }, heard)
      /** Bytes of the frames that say something: the others (starts, pings) are few, and hold no text. */
      let telling = 0
      let rest = bytes
      try {
        const start = framing.resplitter().push(Buffer.concat(kept)) ?? NOTHING
        const end = last?.subarray(Math.max(0, start.length - (size - last.length))) ?? NOTHING
        for (const whole of [start, end]) {
          const frames = framing.read(whole)
          const data = frames.reduce((sum, frame) => sum + frame.data.length, 0)
          const around = Math.max(0, whole.length - data) / Math.max(1, frames.length)
          for (const frame of frames) {
            const before = heard.length
            const patched = patch(frame)
            if (patched) for (const part of reader.push(patched)) note(part)
            const taken = frame.data.length + around
            rest -= taken
            if (heard.length > before) telling += taken
          }
        }
      } catch {
        // What can not be read was not heard.
      }
      const { text, length } = heard
      return { text, length: length + Math.round((Math.max(0, rest) * length) / Math.max(1, telling)) }
    },
  }
}
