import type { Frame } from '@headgate/core/canonical'
import type { ChatSupport } from '@headgate/core/contract'
import {
  closeFrame,
  lineSplitter,
  readDataLines,
  readFrames,
  readLines,
  type Splitter,
  sseSplitter,
} from '@headgate/core/formats'
import { eventStreamSplitter, payloadLineSplitter, readEventStream } from './event-stream.ts'

/** Conversion between the bytes of a stream and its frames. */
export interface Framing {
  /** Value of the `accept` header. */
  readonly accept: string
  /** Pattern of matching content types. */
  readonly type: RegExp
  /** Splitter of the bytes from the network. */
  splitter(): Splitter
  /** Splitter of bytes that {@link splitter} has already split. */
  resplitter(): Splitter
  /** Frames of complete bytes. */
  read(piece: Uint8Array): Frame[]
  /** Adds the boundary that the last frame of a stream may lack, if readers need one. */
  closed(rest: Uint8Array): Uint8Array
}

export function textOf(piece: Uint8Array): string {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('utf8')
}

export const FRAMINGS: Readonly<Record<NonNullable<ChatSupport['framing']>, Framing>> = {
  sse: {
    accept: 'text/event-stream',
    type: /event-stream/i,
    splitter: sseSplitter,
    resplitter: sseSplitter,
    read: (piece) => readFrames(textOf(piece)),
    closed: closeFrame,
  },
  ndjson: {
    accept: 'application/x-ndjson',
    type: /json/i,
    splitter: lineSplitter,
    resplitter: lineSplitter,
    read: (piece) => readLines(textOf(piece)),
    closed: (rest) => rest,
  },
  'aws-event-stream': {
    accept: 'application/vnd.amazon.eventstream',
    type: /vnd\.amazon\.eventstream/i,
    splitter: eventStreamSplitter,
    resplitter: eventStreamSplitter,
    read: readEventStream,
    closed: (rest) => rest,
  },
  'aws-payload-lines': {
    accept: 'application/vnd.amazon.eventstream',
    type: /vnd\.amazon\.eventstream/i,
    splitter: payloadLineSplitter,
    resplitter: lineSplitter,
    read: (piece) => readDataLines(textOf(piece)),
    closed: (rest) => rest,
  },
}
