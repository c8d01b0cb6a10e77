import fc from 'fast-check'
import type { Format } from '../../src/canonical/format.ts'
import { dice, REPLY, single, streamOf } from './replies.ts'

/** A stream of a format as text. */
export function streams(format: Format): fc.Arbitrary<string> {
  return fc.tuple(single, dice).map(([response, [cuts, turns]]) => {
    const writer = format.writeStream(REPLY, [])
    return (
      streamOf(response, cuts, turns)
        .map((part) => writer.push(part))
        .join('') + writer.end()
    )
  })
}

/**
 * The bytes of a stream with comments between its events, and with the line ends of one of the three kinds that the
 * standard has.
 */
export function bytes(format: Format): fc.Arbitrary<Buffer> {
  return fc
    .tuple(streams(format), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', ': ping\n\n', ':\n'))
    .map(([stream, end, comment]) => {
      const events = stream.replaceAll('\r\n', '\n').split(/(?<=\n\n)/)
      return Buffer.from(
        events
          .map((event) => comment + event)
          .join('')
          .replaceAll('\n', end),
      )
    })
}

/** The chunks of bytes that are cut at the places, within characters too. */
export function chunks(whole: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b)
  return [...sorted, whole.length].map((end, index) => whole.subarray(sorted[index - 1] ?? 0, end))
}
