import { crc32 } from 'node:zlib'
import type { Json } from '@headgate/core/provider'

/** A frame of a vendor's stream, before it is framed. */
export interface VendorFrame {
  /** Its kind, where the framing has a place for it. */
  readonly event?: string
  readonly data: Json | string
  /** An event stream of AWS has failures in messages of their own; `event` is then the exception. */
  readonly isException?: true
}

/** How a vendor frames a stream. */
export interface StreamFraming {
  readonly contentType: string
  /** Whether its bytes are text, so that line ends may be CR LF. */
  readonly isText: boolean
  write(frame: VendorFrame): Uint8Array
}

export type FramingId = 'sse' | 'ndjson' | 'aws-event-stream'

const dataOf = ({ data }: VendorFrame): string => (typeof data === 'string' ? data : JSON.stringify(data))

/** The framings that core reads. */
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

/** Length and checksum of a message, before its headers. */
const PRELUDE = 12
const CHECKSUM = 4
/** A header value that is a string. */
const STRING = 7

/**
 * One message of `application/vnd.amazon.eventstream`.
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
