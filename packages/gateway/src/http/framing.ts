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

/** How the bytes of a stream become frames. */
export interface Framing {
  /** Content type to ask for. */
  readonly accept: string
  /** Content types that are this framing. */
  readonly type: RegExp
  /** Cuts the bytes of the network. */
  splitter(): Splitter
  /** Cuts what a splitter has given, once more. */
  resplitter(): Splitter
  /** The frames of whole bytes. */
  read(piece: Uint8Array): Frame[]
  /** A whole frame at the end of a stream with the boundary that it lacks, where readers need one. */
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
