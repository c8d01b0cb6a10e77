import { crc32 } from 'node:zlib'

function header(name: string, value: string): Buffer {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)]
  const length = Buffer.alloc(2)
  length.writeUInt16BE(valueBytes.length)
  return Buffer.concat([Buffer.from([nameBytes.length]), nameBytes, Buffer.from([7]), length, valueBytes])
}

/**
 * One message of `application/vnd.amazon.eventstream`, written from its specification.
 *
 * @see https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export function eventStreamMessage(
  headers: Readonly<Record<string, string>>,
  payload: string | Uint8Array,
  more: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.concat([...Object.entries(headers).map(([name, value]) => header(name, value)), more])
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(16 + head.length + body.length, 0)
  prelude.writeUInt32BE(head.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const message = Buffer.concat([prelude, head, body])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(message))
  return Buffer.concat([message, checksum])
}
