import { describe, expect, it } from 'vitest'
import { assemble } from '../../../core/src/canonical/assemble.ts'
import { ownPaths } from '../../../core/src/canonical/field-names.ts'
import type { Format } from '../../../core/src/canonical/format.ts'
import type { Json } from '../../../core/src/canonical/json.ts'
import type { Loss } from '../../../core/src/canonical/loss.ts'
import { translateFrames } from '../../../core/src/canonical/stream-translation.ts'
import { HeadgateError } from '../../../core/src/errors.ts'
import { readFrames, splitFrames, sseSplitter, writeFrame } from '../../../core/src/formats/sse.ts'
import { slowdown } from '../../../core/test/laws/cpu.ts'
import { REPLY } from '../../../core/test/laws/replies.ts'
import { ANSWERS, STREAMS } from '../../../core/test/laws/shapes/answers.ts'
import { FORMATS } from '../../../core/test/laws/targets.ts'
import { lostHeader } from '../../src/edge/lost.ts'

const SIZE = 800
/** Bytes of a network chunk, where a stream comes in small ones. */
const SMALL_CHUNK = 100

const formatOf = (id: string): Format => {
  const format = FORMATS.find((one) => one.id === id)
  if (!format) throw new Error(`There is no format ${id}.`)
  return format
}

function unlessRefused(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
  }
}

function translateWhole(from: Format, to: Format, text: string): void {
  unlessRefused(() => {
    const body = JSON.parse(text) as Json
    from.summarize(body)
    const losses: Loss[] = []
    JSON.stringify(to.writeResponse(from.readResponse(body), REPLY, losses))
    lostHeader(ownPaths(losses, body, from.fieldNames))
  })
}

const pieces = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

function translateStream(from: Format, to: Format, bytes: Buffer, size: number): void {
  unlessRefused(() => {
    const splitter = sseSplitter()
    const translation = translateFrames(from, to, REPLY, [])
    let out = ''
    for (const chunk of pieces(bytes, size)) {
      const whole = splitter.push(chunk)
      if (whole) out += translation.push(readFrames(Buffer.from(whole).toString('utf8')))
    }
    Buffer.from(out + translation.end())
  })
}

/** What is done with a stream that passes as it is, and with one that is put together. */
function watchStream(format: Format, bytes: Buffer, size: number): void {
  unlessRefused(() => {
    const splitter = sseSplitter()
    const watch = format.usageReader()
    const reader = format.readStream()
    const parts = []
    for (const chunk of pieces(bytes, size)) {
      const whole = splitter.push(chunk)
      if (!whole) continue
      format.relevantFrames.test(Buffer.from(whole).toString('latin1'))
      for (const frame of splitFrames(whole).flatMap((one) => readFrames(Buffer.from(one).toString('utf8')))) {
        watch.push(frame)
        for (const part of reader.push(frame)) parts.push(part)
      }
    }
    assemble(parts)
  })
}

describe.each(Object.entries(ANSWERS))(
  'An answer in %s costs no more CPU time than three times its share',
  { tags: ['full'] },
  (id, shapes) => {
    it.each(Object.entries(shapes))('with many or much of: %s', (_, make) => {
      const [small, large] = [JSON.stringify(make(SIZE)), JSON.stringify(make(4 * SIZE))]
      for (const to of FORMATS) {
        const run = (text: string) => () => translateWhole(formatOf(id), to, text)
        expect(slowdown(run(small), run(large), large.length / small.length), `to ${to.id}`).toBeUndefined()
      }
    })
  },
)

describe.each(Object.entries(STREAMS))(
  'A stream in %s costs no more CPU time than three times its share',
  { tags: ['full'] },
  (id, shapes) => {
    const streamOf = (payloads: readonly Json[]): Buffer =>
      Buffer.from(
        payloads
          .map((value) =>
            writeFrame({
              ...(typeof value['type'] === 'string' && { event: value['type'] }),
              data: JSON.stringify(value),
            }),
          )
          .join(''),
      )

    it.each(Object.entries(shapes))('with many or much of: %s', (_, make) => {
      const [small, large] = [streamOf(make(SIZE)), streamOf(make(4 * SIZE))]
      const times = large.length / small.length
      for (const size of [SMALL_CHUNK, large.length]) {
        const watch = (bytes: Buffer) => () => watchStream(formatOf(id), bytes, size)
        expect(slowdown(watch(small), watch(large), times), `as it is, in chunks of ${size}`).toBeUndefined()
        for (const to of FORMATS) {
          const run = (bytes: Buffer) => () => translateStream(formatOf(id), to, bytes, size)
          expect(slowdown(run(small), run(large), times), `to ${to.id}, in chunks of ${size}`).toBeUndefined()
        }
      }
    })
  },
)
