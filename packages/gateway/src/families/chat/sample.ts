import type { Frame, StreamReader } from '@headgate/core/canonical'
import { createTextSample, observe, type TextSample } from '@headgate/core/canonical'
import type { Framing } from '../../http/framing.ts'

/** Bytes stored from the start of the stream. */
const KEPT = 4096
/** Maximum bytes of one piece that count. Longer pieces contain media, not text. */
const LONGEST = 65_536

const NOTHING = new Uint8Array()

/** The start and the last piece of a bypassed stream, to estimate its text if it breaks off. */
export interface Sample {
  /** `piece` must end at a frame boundary. */
  add(piece: Uint8Array): void
  /** The stored text, and the estimated length of the whole text. `patch` converts frames to the reader's format. */
  estimate(framing: Framing, patch: (frame: Frame) => Frame | undefined, reader: StreamReader): TextSample
}

export function createSample(): Sample {
  /** Copies, because a piece would keep its whole network chunk in memory. */
  const kept: Buffer[] = []
  let filled = 0
  let last: Uint8Array | undefined
  let size = 0
  /** Bytes that count toward the estimate. */
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
    estimate(framing, patch, reader) {
      const sample = createTextSample()
      const note = observe({ content: false, finished: 0 }, sample)
      /** Bytes of frames with text. Other frames, such as starts and pings, are few. */
      let textBytes = 0
      let rest = bytes
      try {
        const start = framing.resplitter().push(Buffer.concat(kept)) ?? NOTHING
        const end = last?.subarray(Math.max(0, start.length - (size - last.length))) ?? NOTHING
        for (const whole of [start, end]) {
          const frames = framing.read(whole)
          const data = frames.reduce((sum, frame) => sum + frame.data.length, 0)
          const around = Math.max(0, whole.length - data) / Math.max(1, frames.length)
          for (const frame of frames) {
            const before = sample.length
            const patched = patch(frame)
            if (patched) for (const part of reader.push(patched)) note(part)
            const taken = frame.data.length + around
            rest -= taken
            if (sample.length > before) textBytes += taken
          }
        }
      } catch {
        // Unreadable frames do not count.
      }
      const { text, length } = sample
      return { text, length: length + Math.round((Math.max(0, rest) * length) / Math.max(1, textBytes)) }
    },
  }
}
