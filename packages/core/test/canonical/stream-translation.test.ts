import { describe, expect, it } from 'vitest'
import type { StreamWriter } from '../../src/canonical/format.ts'
import type { Part } from '../../src/canonical/part.ts'
import { partWriter, type StreamObservations, translateFrames } from '../../src/canonical/stream-translation.ts'
import { formats } from '../../src/formats/index.ts'
import { readFrames } from '../../src/formats/sse.ts'
import { chatFrames, chatText, DONE, messagesFrames } from '../support/wire.ts'

const fresh = (): StreamObservations => ({ content: false, finished: 0 })
const names: StreamWriter = { push: (part) => `${part.type} `, end: () => 'end' }
const call = (index: number, args = ''): Part => ({
  type: 'block-start',
  index,
  block: { type: 'tool-call', id: 'i', name: 'f', arguments: args },
})

describe('The writing of a stream of parts', () => {
  it('notes what accounting needs', () => {
    const seen = fresh()
    const write = partWriter(names, undefined, seen)
    expect(write([])).toBe('')
    expect([write([{ type: 'usage', usage: { input: 1, output: 0 } }]), seen.content]).toEqual(['usage ', false])
    write([
      { type: 'start', model: 'm', id: 'i' },
      { type: 'usage', usage: { input: 1, output: 2 } },
      { type: 'finish', finish: { reason: 'stop' } },
    ])
    expect(seen).toEqual({
      content: true,
      finished: 1,
      model: 'm',
      id: 'i',
      usage: { input: 1, output: 2 },
      finish: { reason: 'stop' },
    })
  })

  it('ends at an error, which it keeps to itself', () => {
    const seen = fresh()
    const parts: Part[] = [
      { type: 'start' },
      { type: 'error', error: { kind: 'overloaded', message: 'busy' } },
      { type: 'finish', finish: { reason: 'stop' } },
    ]
    expect(partWriter(names, undefined, seen)(parts)).toBe('start ')
    expect([seen.error?.kind, seen.finished]).toEqual(['overloaded', 0])
  })

  it('has at most 1,024 blocks open, and 8 MB of arguments in each', () => {
    const many = partWriter(names, undefined, fresh())
    for (let index = 0; index < 1024; index++) many([call(index), { type: 'block-end', index }, call(index)])
    expect(() => many([call(1024)])).toThrow('more than 1024 blocks')

    const long = partWriter(names, undefined, fresh())
    const mega = 'x'.repeat(1024 * 1024)
    long([call(0, mega), call(1)])
    for (let count = 1; count < 8; count++) long([{ type: 'block-delta', index: 0, delta: { arguments: mega } }])
    long([{ type: 'block-delta', index: 1, delta: { arguments: mega } }])
    expect(() => long([{ type: 'block-delta', index: 0, delta: { arguments: 'x' } }])).toThrow('more than 8 MB')
  })
})

describe('The translation of a stream', () => {
  const format = (id: string) => {
    const found = formats.get(id)
    if (!found) throw new Error(`no format ${id}`)
    return found
  }
  const [chat, messages] = [format('chat-completions'), format('messages')]
  const reply = {
    id: 'req_1',
    model: 'small',
    request: chat.readRequest({
      model: 'small',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    }),
  }

  it('says nothing before the upstream does, and the same in whatever pieces it comes', () => {
    const frames = messagesFrames(['Hi', ' there']).flatMap((frame) => readFrames(frame))
    const inPieces = (size: number): string => {
      const translation = translateFrames(messages, chat, reply, [])
      let out = ''
      for (let at = 0; at < frames.length; at += size) out += translation.push(frames.slice(at, at + size))
      expect(translation.seen).toMatchObject({ usage: { input: 11, output: 7 }, finished: 1, content: true })
      return out + translation.end()
    }
    const [one, all] = [inPieces(1), inPieces(100)].map((text) => text.replace(/"created":\d+/g, ''))
    expect(one).toBe(all)
    expect([chatText(inPieces(1)), inPieces(1).endsWith(DONE)]).toEqual(['Hi there', true])
  })

  it('ends with an error where the upstream was cut', () => {
    const translation = translateFrames(chat, messages, reply, [])
    translation.push(
      chatFrames()
        .slice(0, 2)
        .flatMap((frame) => readFrames(frame)),
    )
    expect([translation.end(), translation.seen.error?.kind, translation.end()]).toEqual([
      expect.not.stringContaining('message_stop'),
      'cut',
      '',
    ])
  })
})
