import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createInbox } from '../../../packages/core/test/support/inbox.ts'
import { chatAnswer, chatFrames, chatText } from '../../../packages/core/test/support/wire.ts'
import { startUpstream, type UpstreamCall } from '../../../packages/gateway/test/support/upstream.ts'
import { startInProcess } from './in-process.ts'
import { temporaryFolder } from './temporary.ts'

const API_KEY = 'sk-local-of-the-caller'
const messages = [{ role: 'user' as const, content: 'Hello.' }]

/** A folder with a configuration, and the calls that its provider gets. */
async function place(rest: object = {}) {
  const calls = createInbox<UpstreamCall>()
  const upstream = await startUpstream((call) =>
    call.method === 'GET' ? call.answer(404, 'no models') : calls.push(call),
  )
  const provider = { adapter: 'openai-compatible', models: ['model-1'], baseUrl: upstream.url }
  const config = { keys: [API_KEY], providers: { mine: provider }, ...rest }
  return { calls, folder: temporaryFolder({ 'headgate.config.json': config }) }
}

function ask(url: string, body: object = {}, key = 'one'): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ model: 'model-1', messages, ...body }),
  })
}

describe('A request with an idempotency key', () => {
  it('is executed once by the processes of a store, and its response outlives them', async () => {
    const { calls, folder } = await place()
    const [one, other] = [await startInProcess({ folder }), await startInProcess({ folder })]
    const first = ask(one.url)
    const call = await calls.next()
    const second = ask(other.url)
    expect((await ask(other.url, { temperature: 0 })).status).toBe(409)
    call.answer(200, chatAnswer())
    const wanted = await (await first).text()
    expect(await (await second).text()).toBe(wanted)
    await one.stop()
    await other.stop()
    const again = await ask((await startInProcess({ folder })).url)
    expect([again.headers.get('idempotency-replayed'), await again.text()]).toEqual(['true', wanted])
    expect(calls.all).toHaveLength(1)
  })

  it('is an ordinary one if the configuration says so, and a line of the log where it is repeated', async () => {
    const off = await place({ idempotency: false })
    const { url } = await startInProcess({ folder: off.folder })
    for (const _ of [1, 2]) {
      const answering = ask(url)
      ;(await off.calls.next()).answer(200, chatAnswer())
      expect((await answering).headers.get('idempotency-replayed')).toBeNull()
    }
    const { calls, folder } = await place({ idempotency: { keep: '1h' } })
    const gateway = await startInProcess({ folder })
    const first = ask(gateway.url)
    ;(await calls.next()).answer(200, chatAnswer())
    await (await first).text()
    await (await ask(gateway.url)).text()
    await gateway.stop()
    const lines = gateway.log().filter(({ msg }) => msg === 'request')
    expect(lines.map(({ status, replayed, provider }) => [status, replayed, provider])).toEqual([
      [200, undefined, 'mine'],
      [200, true, undefined],
    ])
  })
})

describe('The official client', () => {
  /** A client whose first connection breaks off once the upstream has the request. */
  function clientOf(url: string, calls: { next(): Promise<UpstreamCall> }, answer: (call: UpstreamCall) => unknown) {
    let tries = 0
    let call: UpstreamCall | undefined
    const client = new OpenAI({
      baseURL: `${url}/v1`,
      apiKey: API_KEY,
      maxRetries: 2,
      async fetch(input, init) {
        tries++
        if (tries > 1) {
          if (call) await answer(call)
          return fetch(input, init)
        }
        const leave = new AbortController()
        const answering = fetch(input, { ...init, signal: leave.signal })
        call = await calls.next()
        leave.abort()
        return answering
      },
    })
    return { client, tries: () => tries }
  }
  const options = { headers: { 'Idempotency-Key': 'order-17' } }

  it('whose connection breaks off retries by itself, gets the response, and is charged once', async () => {
    const { calls, folder } = await place()
    const { url } = await startInProcess({ folder })
    const { client, tries } = clientOf(url, calls, (call) => call.answer(200, chatAnswer()))
    const answer = await client.chat.completions.create({ model: 'model-1', messages }, options)
    expect([answer.choices[0]?.message.content, tries(), calls.all.length]).toEqual(['Hi there', 2, 1])
  })

  it('whose connection breaks off gets the whole stream', async () => {
    const { calls, folder } = await place()
    const { url } = await startInProcess({ folder })
    const frames = chatFrames(['one', ' two'])
    const { client, tries } = clientOf(url, calls, (call) => call.stream(frames))
    const stream = await client.chat.completions.create({ model: 'model-1', messages, stream: true }, options)
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect([text, tries(), calls.all.length]).toEqual([chatText(frames.join('')), 2, 1])
  })
})
