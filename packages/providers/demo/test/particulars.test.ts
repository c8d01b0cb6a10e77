import { testCall } from '@headgate/conformance'
import type { Block, ChatRequest, MediaBlock, Message, Part, Tool } from '@headgate/core/codec'
import { describe, expect, it } from 'vitest'
import { demo } from '../src/index.ts'

const weather: Tool = {
  type: 'function',
  name: 'get_weather',
  schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
    required: ['city', 'days'],
  },
}

function user(...blocks: (Block | string)[]): Message {
  return {
    role: 'user',
    blocks: blocks.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
  }
}

function request(fields: Partial<ChatRequest> & { messages: Message[] }): ChatRequest {
  return { model: 'demo', stream: true, streamUsage: true, paths: {}, ...fields }
}

function run(
  fields: Partial<ChatRequest> & { messages: Message[] },
  signal = new AbortController().signal,
): AsyncIterable<Part> {
  const [chat] = demo({}).chat ?? []
  if (!chat || !('run' in chat)) throw new Error('the demo runs in this process')
  return chat.run(request(fields), signal, testCall())
}

async function answer(fields: Partial<ChatRequest> & { messages: Message[] }) {
  const parts: Part[] = []
  for await (const part of run(fields)) parts.push(part)
  const deltas = parts.flatMap((part) => (part.type === 'block-delta' && part.choice === 0 ? part.delta : []))
  return {
    parts,
    text: deltas.map((delta) => delta.text ?? '').join(''),
    arguments: deltas.map((delta) => delta.arguments ?? '').join(''),
    calls: parts.flatMap((part) => (part.type === 'block-start' && part.block.type === 'tool-call' ? part.block : [])),
    finish: parts.flatMap((part) => (part.type === 'finish' ? part.finish : []))[0],
    usage: parts.flatMap((part) => (part.type === 'usage' ? part.usage : [])).at(-1),
  }
}

describe('The demo', () => {
  it('is the last resort, needs nothing, costs nothing and has one model', () => {
    expect(demo.enable).toBe('last-resort')
    expect(demo({})).toMatchObject({
      closed: true,
      credential: { kind: 'none' },
      known: [{ id: 'demo', price: { id: 'demo', input: 0, output: 0 } }],
    })
  })

  it('says that it is a demo, in several deltas, the same each time', async () => {
    const one = await answer({ messages: [user('What is a gateway?')] })
    expect(one.text).toBe('Headgate demo: no model was called.\nYou said: What is a gateway?')
    expect(one.parts.filter(({ type }) => type === 'block-delta').length).toBeGreaterThan(3)
    expect(one.parts[0]).toEqual({ type: 'start', model: 'demo' })
    expect(one.finish).toEqual({ reason: 'stop' })
    expect((await answer({ messages: [user('What is a gateway?')] })).parts).toEqual(one.parts)
  })

  it('counts a token for every four characters', async () => {
    const { usage, text } = await answer({
      messages: [{ role: 'system', blocks: [{ type: 'text', text: '12345' }] }, user('1234')],
    })
    expect(usage).toEqual({ input: 3, output: Math.ceil(text.length / 4) })
  })

  it.each([
    ['names it', 'Ask get_weather about Bern.'],
    ['asks to use a tool', 'Please use the tool!'],
    ['asks to call a function', 'Call any function that you like.'],
  ])('calls a tool when the prompt %s', async (_, prompt) => {
    const { calls, finish, ...one } = await answer({ messages: [user(prompt)], tools: [weather] })
    expect(one.text).toContain('Headgate demo')
    expect(calls).toEqual([{ type: 'tool-call', id: 'call_demo_1', name: 'get_weather', arguments: '' }])
    expect(JSON.parse(one.arguments)).toEqual({ city: 'demo', days: 1 })
    expect(finish).toEqual({ reason: 'tool-calls' })
  })

  it('calls no tool unasked, and does what the tool choice says', async () => {
    const other: Tool = { type: 'custom', name: 'other' }
    const chosen = async (toolChoice: ChatRequest['toolChoice'], prompt = 'Hello', more: Partial<ChatRequest> = {}) => {
      const { calls } = await answer({
        messages: [user(prompt)],
        tools: [weather, other],
        ...(toolChoice && { toolChoice }),
        ...more,
      })
      return calls.map(({ name }) => name)
    }
    expect(await chosen(undefined)).toEqual([])
    expect(await chosen(undefined, 'Is it an antiother_thing?')).toEqual([])
    expect(await chosen(undefined, 'get_weather, then other')).toEqual(['get_weather', 'other'])
    expect(await chosen(undefined, 'get_weather, then other', { parallelTools: false })).toEqual(['get_weather'])
    expect(await chosen({ type: 'none' }, 'Use the tool')).toEqual([])
    expect(await chosen({ type: 'required' })).toEqual(['get_weather'])
    expect(await chosen({ type: 'tool', name: 'other' })).toEqual(['other'])
    expect(await chosen({ type: 'allowed', names: ['other'], required: false })).toEqual([])
    expect(await chosen({ type: 'allowed', names: ['other'], required: true })).toEqual(['other'])
  })

  it('answers a tool result by repeating it, and gives the next call another id', async () => {
    const call: Message = {
      role: 'assistant',
      blocks: [{ type: 'tool-call', id: 'call_demo_1', name: 'get_weather', arguments: '{}' }],
    }
    const result = user({ type: 'tool-result', id: 'call_demo_1', blocks: [{ type: 'text', text: '21 °C' }] })
    const messages = [user('Use get_weather'), call, result]
    const one = await answer({ messages, tools: [weather] })
    expect(one.text).toContain('The tool get_weather answered: 21 °C')
    expect(one.finish).toEqual({ reason: 'stop' })
    const next = await answer({ messages: [...messages, user('get_weather once more')], tools: [weather] })
    expect(next.calls.map(({ id }) => id)).toEqual(['call_demo_2'])
  })

  it('tells which images and documents it was sent', async () => {
    const image: MediaBlock = {
      type: 'media',
      kind: 'image',
      source: { type: 'url', url: 'https://example.com/a.png' },
    }
    const pdf: MediaBlock = {
      type: 'media',
      kind: 'document',
      mime: 'application/pdf',
      source: { type: 'base64', data: 'JVBERi0=' },
    }
    const { text, usage } = await answer({ messages: [user('Look', image, image, pdf)] })
    expect(text).toContain('You sent 2 images, 1 PDF.')
    expect(usage?.input).toBe(3 * 256 + 1)
  })

  it('ends at the limit of tokens and at stop sequences, whichever comes first', async () => {
    const messages = [user('😀'.repeat(50))]
    const short = await answer({ messages, maxTokens: 3 })
    expect(short).toMatchObject({ text: 'Headgate dem', finish: { reason: 'length' }, usage: { output: 3 } })
    expect((await answer({ messages, maxTokens: 12 })).text.isWellFormed()).toBe(true)
    const stopped = await answer({ messages, stop: ['model', 'no'] })
    expect(stopped).toMatchObject({ text: 'Headgate demo: ', finish: { reason: 'stop-sequence', sequence: 'no' } })
    expect((await answer({ messages, stop: ['model'], maxTokens: 2 })).finish).toEqual({ reason: 'length' })
  })

  it('gives JSON when JSON is asked for, of the schema where there is one', async () => {
    const messages = [user('Hello')]
    expect(JSON.parse((await answer({ messages, output: { type: 'json' } })).text)).toEqual({
      demo: expect.stringContaining('Headgate demo'),
    })
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name', 'age'],
    }
    expect(JSON.parse((await answer({ messages, output: { type: 'schema', schema } })).text)).toEqual({
      name: 'demo',
      age: 0,
    })
  })

  it('gives as many answers as are asked for, within reason', async () => {
    const { parts } = await answer({ messages: [user('Hello')], n: 2 })
    expect(parts.flatMap((part) => (part.type === 'finish' ? part.choice : []))).toEqual([0, 1])
    await expect(answer({ messages: [user('Hello')], n: 1e9, paths: { n: 'n' } })).rejects.toMatchObject({
      kind: 'invalid-request',
      param: 'n',
    })
  })

  it('stops when the caller leaves', async () => {
    const controller = new AbortController()
    const seen: Part[] = []
    const reading = async () => {
      for await (const part of run({ messages: [user('Hello')] }, controller.signal)) {
        seen.push(part)
        if (part.type === 'block-delta') controller.abort()
      }
    }
    await expect(reading()).rejects.toMatchObject({ name: 'AbortError' })
    expect(seen.at(-1)?.type).toBe('block-delta')
  })
})
