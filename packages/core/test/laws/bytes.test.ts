import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Format, Frame } from '../../src/canonical/format.ts'
import type { Part } from '../../src/canonical/part.ts'
import { translateFrames } from '../../src/canonical/stream-translation.ts'
import { readFrames, sseSplitter } from '../../src/formats/sse.ts'
import { REPLY } from './replies.ts'
import { FORMATS } from './targets.ts'
import { bytes, chunks } from './wires.ts'

const framesIn = (piece: Uint8Array): Frame[] => readFrames(Buffer.from(piece).toString('utf8'))

/** The frames of each network chunk. */
function framesOf(pieces: readonly Buffer[]): Frame[][] {
  const splitter = sseSplitter()
  const groups = pieces.map((piece) => splitter.push(piece)).map((whole) => (whole ? framesIn(whole) : []))
  const rest = splitter.rest()
  return rest ? [...groups, framesIn(rest)] : groups
}

function partsOf(format: Format, groups: readonly Frame[][]): Part[] {
  const reader = format.readStream({ signer: 'claude' })
  return [...groups.flat().flatMap((frame) => reader.push(frame)), ...reader.end()]
}

function translated(from: Format, to: Format, groups: readonly Frame[][]): string {
  const translation = translateFrames(from, to, REPLY, [])
  return groups.map((frames) => translation.push(frames)).join('') + translation.end()
}

/** Ids that readers make up, and the time of the answer where it is not told, differ from run to run. */
const steady = (text: string): string => text.replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0')

describe.each(FORMATS)('A stream of bytes in $id', (from) => {
  it('has the same events wherever it is cut', () => {
    fc.assert(
      fc.property(bytes(from), fc.array(fc.nat(), { maxLength: 30 }), (stream, places) => {
        const whole = framesOf([stream])
        expect(framesOf(chunks(stream, places)).flat()).toEqual(whole.flat())
        expect(partsOf(from, framesOf(chunks(stream, places)))).toEqual(partsOf(from, whole))
      }),
      { numRuns: 60 },
    )
  })

  it('has the same events when it comes byte by byte', () => {
    fc.assert(
      fc.property(bytes(from), (stream) => {
        const single = [...stream].map((byte) => Buffer.from([byte]))
        expect(framesOf(single).flat()).toEqual(framesOf([stream]).flat())
      }),
      { numRuns: 20 },
    )
  })

  it.each(FORMATS.filter((to) => to !== from))('is the same in $id wherever it is cut', (to) => {
    fc.assert(
      fc.property(bytes(from), fc.array(fc.nat(), { maxLength: 10 }), (stream, places) => {
        const cut = translated(from, to, framesOf(chunks(stream, places)))
        expect(steady(cut)).toBe(steady(translated(from, to, framesOf([stream]))))
      }),
      { numRuns: 40 },
    )
  })
})
