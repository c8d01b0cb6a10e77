import { crc32, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { pdf, png } from '../src/families/chat/scenarios/bytes.ts'
import { answerDifferences, CHUNKINGS, FORMATS, framesOf, requestDifferences, scenarios, wires } from '../src/index.ts'

const all = Object.values(scenarios)

describe('The fixtures of every format', () => {
  for (const id of FORMATS) {
    const wire = wires[id]

    it(`ask the same in ${id}`, () => {
      for (const { name, requests, asked } of all) {
        const body = wire.body(requests[id], 'a-model', true)
        const refused = wire.refuses(body).length > 0
        expect({ name, refused }).toEqual({ name, refused: name === 'amended' })
        // What a format has no field for is named as lost by whoever writes it.
        const lacking = (wire.lacks ?? []).join()
        if (!refused)
          expect({ name, differences: requestDifferences(asked, wire.readRequest(body), lacking) }).toEqual({
            name,
            differences: [],
          })
      }
    })

    it(`answer the same in ${id}, whole and streamed`, () => {
      for (const { name, answers, meaning } of all) {
        for (const { meaning: found, problems, error } of [
          wire.readAnswer(answers[id].body),
          wire.readStream(answers[id].stream),
        ]) {
          expect({ name, differences: answerDifferences(meaning, found), problems, error }).toEqual({
            name,
            differences: [],
            problems: [],
            error: undefined,
          })
        }
      }
    })

    it(`see what is wrong with a stream of ${id}`, () => {
      const { stream } = scenarios.parallelTools.answers[id]
      const frames = stream.replaceAll('\r\n', '\n').split(/(?<=\n\n)/)
      const cut = wire.readStream(frames.slice(0, -1).join(''))
      expect(cut.problems.length > 0 || cut.meaning.finish === 'unknown').toBe(true)
      expect(wire.readStream(stream.trimEnd()).problems).toContain('the stream ends in the middle of a frame')
    })
  }
})

describe('The chunkings of a stream', () => {
  const { stream } = scenarios.text.answers['generate-content']

  it('keep every byte, and each chunkings elsewhere', () => {
    const cut = CHUNKINGS.map(({ pieces }) => pieces(framesOf(stream)))
    for (const pieces of cut) expect(Buffer.concat(pieces).toString('utf8')).toBe(stream)
    expect(new Set(cut.map((pieces) => pieces.map(({ length }) => length).join())).size).toBe(CHUNKINGS.length)
  })

  it('go through characters and through line ends', () => {
    const of = (name: string) => CHUNKINGS.find((cut) => cut.name === name)?.pieces(framesOf(stream)) ?? []
    expect(
      of('within characters')
        .slice(1)
        .every(([first = 0]) => (first & 0xc0) === 0x80),
    ).toBe(true)
    expect(
      of('within line ends of CR LF')
        .slice(1)
        .every(([first]) => first === 10),
    ).toBe(true)
  })
})

describe('The files of the fixtures', () => {
  it('are a PNG of one pixel whose checksums are right', () => {
    const bytes = Buffer.from(png(), 'base64')
    const types: string[] = []
    let pixels = Buffer.alloc(0)
    for (let at = 8; at < bytes.length; ) {
      const length = bytes.readUInt32BE(at)
      const body = bytes.subarray(at + 4, at + 8 + length)
      const type = body.subarray(0, 4).toString('latin1')
      expect(bytes.readUInt32BE(at + 8 + length)).toBe(crc32(body))
      if (type === 'IDAT') pixels = inflateSync(body.subarray(4))
      types.push(type)
      at += 12 + length
    }
    expect(types).toEqual(['IHDR', 'IDAT', 'IEND'])
    expect([...pixels]).toEqual([0, 255, 0, 0])
  })

  it('are a PDF whose table points at its objects', () => {
    const file = Buffer.from(pdf('Mind the gap'), 'base64').toString('latin1')
    const start = Number(/startxref\n(\d+)/.exec(file)?.[1])
    expect(file.slice(start, start + 4)).toBe('xref')
    const offsets = [...file.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))
    expect(offsets.map((offset) => file.slice(offset, offset + 7))).toEqual(
      [1, 2, 3, 4, 5].map((number) => `${number} 0 obj`),
    )
  })
})
