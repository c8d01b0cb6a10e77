import { describe, expect, it } from 'vitest'
import { messages } from '../../../src/formats/messages/index.ts'
import { eventFrame } from './support.ts'

function bytes(event: string, data: string): string {
  return Buffer.from(`event: ${event}\ndata: ${data}\n\n`).toString('latin1')
}

describe('Watching a messages stream that passes as it is', () => {
  it('reads usage, end, model and id on the side', () => {
    const watch = messages.usageReader()
    const events = [
      { type: 'ping' },
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          model: 'claude-opus-5',
          usage: { input_tokens: 5, cache_read_input_tokens: 10, output_tokens: 1 },
        },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ]
    expect(events.map((event) => watch.push(eventFrame(event)))).toEqual([
      'idle',
      'content',
      'content',
      'content',
      'end',
    ])
    expect(watch.summary).toEqual({
      id: 'msg_1',
      model: 'claude-opus-5',
      usage: { input: 15, output: 7, cacheRead: 10 },
      finish: { reason: 'tool-calls', raw: 'tool_use' },
    })
    expect(watch.complete).toBe(true)
    expect(watch.error).toBeUndefined()
  })

  it('knows the usage so far of a stream that was cut', () => {
    const watch = messages.usageReader()
    watch.push(eventFrame({ type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } }))
    expect(watch.complete).toBe(false)
    expect(watch.summary.usage).toEqual({ input: 5, output: 1 })
  })

  it('sees an error', () => {
    const watch = messages.usageReader()
    expect(watch.push(eventFrame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }))).toBe(
      'error',
    )
    expect(watch.error).toEqual({ kind: 'overloaded', message: 'Overloaded' })
    expect(watch.complete).toBe(false)
  })

  it('survives frames that are no JSON', () => {
    const watch = messages.usageReader()
    expect(watch.push({ event: 'ping', data: '' })).toBe('idle')
    expect(watch.push({ data: 'nonsense' })).toBe('content')
  })

  it.each([
    ['message_start', '{"type":"message_start","message":{"usage":{"input_tokens":1}}}'],
    ['message_delta', '{"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}'],
    ['message_stop', '{"type":"message_stop"}'],
    ['message_stop', '{}'],
    ['error', '{"type":"error","error":{"type":"api_error","message":"x"}}'],
  ])('must look at %s %s', (event, data) => {
    expect(messages.relevantFrames.test(bytes(event, data))).toBe(true)
  })

  it.each([
    ['ping', '{"type":"ping"}'],
    ['content_block_start', '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'],
    [
      'content_block_delta',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"an error in message_stop, \\"usage\\":{}, \\"type\\":\\"error\\" — ü"}}',
    ],
    ['content_block_stop', '{"type":"content_block_stop","index":0}'],
  ])('needs no look at %s %s', (event, data) => {
    expect(messages.relevantFrames.test(bytes(event, data))).toBe(false)
  })

  it('can be asked again and again', () => {
    const frame = bytes('message_stop', '{"type":"message_stop"}')
    expect([messages.relevantFrames.test(frame), messages.relevantFrames.test(frame)]).toEqual([true, true])
  })
})
