import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { odd, type Value } from '../../../core/test/support/odd.ts'
import {
  CHAT,
  chatAnswer,
  chatChunk,
  chatFrames,
  chatRequest,
  dataOf,
  MESSAGES,
  messagesAnswer,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const call = { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":' } }
const chatStream = [
  ...chatFrames(['Hi']).slice(0, 2),
  chatChunk({ reasoning_content: 'hm' }),
  chatChunk({ tool_calls: [call] }),
  ...chatFrames([]).slice(1),
]
const chatWhole = chatAnswer('Hi', {
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hi',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
})
const messagesWhole = {
  ...messagesAnswer(),
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
    { type: 'text', text: 'Hi', citations: null },
    { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
  ],
}

/** A stream with a few of its events changed, the `data` of each being JSON. */
function oddStream(frames: readonly string[]): fc.Arbitrary<string> {
  const events = frames.map((frame) => ({
    head: frame.slice(0, frame.indexOf('data: ')),
    data: dataOf(frame)[0] as Value,
  }))
  const changed = fc.record({ at: fc.nat(events.length - 1), pick: fc.infiniteStream(fc.nat()) })
  const one = ({ at }: { at: number }) => {
    const event = events[at]
    return event && typeof event.data === 'object'
      ? odd(event.data).map((data) => ({ at, data }))
      : fc.constant({ at, data: event?.data ?? null })
  }
  return fc.array(changed.chain(one), { minLength: 1, maxLength: 2 }).map((changes) =>
    events
      .map(({ head, data }, at) => {
        const value = changes.find((change) => change.at === at)?.data ?? data
        return `${head}data: ${value === '[DONE]' ? value : JSON.stringify(value)}\n\n`
      })
      .join(''),
  )
}

describe('An upstream with odd answers', () => {
  const kinds: [string, string, 'chat' | 'messages'][] = [
    ['chat completions as they come', CHAT, 'chat'],
    ['chat completions as messages', MESSAGES, 'chat'],
    ['messages as they come', MESSAGES, 'messages'],
    ['messages as chat completions', CHAT, 'messages'],
  ]

  it.each(kinds)('is served or found wanting, and never breaks anything: %s', async (_, path, speaks) => {
    let answer: Value | string = ''
    const upstream = await startUpstream((one) =>
      typeof answer === 'string' ? one.stream(answer) : one.answer(200, answer),
    )
    const provider = speaks === 'chat' ? chatProvider(upstream.url) : messagesProvider(upstream.url)
    const { post, warnings, gateway, access } = await startGateway('fetch', { providers: [provider] })
    const request = path === CHAT ? chatRequest : messagesRequest
    const ask = async (given: Value | string) => {
      answer = given
      const response = await post(path, { ...request, stream: typeof given === 'string' })
      const text = await response.text()
      await access.next()
      expect([200, 400, 429, 500]).toContain(response.status)
      if (response.headers.get('content-type')?.startsWith('text/event-stream'))
        expect(() => dataOf(text)).not.toThrow()
      else expect(() => JSON.parse(text) as unknown).not.toThrow()
      expect([gateway.inFlight(), warnings]).toEqual([0, []])
    }
    const whole = JSON.parse(JSON.stringify(speaks === 'chat' ? chatWhole : messagesWhole)) as Value
    await fc.assert(fc.asyncProperty(odd(whole), ask), { numRuns: 100 })
    await fc.assert(fc.asyncProperty(oddStream(speaks === 'chat' ? chatStream : messagesFrames()), ask), {
      numRuns: 100,
    })
  })
})
