import { describe, expect, it } from 'vitest'
import {
  CHAT,
  chatAnswer,
  chatFrames,
  chatRequest,
  chatText,
  DONE,
  MESSAGES,
  messagesAnswer,
  messagesFrames,
  messagesRequest,
} from '../../../core/test/support/wire.ts'
import type { GatewayOptions, UsageRow } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

const streamed = { ...chatRequest, stream: true }

/** Streams in one piece or, where `user` says so, frame by frame. */
const inChat = (call: UpstreamCall): unknown =>
  call.json()['stream']
    ? call.stream(call.json()['user'] === 'slow' ? chatFrames() : chatFrames().join(''))
    : call.answer(200, chatAnswer())
const inMessages = (call: UpstreamCall): unknown =>
  call.json()['stream'] ? call.stream(messagesFrames()) : call.answer(200, messagesAnswer())

/** Lets the event loop turn, so that everything that can move does. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A ledger that the test lets go on. */
function slowLedger() {
  const asked = Promise.withResolvers<UsageRow>()
  const done = Promise.withResolvers<void>()
  const settle = (row: UsageRow): Promise<void> => {
    asked.resolve(row)
    return done.promise
  }
  return { ledger: { settle }, asked: asked.promise, done }
}

describe('The ledger of a gateway', () => {
  async function start(options: Partial<GatewayOptions>) {
    const [chat, messages] = [await startUpstream(inChat), await startUpstream(inMessages)]
    const providers = [
      chatProvider(chat.url),
      messagesProvider(messages.url, { name: 'claude', known: [{ id: 'wise' }] }),
    ]
    return startGateway('node', { providers, ...options })
  }

  it.each<[string, unknown]>([
    ['whole', chatRequest],
    ['whole and translated', { ...chatRequest, model: 'wise' }],
  ])('is settled before an answer goes out: %s', async (_, body) => {
    const { ledger, asked, done } = slowLedger()
    const { post, access } = await start({ ledger })
    let answered = false
    const answering = post(CHAT, body).then((response) => {
      answered = true
      return response.json()
    })
    const row = await asked
    await turns()
    expect([row.status, answered, access.all]).toEqual([200, false, []])
    done.resolve()
    expect(await answering).toMatchObject({ choices: [{ message: { content: 'Hi there' } }] })
    expect(await access.next()).toMatchObject({ status: 200, usage: row })
  })

  it.each<[string, unknown]>([
    ['as it comes', { ...streamed, stream_options: { include_usage: true }, user: 'slow' }],
    ['in one piece', { ...streamed, stream_options: { include_usage: true } }],
    ['translated', { ...streamed, model: 'wise', stream_options: { include_usage: true } }],
  ])('is settled before the last bytes of a stream go out: %s', async (_, body) => {
    const { ledger, asked, done } = slowLedger()
    const { post, access } = await start({ ledger })
    let text = ''
    let ended = false
    const reading = (async () => {
      const reader = (await post(CHAT, body)).body?.getReader()
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
        text += new TextDecoder().decode(piece.value)
      ended = true
    })()
    expect(await asked).toMatchObject({ usage: { input: 11, output: 7 }, finish: 'stop', stream: true })
    await turns()
    expect([ended, text.includes(DONE), access.all]).toEqual([false, false, []])
    done.resolve()
    await reading
    expect([chatText(text), text.endsWith(DONE)]).toEqual(['Hi there', true])
    expect(await access.next()).toMatchObject({ status: 200 })
  })

  it('is settled before a failure is told', async () => {
    const { ledger, asked, done } = slowLedger()
    const upstream = await startUpstream((call) => call.answer(400, { error: { message: 'no' } }))
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)], ledger })
    let answered = false
    const answering = post(CHAT, chatRequest).then((response) => {
      answered = true
      return response.status
    })
    const row = await asked
    await turns()
    expect([row, answered]).toMatchObject([{ status: 400, failure: 'invalid-request' }, false])
    done.resolve()
    expect(await answering).toBe(400)
  })

  it.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('never reaches the caller when it %s', async (_, settle) => {
    const { post, warnings } = await start({ ledger: { settle } })
    expect(await (await post(CHAT, chatRequest)).json()).toEqual(chatAnswer())
    expect(chatText(await (await post(CHAT, streamed)).text())).toBe('Hi there')
    expect((await post(MESSAGES, { ...messagesRequest, model: 'claude/none' })).status).toBe(200)
    expect(warnings).toEqual(Array(3).fill('A usage row could not be settled: disk full'))
  })

  it('may be absent', async () => {
    const upstream = await startUpstream(inChat)
    const { post } = await startGateway('node', { providers: [chatProvider(upstream.url)], ledger: { settle() {} } })
    expect((await post(CHAT, chatRequest)).status).toBe(200)
  })

  it('has the price of the options before that of the provider, and says which', async () => {
    const price = (id: string, input: number) => ({ id, input, output: 0 })
    const upstream = await startUpstream(inChat)
    const { post, rows } = await startGateway('node', {
      providers: [
        chatProvider(upstream.url, {
          known: [
            { id: 'small', price: price('theirs', 1_000_000) },
            { id: 'other', price: price('theirs', 1_000_000) },
          ],
        }),
      ],
      prices: { 'alpha/small': price('ours', 2_000_000) },
    })
    for (const model of ['small', 'other']) await post(CHAT, { ...chatRequest, model })
    expect(rows.map(({ cost, priceId, billed, why }) => [cost, priceId, billed, why])).toEqual([
      [22, 'ours', true, 'served'],
      [11, 'theirs', true, 'served'],
    ])
  })

  it('has one row for each request that reached a provider, and none for others', async () => {
    const { post, rows } = await start({ models: { mine: ['claude/wise'] } })
    await post(CHAT, { ...chatRequest, model: 'nobody-has' })
    await post(CHAT, { ...chatRequest, model: 'mine' }).then((response) => response.text())
    expect(rows).toMatchObject([
      {
        model: 'mine',
        provider: 'claude',
        providerModel: 'small-2026-01-01',
        format: 'chat-completions',
        translated: true,
      },
    ])
  })
})
