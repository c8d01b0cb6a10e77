import { crc32 } from 'node:zlib'
import type { Json } from '@headgate/core/provider'

/** Unframed frame of a vendor's stream. */
export interface VendorFrame {
  /** Event name, for framings that have one. */
  readonly event?: string
  readonly data: Json | string
  /** Set for a failure in an AWS event stream, which is a separate message type; `event` is then the exception. */
  readonly isException?: true
}

/** Framing of a vendor's stream. */
export interface StreamFraming {
  readonly contentType: string
  /** The bytes are text, so that line ends can be CR LF. */
  readonly isText: boolean
  write(frame: VendorFrame): Uint8Array
}

export type FramingId = 'sse' | 'ndjson' | 'aws-event-stream'

const dataOf = ({ data }: VendorFrame): string => (typeof data === 'string' ? data : JSON.stringify(data))

/** Framings that core reads. */
export const framings: Readonly<Record<FramingId, StreamFraming>> = {
  sse: {
    contentType: 'text/event-stream; charset=utf-8',
    isText: true,
    write: (frame) =>
      Buffer.from(`${frame.event === undefined ? '' : `event: ${frame.event}\n`}data: ${dataOf(frame)}\n\n`),
  },
  ndjson: { contentType: 'application/x-ndjson', isText: true, write: (frame) => Buffer.from(`${dataOf(frame)}\n`) },
  'aws-event-stream': {
    contentType: 'application/vnd.amazon.eventstream',
    isText: false,
    write: (frame) =>
      eventStreamMessage(
        {
          [frame.isException ? ':exception-type' : ':event-type']: frame.event ?? 'chunk',
          ':content-type': 'application/json',
          ':message-type': frame.isException ? 'exception' : 'event',
        },
        dataOf(frame),
      ),
  },
}

/** Bytes of length and checksum before a message's headers. */
const PRELUDE = 12
const CHECKSUM = 4
/** Type of a header with a string value. */
const STRING = 7

/**
 * Message of `application/vnd.amazon.eventstream`.
 *
 * @see https://smithy.io/2.0/aws/amazon-eventstream.html
 */
function eventStreamMessage(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => headerBytes(name, value)))
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(PRELUDE)
  prelude.writeUInt32BE(PRELUDE + head.length + body.length + CHECKSUM, 0)
  prelude.writeUInt32BE(head.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const message = Buffer.concat([prelude, head, body])
  const checksum = Buffer.alloc(CHECKSUM)
  checksum.writeUInt32BE(crc32(message))
  return Buffer.concat([message, checksum])
}

function headerBytes(name: string, value: string): Uint8Array {
  const [key, text] = [Buffer.from(name), Buffer.from(value)]
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length)
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([STRING]), length, text])
}
