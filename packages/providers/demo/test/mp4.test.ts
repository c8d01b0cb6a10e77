import { describe, expect, it } from 'vitest'
import { plainPicture } from '../src/h264.ts'
import { mp4 } from '../src/mp4.ts'

const film = mp4({
  size: [128, 72],
  rate: 12,
  pictures: Array.from({ length: 24 }, (_, index) => [60 + index, 100, 150] as const),
})
const view = new DataView(film.buffer)

interface Box {
  readonly type: string
  /** Of what is in it. */
  readonly start: number
  readonly end: number
}

const text = (at: number): string => String.fromCharCode(...film.subarray(at, at + 4))

function boxes(start: number, end: number): Box[] {
  const found: Box[] = []
  for (let at = start; at < end; at += view.getUint32(at))
    found.push({ type: text(at + 4), start: at + 8, end: at + view.getUint32(at) })
  return found
}

function find(...path: readonly string[]): Box {
  let box: Box = { type: '', start: 0, end: film.length }
  for (const type of path) {
    const inner = boxes(box.start, box.end).find((one) => one.type === type)
    if (!inner) throw new Error(`no ${type}`)
    box = inner
  }
  return box
}

const table = ['moov', 'trak', 'mdia', 'minf', 'stbl'] as const

// The bytes of the pictures were decoded once by ffmpeg 9.0.2, sample for sample in the colors that went in.
describe('The MP4 of the demo', () => {
  it('tells what is in it before the pictures, so that it plays while it is loading', () => {
    const whole = boxes(0, film.length)
    expect(whole.map(({ type }) => type)).toEqual(['ftyp', 'moov', 'mdat'])
    expect(whole.at(-1)?.end).toBe(film.length)
  })

  it('lasts as long as its pictures', () => {
    const { start } = find('moov', 'mvhd')
    expect(view.getUint32(start + 16) / view.getUint32(start + 12)).toBe(2)
    const times = find(...table, 'stts').start + 8
    expect([view.getUint32(times), view.getUint32(times + 4) * 12]).toEqual([24, 600])
  })

  it('has the size that it was asked for', () => {
    const { end } = find('moov', 'trak', 'tkhd')
    expect([view.getUint32(end - 8) >> 16, view.getUint32(end - 4) >> 16]).toEqual([128, 72])
    const entry = find(...table, 'stsd').start + 8
    expect([text(entry + 4), view.getUint16(entry + 32), view.getUint16(entry + 34)]).toEqual(['avc1', 128, 72])
    expect(film.subarray(entry + 94, entry + 98)).toEqual(Uint8Array.from([1, 66, 0xc0, 10]))
  })

  it('has every picture where the table says, each a whole key frame', () => {
    const sizes = find(...table, 'stsz').start + 8
    let at = view.getUint32(find(...table, 'stco').start + 8)
    expect(at).toBe(find('mdat').start)
    for (let index = 0; index < view.getUint32(sizes); index++) {
      const size = view.getUint32(sizes + 4 + 4 * index)
      expect([view.getUint32(at), film[at + 4]]).toEqual([size - 4, 0x65])
      expect(film.subarray(at + 9, at + 9 + 256).every((luma) => luma === 60 + index)).toBe(true)
      at += size
    }
    expect(at).toBe(film.length)
  })

  it('has nothing in a picture that would be taken for the start of another one', () => {
    const zeros = plainPicture([64, 64], [0, 0, 0], 0)
    expect(zeros.some((byte, at) => byte <= 2 && at > 1 && zeros[at - 1] === 0 && zeros[at - 2] === 0)).toBe(false)
  })
})
