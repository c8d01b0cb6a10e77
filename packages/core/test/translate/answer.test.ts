import { describe, expect, it } from 'vitest'
import { HeadgateError, type Json, translateRequest, translateResponse, translateStream } from '../../src/translate.ts'
import {
  chatAnswer,
  chatFrames,
  chatText,
  DONE,
  dataOf,
  messagesAnswer,
  messagesError,
  messagesFrames,
} from '../support/wire.ts'

const LONG = `look_up_${'the_weather_'.repeat(12)}in_a_city`
const tool = {
  type: 'function',
  function: { name: LONG, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}
const custom = { type: 'custom', custom: { name: 'patch', description: 'Applies a patch.' } }
const request: Json = { model: 'small', messages: [{ role: 'user', content: 'Hello' }], tools: [tool, custom] }

const toMessages = { from: 'chat-completions', to: 'messages' } as const
const toChat = { from: 'messages', to: 'chat-completions' } as const

const encoder = new TextEncoder()

async function* chunksOf(text: string, size = text.length): AsyncGenerator<Uint8Array> {
  const bytes = encoder.encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream) text += decoder.decode(chunk, { stream: true })
  return text
}

/** Names of the tools as the provider was told them. */
function sentNames(): string[] {
  const { body } = translateRequest(request, toMessages)
  return ((body?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
}

/** An answer that calls both tools. */
function calling([first = '', second = '']: readonly string[]): Json {
  return {
    ...messagesAnswer(),
    content: [
      { type: 'tool_use', id: 'toolu_1', name: first, input: { city: 'Oslo' } },
      { type: 'tool_use', id: 'toolu_2', name: second, input: { input: '*** Begin' } },
    ],
    stop_reason: 'tool_use',
  }
}

const CALLS = [
  { id: 'toolu_1', type: 'function', function: { name: LONG, arguments: '{"city":"Oslo"}' } },
  { id: 'toolu_2', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
]

describe('An answer is translated', () => {
  it('with what it lost', () => {
    const { body, lost } = translateResponse(messagesAnswer(), toChat)
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'small-2026-01-01',
      choices: [{ message: { role: 'assistant', content: 'Hi there' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 11, completion_tokens: 7 },
    })
    expect(lost).toEqual([])
    const logprobs = { content: [{ token: 'Hi', logprob: -0.1, bytes: null, top_logprobs: [] }] }
    const [choice] = chatAnswer()['choices'] as Json[]
    expect(translateResponse(chatAnswer('Hi', { choices: [{ ...choice, logprobs }] }), toMessages).lost).toMatchObject([
      { kind: 'dropped' },
    ])
  })

  it('with the names and tools of the caller’s request', () => {
    const names = sentNames()
    expect(names[0]).not.toBe(LONG)
    const { body } = translateResponse(calling(names), { ...toChat, request })
    expect(body).toMatchObject({ choices: [{ message: { tool_calls: CALLS }, finish_reason: 'tool_calls' }] })
  })

  it('under the id and model that it says, else the given ones', () => {
    const { id: _, model: __, ...anonymous } = messagesAnswer()
    const { body } = translateResponse(anonymous, { ...toChat, request, id: 'req_1', model: 'large' })
    expect(body).toMatchObject({ id: 'req_1', model: 'large' })
  })

  it('unless it is none, or the request is none', () => {
    expect(() => translateResponse({ hello: 1 }, toMessages)).toThrow(HeadgateError)
    expect(() => translateResponse(messagesAnswer(), { ...toChat, request: { model: 'small' } })).toThrow('messages')
  })
})

describe('A stream is translated', () => {
  const whole = messagesFrames(['Hi', ' thére 👋']).join('')

  it('alike wherever it is cut into chunks, once for each chunk that says something', async () => {
    const once = await read(translateStream(chunksOf(whole), toChat))
    expect(chatText(once)).toBe('Hi thére 👋')
    expect(once.endsWith(DONE)).toBe(true)
    const stable = (text: string) => text.replace(/"created":\d+/g, '')
    for (const size of [1, 2, 7, 64])
      expect(stable(await read(translateStream(chunksOf(whole, size), toChat)))).toBe(stable(once))
    let writes = 0
    for await (const _ of translateStream(chunksOf(whole), toChat)) writes++
    expect(writes).toBeLessThanOrEqual(2)
  })

  it('with the usage that the caller asked for, or without', async () => {
    const usages = async (asked?: Json) => {
      const text = await read(translateStream(chunksOf(whole), asked ? { ...toChat, request: asked } : toChat))
      return dataOf(text).filter((chunk) => (chunk as Json)['usage']).length
    }
    expect([await usages(), await usages(request)]).toEqual([1, 0])
    expect(await usages({ ...request, stream: true, stream_options: { include_usage: true } })).toBe(1)
  })

  it('with the names and tools of the caller’s request', async () => {
    const [first = '', second = ''] = sentNames()
    const event = (type: string, value: Json) => `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`
    const call = (index: number, name: string, json: string) =>
      event('content_block_start', {
        index,
        content_block: { type: 'tool_use', id: `toolu_${index + 1}`, name, input: {} },
      }) +
      event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: json } }) +
      event('content_block_stop', { index })
    const [start = ''] = messagesFrames()
    const stream =
      start +
      call(0, first, '{"city":"Oslo"}') +
      call(1, second, '{"input":"*** Begin"}') +
      event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 7 } }) +
      event('message_stop', {})
    const chunks = dataOf(await read(translateStream(chunksOf(stream), { ...toChat, request }))) as Json[]
    const text = JSON.stringify(chunks)
    expect(text).toContain(`"name":"${LONG}"`)
    expect(text).toContain('"name":"patch"')
    expect(text).not.toContain('\\"input\\"')
  })

  it('to an array where that is what the caller reads', async () => {
    const options = { from: 'messages', to: 'generate-content', framing: 'json-array' } as const
    const answers = JSON.parse(await read(translateStream(chunksOf(whole, 16), options))) as Json[]
    expect(JSON.stringify(answers)).toContain('thére')
  })

  it('with what it lost, when it has ended', async () => {
    const frames = chatFrames().map((frame) =>
      frame.replace(
        '"finish_reason":null',
        '"finish_reason":null,"logprobs":{"content":[{"token":"a","logprob":-1,"bytes":null,"top_logprobs":[]}]}',
      ),
    )
    const stream = translateStream(chunksOf(frames.join('')), { from: 'chat-completions', to: 'messages' })
    expect(stream.lost).toEqual([])
    await read(stream)
    expect(new Set(stream.lost.map(({ path, kind }) => `${path} ${kind}`))).toEqual(new Set(['logprobs dropped']))
  })
})

describe('A stream that fails ends in an error of the caller’s format', () => {
  const begin = messagesFrames().slice(0, 4).join('')

  it.each([
    ['the provider says so', begin + messagesError('overloaded_error', 'Too busy'), 'Too busy'],
    ['it is cut between frames', begin, 'ended'],
    ['it is cut within a frame', `${begin}event: content_block_delta\ndata: {"type":"content_bl`, 'ended'],
    ['it is not what it should be', 'data: <html>\n\n', ''],
  ])('when %s', async (_, stream, message) => {
    const all = dataOf(await read(translateStream(chunksOf(stream, 10), toChat))) as Json[]
    const errors = all.filter((frame) => frame['error'])
    expect(errors).toHaveLength(1)
    expect(JSON.stringify(errors)).toContain(message)
    expect(JSON.stringify(all)).not.toContain('"finish_reason":"stop"')
  })

  it('but what the source of the chunks throws is thrown on', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield encoder.encode(begin)
      throw new TypeError('terminated')
    }
    await expect(read(translateStream(broken(), toChat))).rejects.toThrow('terminated')
  })

  it('and a reader that goes away closes the source', async () => {
    let closed = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield encoder.encode(begin)
      } finally {
        closed = true
      }
    }
    for await (const _ of translateStream(endless(), toChat)) break
    expect(closed).toBe(true)
  })

  it('and a request that is none is refused before anything is read', () => {
    expect(() => translateStream(chunksOf(begin), { ...toChat, request: {} })).toThrow(HeadgateError)
  })
})
