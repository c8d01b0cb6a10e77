import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/canonical/format.ts'
import {
  lineSplitter,
  MAX_FRAME,
  readFrames,
  readLines,
  type Splitter,
  splitFrames,
  sseSplitter,
  writeFrame,
} from '../../src/formats/sse.ts'

const newline = fc.constantFrom('\n', '\r\n')
const word = fc.string({ unit: fc.constantFrom('a', 'ä', '€', '😀', ':', ' ', '"', 'data:'), maxLength: 8 })
const line = fc.oneof(
  word.map((text) => `data: ${text}`),
  word.map((text) => `data:${text}`),
  word.map((text) => `event: ${text}`),
  word.map((text) => `: ${text}`),
  fc.constantFrom('data', 'id: 7', 'retry: 10', 'dataset: no', 'unknown'),
)
const block = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 4 }), newline)
  .map(([lines, end]) => lines.map((one) => one + end).join('') + end)
const stream = fc.array(block, { maxLength: 8 }).map((blocks) => Buffer.from(blocks.join('')))

/** Cuts bytes at any places, within characters too. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
}

function push(
  splitter: Splitter,
  chunks: readonly Uint8Array[],
): { whole: Uint8Array[]; rest: Uint8Array | undefined } {
  const whole = chunks.map((chunk) => splitter.push(chunk)).filter((piece) => piece !== undefined)
  return { whole, rest: splitter.rest() }
}

const textOf = (piece: Uint8Array): string => Buffer.from(piece).toString('utf8')

describe('A stream of server-sent events', () => {
  it('has the same frames and the same bytes however it is cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), (bytes, cuts) => {
        const { whole, rest } = push(sseSplitter(), pieces(bytes, cuts))
        expect(Buffer.concat(rest ? [...whole, rest] : whole)).toEqual(bytes)
        expect(rest).toBeUndefined()
        expect(whole.flatMap((piece) => readFrames(textOf(piece)))).toEqual(readFrames(bytes.toString('utf8')))
      }),
    )
  })

  it('has the same frames when it is cut at every byte', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        const { whole } = push(
          sseSplitter(),
          [...bytes].map((byte) => Buffer.from([byte])),
        )
        expect(whole.flatMap((piece) => readFrames(textOf(piece)))).toEqual(readFrames(bytes.toString('utf8')))
      }),
    )
  })

  it('is split into frames whose bytes add up', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        const frames = splitFrames(bytes)
        expect(Buffer.concat(frames)).toEqual(bytes)
        expect(frames.flatMap((frame) => readFrames(textOf(frame)))).toEqual(readFrames(bytes.toString('utf8')))
        for (const frame of frames) expect(readFrames(textOf(frame)).length).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('is read back as it was written', () => {
    const frame = fc.record({
      event: fc.constantFrom('message_start', 'error'),
      data: fc.string({ unit: fc.constantFrom('a', '€', '\n', '{') }),
    })
    fc.assert(
      fc.property(fc.array(frame), (frames) => {
        expect(readFrames(frames.map((one) => writeFrame(one)).join(''))).toEqual(frames)
      }),
    )
  })

  it.each<[string, Frame[]]>([
    ['data: a\n\n', [{ data: 'a' }]],
    ['data:a\ndata:  b\n\n', [{ data: 'a\n b' }]],
    ['event: x\ndata: a\n\nevent: y\n\ndata: b\n\n', [{ event: 'x', data: 'a' }, { data: 'b' }]],
    ['\ufeffdata: a\r\rdata\r\r', [{ data: 'a' }, { data: '' }]],
    [': ping\n\nid: 1\nretry: 2\ndata: a\n\n', [{ data: 'a' }]],
    ['dataset: a\neventful: b\n\n', []],
    ['data: a', [{ data: 'a' }]],
  ])('cases 292 and 293: is read as the standard says: %j', (source, frames) => {
    expect(readFrames(source)).toEqual(frames)
  })

  it('passes the whole frames of a chunk on and keeps the tail', () => {
    const splitter = sseSplitter()
    expect(textOf(splitter.push(Buffer.from('data: a\n\ndata: b\n\ndata: c')) ?? Buffer.alloc(0))).toBe(
      'data: a\n\ndata: b\n\n',
    )
    expect(splitter.push(Buffer.from('\n'))).toBeUndefined()
    expect(textOf(splitter.rest() ?? Buffer.alloc(0))).toBe('data: c\n')
  })

  it('case 297: may have frames of 16 MB and no larger', () => {
    const splitter = sseSplitter()
    const mega = Buffer.alloc(1024 * 1024, 'a')
    for (let sent = 0; sent < MAX_FRAME; sent += mega.length) expect(splitter.push(mega)).toBeUndefined()
    expect(() => splitter.push(Buffer.from('a'))).toThrow('more than 16 MB')
  })
})

describe('A stream of JSON lines', () => {
  it('has the same values however it is cut', () => {
    const lines = fc
      .array(fc.jsonValue(), { maxLength: 10 })
      .map((values) => values.map((value) => `${JSON.stringify(value)}\n`).join(''))
    fc.assert(
      fc.property(lines, fc.array(fc.nat(), { maxLength: 20 }), (text, cuts) => {
        const bytes = Buffer.from(text)
        const { whole, rest } = push(lineSplitter(), pieces(bytes, cuts))
        expect(rest).toBeUndefined()
        expect(whole.flatMap((piece) => readLines(textOf(piece)))).toEqual(readLines(text))
      }),
    )
  })
})
