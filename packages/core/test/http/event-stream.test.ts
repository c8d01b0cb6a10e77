import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventStreamSplitter, readEventStream } from '../../src/http/event-stream.ts'
import { eventStreamMessage } from '../support/event-stream.ts'

const chunk = (payload: string) => eventStreamMessage({ ':event-type': 'chunk', ':message-type': 'event' }, payload)

describe('An AWS event stream', () => {
  it('has the same messages however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), fc.integer({ min: 1, max: 64 }), (payloads, size) => {
        const bytes = Buffer.concat(payloads.map(chunk))
        const splitter = eventStreamSplitter()
        const frames = []
        for (let at = 0; at < bytes.length; at += size) {
          const whole = splitter.push(bytes.subarray(at, at + size))
          if (whole) frames.push(...readEventStream(whole))
        }
        expect(splitter.rest()).toBeUndefined()
        expect(frames).toEqual(payloads.map((data) => ({ event: 'chunk', data: Buffer.from(data).toString('utf8') })))
      }),
    )
  })

  it('names exceptions, and skips headers of every other type', () => {
    const others = Buffer.from([1, 97, 0, 1, 98, 1, 1, 99, 2, 9, 1, 100, 3, 0, 9, 1, 101, 4, 0, 0, 0, 9, 1, 102, 6, 0, 2, 9, 9])
    const uuid = Buffer.concat([Buffer.from([1, 103, 9]), Buffer.alloc(16), Buffer.from([1, 104, 8]), Buffer.alloc(8)])
    const message = eventStreamMessage(
      { ':exception-type': 'throttlingException' },
      '{"message":"slow down"}',
      Buffer.concat([others, uuid]),
    )
    expect(readEventStream(message)).toEqual([{ event: 'error', data: '{"error":{"type":"throttlingException","message":"slow down"}}' }])
    const error = eventStreamMessage({ ':error-code': 'InternalError', ':error-message': 'broke' }, '')
    expect(readEventStream(error)).toEqual([{ event: 'error', data: '{"error":{"type":"InternalError","message":"broke"}}' }])
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

  it.each([[Buffer.from('HTTP/1.1 200 OK\r\n')], [Buffer.alloc(16)]])('is refused where it is something else', (bytes) => {
    expect(() => eventStreamSplitter().push(bytes)).toThrow(/a message of \d+ bytes/)
  })
})
