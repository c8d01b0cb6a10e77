import { describe, expect, it } from 'vitest'
import { chatFrames, dataOf, messagesFrames } from '../../../core/test/support/wire.ts'
import { type GatewayOptions, memoryResponses, type ProviderInstance } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import {
  RESPONSES,
  responsesAnswer,
  responsesFrames,
  responsesProvider,
  responsesRequest,
  typesOf,
} from '../support/responses.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

interface Event {
  readonly type: string
  readonly sequence_number: number
  readonly response?: { readonly id: string; readonly status: string; readonly output: unknown[] }
}

async function start(
  make: (url: string) => ProviderInstance = messagesProvider,
  options: Partial<GatewayOptions> = {},
) {
  const upstream = await startUpstream()
  const gateway = await startGateway('node', { providers: [make(upstream.url)], ...options })
  const leaving = new AbortController()
  const begin = async () => {
    const body = { ...responsesRequest, background: true, stream: true }
    const response = await gateway.post(RESPONSES, body, { signal: leaving.signal })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const first = (await reader?.read())?.value ?? ''
    /** Reads until the stream ends or holds a text. */
    const until = async (text?: string): Promise<string> => {
      let seen = first
      while (text === undefined || !seen.includes(text)) {
        const piece = await reader?.read()
        if (!piece || piece.done) break
        seen += piece.value
      }
      return seen
    }
    return { response, id: (dataOf(first)[0] as Event).response?.id ?? '', until }
  }
  const get = async (rest: string) => (await gateway.call(`${RESPONSES}/${rest}`)).text()
  const over = async () => {
    for (let record = await gateway.access.next(); !record.usage; ) record = await gateway.access.next()
  }
  return { ...gateway, upstream, begin, get, over, leave: () => leaving.abort() }
}

const PING = ': ping\n\n'

const eventsOf = (text: string): Event[] => dataOf(text) as Event[]
const numbersOf = (text: string): number[] => eventsOf(text).map((event) => event.sequence_number)
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

function head(call: UpstreamCall): void {
  call.head(200, { 'content-type': 'text/event-stream' })
}

describe('A response that is streamed in the background', () => {
  it.each<[string, (url: string) => ProviderInstance, readonly string[]]>([
    ['messages', messagesProvider, messagesFrames()],
    ['chat completions', chatProvider, chatFrames()],
    ['responses', responsesProvider, responsesFrames()],
  ])(
    'from a provider of %s is announced at once, numbered without gaps, kept, and read again from any number',
    async (_, make, frames) => {
      const { upstream, begin, get, rows } = await start(make)
      const { response, id, until } = await begin()
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
      const call = await upstream.next()
      expect(call.json()).not.toHaveProperty('background')
      expect(rows).toEqual([])
      head(call)
      call.end(frames.join(''))
      const text = await until()
      const events = eventsOf(text)
      expect(typesOf(text).slice(0, 3)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
      ])
      expect(numbersOf(text)).toEqual(upTo(events.length))
      expect(new Set(events.flatMap(({ response: named }) => named?.id ?? []))).toEqual(new Set([id]))
      const last = { id, status: 'completed', background: true, output: [{ content: [{ text: 'Hi there' }] }] }
      expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: last })
      expect(JSON.parse(await get(id))).toMatchObject(last)
      expect(await get(`${id}?stream=true`)).toBe(PING + text)
      expect(numbersOf(await get(`${id}?stream=true&starting_after=4`))).toEqual(upTo(events.length).slice(5))
      expect(rows).toMatchObject([{ stream: true, usage: { input: 11, output: 7 } }])
    },
  )

  it('continues when its caller leaves, and is resumed where the caller left', async () => {
    const { upstream, begin, get, call: callGateway, over, leave, rows } = await start(responsesProvider)
    const { id, until } = await begin()
    const call = await upstream.next()
    const frames = responsesFrames()
    head(call)
    await call.write(frames.slice(0, 5).join(''))
    const seen = await until('"delta":"Hi"')
    const last = numbersOf(seen.slice(0, seen.lastIndexOf('\n\n') + 2)).at(-1) ?? -1
    leave()
    const resumed = callGateway(`${RESPONSES}/${id}?stream=true&starting_after=${last}`)
    const reader = (await resumed).body?.pipeThrough(new TextDecoderStream()).getReader()
    call.end(frames.slice(5).join(''))
    let rest = ''
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) rest += piece.value
    await over()
    expect([...numbersOf(seen), ...numbersOf(rest)]).toEqual(upTo(eventsOf(seen + rest).length))
    expect(eventsOf(rest).at(-1)).toMatchObject({ type: 'response.completed', response: { id } })
    expect(JSON.parse(await get(id))).toMatchObject({
      status: 'completed',
      output: [{ content: [{ text: 'Hi there' }] }],
    })
    expect(rows).toMatchObject([{ stream: true, usage: { input: 11, output: 7 } }])
  })

  it.each<[string, (call: UpstreamCall) => void]>([
    ['before its answer', (call) => call.answer(400, { error: { message: 'Too many sausages.' } })],
    [
      'in the middle',
      (call) => {
        head(call)
        call.end(responsesFrames().slice(0, 5).join(''))
      },
    ],
  ])('has failed where its provider fails %s: its last events and the kept response say so', async (_, fail) => {
    const { upstream, begin, get } = await start(responsesProvider)
    const { id, until } = await begin()
    fail(await upstream.next())
    const text = await until()
    expect(typesOf(text).slice(-2)).toEqual(['error', 'response.failed'])
    expect(numbersOf(text)).toEqual(upTo(eventsOf(text).length))
    expect(eventsOf(text).at(-1)).toMatchObject({ response: { id, status: 'failed' } })
    expect(JSON.parse(await get(id))).toMatchObject({ id, status: 'failed', background: true })
    expect(await get(`${id}?stream=true`)).toBe(PING + text)
  })

  it('ends when it is cancelled', async () => {
    const { upstream, begin, get, call: callGateway } = await start(responsesProvider)
    const { id, until } = await begin()
    const call = await upstream.next()
    head(call)
    await call.write(responsesFrames().slice(0, 5).join(''))
    await until('"delta":"Hi"')
    await callGateway(`${RESPONSES}/${id}/cancel`, { method: 'POST' })
    await call.left
    await until()
    expect(JSON.parse(await get(id))).toMatchObject({ id, status: 'cancelled' })
  })

  it('is read from another process once it has ended, and has failed if its process is gone', async () => {
    const store = memoryResponses()
    const { upstream, begin } = await start(responsesProvider, { responses: { store } })
    const { id, until } = await begin()
    const other = await start(responsesProvider, { responses: { store } })
    const reading = other.get(`${id}?stream=true&starting_after=0`)
    const call = await upstream.next()
    const [kept] = await store.find({ owner: 'key-1' }, [id])
    head(call)
    call.end(responsesFrames().join(''))
    const text = await until()
    expect(numbersOf(await reading)).toEqual(numbersOf(text).slice(1))
    const dead = memoryResponses()
    const data = JSON.stringify({ ...JSON.parse(kept?.data ?? '{}'), aliveUntil: Date.now() - 1 })
    if (kept) await dead.put({ ...kept, data }, { count: 9, bytes: 1e6 })
    const after = await start(responsesProvider, { responses: { store: dead } })
    const lost = await after.get(`${id}?stream=true&starting_after=3`)
    expect([typesOf(lost), numbersOf(lost)]).toEqual([
      ['error', 'response.failed'],
      [4, 5],
    ])
  })

  it.each([
    ['stream=true', false, 'stream'],
    ['stream=true&starting_after=x', true, 'starting_after'],
  ])('is not read with %s where that means nothing', async (query, streamed, param) => {
    const { upstream, post, call: callGateway } = await start(responsesProvider)
    const answering = post(RESPONSES, { ...responsesRequest, background: true, stream: streamed })
    const call = await upstream.next()
    if (streamed) head(call)
    if (streamed) call.end(responsesFrames().join(''))
    const text = await (await answering).text()
    if (!streamed) call.answer(200, responsesAnswer())
    const id = streamed ? eventsOf(text)[0]?.response?.id : (JSON.parse(text) as { id: string }).id
    const response = await callGateway(`${RESPONSES}/${id}?${query}`)
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }])
  })
})
