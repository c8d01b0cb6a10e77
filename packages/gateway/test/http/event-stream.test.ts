import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventStreamSplitter, payloadLineSplitter, readEventStream } from '../../src/http/event-stream.ts'
import { FRAMINGS } from '../../src/http/framing.ts'
import { eventStreamMessage } from '../support/event-stream.ts'

const chunk = (payload: string) => eventStreamMessage({ ':event-type': 'chunk', ':message-type': 'event' }, payload)

describe('An AWS event stream', () => {
  it('has the same messages however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 64 }),
        (payloads, size) => {
          const bytes = Buffer.concat(payloads.map(chunk))
          const splitter = eventStreamSplitter()
          const frames = []
          for (let at = 0; at < bytes.length; at += size) {
            const whole = splitter.push(bytes.subarray(at, at + size))
            if (whole) frames.push(...readEventStream(whole))
          }
          expect(splitter.rest()).toBeUndefined()
          expect(frames).toEqual(payloads.map((data) => ({ event: 'chunk', data: Buffer.from(data).toString('utf8') })))
        },
      ),
    )
  })

  it('names exceptions, and skips headers of every other type', () => {
    const others = Buffer.from([
      1, 97, 0, 1, 98, 1, 1, 99, 2, 9, 1, 100, 3, 0, 9, 1, 101, 4, 0, 0, 0, 9, 1, 102, 6, 0, 2, 9, 9,
    ])
    const uuid = Buffer.concat([Buffer.from([1, 103, 9]), Buffer.alloc(16), Buffer.from([1, 104, 8]), Buffer.alloc(8)])
    const message = eventStreamMessage(
      { ':exception-type': 'throttlingException' },
      '{"message":"slow down"}',
      Buffer.concat([others, uuid]),
    )
    expect(readEventStream(message)).toEqual([
      { event: 'error', data: '{"error":{"type":"throttlingException","message":"slow down"}}' },
    ])
    const error = eventStreamMessage({ ':error-code': 'InternalError', ':error-message': 'broke' }, '')
    expect(readEventStream(error)).toEqual([
      { event: 'error', data: '{"error":{"type":"InternalError","message":"broke"}}' },
    ])
  })

  it.each([
    ['a checksum is wrong', (bytes: Buffer) => bytes.fill(0, 20, 21)],
    ['a message is cut', (bytes: Buffer) => bytes.subarray(0, 10)],
    ['a length is wrong', (bytes: Buffer) => bytes.subarray(0, 30)],
  ])('is refused where %s', (what, breakIt) => {
    expect(() => readEventStream(breakIt(chunk('{"a":"some payload"}')))).toThrow(what)
  })

  it('is refused where a header is longer than the headers are', () => {
    const message = eventStreamMessage({}, '', Buffer.from([200, 97]))
    expect(() => readEventStream(message)).toThrow(/event stream is broken: its headers are cut/)
  })

  it.each([[Buffer.from('HTTP/1.1 200 OK\r\n')], [Buffer.alloc(16)]])(
    'is refused where it is something else',
    (bytes) => {
      expect(() => eventStreamSplitter().push(bytes)).toThrow(/a message of \d+ bytes/)
    },
  )
})

describe('Lines in the payloads of an AWS event stream', () => {
  const part = (payload: Uint8Array) =>
    eventStreamMessage({ ':event-type': 'PayloadPart', ':message-type': 'event' }, payload)
  const { read, resplitter } = FRAMINGS['aws-payload-lines']
  const framesOf = (bytes: Uint8Array, size: number) => {
    const splitter = payloadLineSplitter()
    const frames = []
    for (let at = 0; at < bytes.length; at += size) {
      const whole = splitter.push(bytes.subarray(at, at + size))
      if (!whole) continue
      expect(Buffer.compare(resplitter().push(whole) ?? Buffer.alloc(0), whole)).toBe(0)
      frames.push(...read(whole))
    }
    const rest = splitter.rest()
    return [...frames, ...(rest ? read(rest) : [])].map(({ data }) => data)
  }
  const cutInto = (bytes: Uint8Array, size: number) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      part(bytes.subarray(index * size, (index + 1) * size)),
    )

  it.each([
    ['server-sent events', (data: string) => `data: ${data}\n\n`],
    [
      'server-sent events with names and comments',
      (data: string) => `: ping\r\nid: 1\r\nevent: message\r\ndata:${data}\r\n\r\n`,
    ],
    ['JSON lines', (data: string) => `${data}\n`],
  ])('are the same wherever messages and the network cut them: %s', (_, framed) => {
    const size = fc.integer({ min: 1, max: 64 })
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), size, size, (texts, inner, outer) => {
        const values = texts.map((text) => Buffer.from(JSON.stringify({ text })).toString('utf8'))
        const bytes = Buffer.concat(cutInto(Buffer.from(values.map(framed).join('')), inner))
        expect(framesOf(bytes, outer)).toEqual(values)
      }),
    )
  })

  it('end with an exception, which leaves out what it breaks off, or with a line that is not ended', () => {
    const thrown = eventStreamMessage(
      { ':message-type': 'exception', ':exception-type': 'StreamError' },
      '{"Message":"Too late"}',
    )
    const begun = part(Buffer.from('data: {"a":1}\n\ndata: {"b'))
    const error = '{"error":{"type":"StreamError","message":"Too late"}}'
    for (const size of [1, 1000]) expect(framesOf(Buffer.concat([begun, thrown]), size)).toEqual(['{"a":1}', error])
    expect(framesOf(part(Buffer.from('{"a":1}\n{"b":2}')), 7)).toEqual(['{"a":1}', '{"b":2}'])
  })

  it('may be megabytes long and come in small pieces', () => {
    const line = Buffer.from(`data: {"text":"${'x'.repeat(4_000_000)}"}\n`)
    expect(framesOf(Buffer.concat(cutInto(line, 500)), 999)).toEqual([line.toString().slice(6, -1)])
  })
})
