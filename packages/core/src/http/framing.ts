import type { Frame } from '../chat/format.ts'
import type { ChatSupport } from '../provider.ts'
import { eventStreamSplitter, readEventStream } from './event-stream.ts'
import { lineSplitter, readFrames, readLines, type Splitter, sseSplitter } from './sse.ts'

/** How the bytes of a stream become frames. */
export interface Framing {
  /** Content type to ask for. */
  readonly accept: string
  /** Content types that are this framing. */
  readonly type: RegExp
  splitter(): Splitter
  /** The frames of whole bytes. */
  read(piece: Uint8Array): Frame[]
}

export function textOf(piece: Uint8Array): string {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('utf8')
}

export const FRAMINGS: Readonly<Record<NonNullable<ChatSupport['framing']>, Framing>> = {
  sse: { accept: 'text/event-stream', type: /event-stream/i, splitter: sseSplitter, read: (piece) => readFrames(textOf(piece)) },
  ndjson: { accept: 'application/x-ndjson', type: /json/i, splitter: lineSplitter, read: (piece) => readLines(textOf(piece)) },
  'aws-event-stream': {
    accept: 'application/vnd.amazon.eventstream',
    type: /vnd\.amazon\.eventstream/i,
    splitter: eventStreamSplitter,
    read: readEventStream,
  },
}
