import { describe, expect, it } from 'vitest'
import { CHAT, chatAnswer, chatFrames, chatRequest, DONE, dataOf } from '../../../core/test/support/wire.ts'
import { chatProvider, SINKS, startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const streamed = { ...chatRequest, stream: true }

describe.each(SINKS)('A gateway behind %s', (sink) => {
  it('closes when what runs has ended, rows included', async () => {
    const upstream = await startUpstream()
    const closed: string[] = []
    const note = (what: string): void => void closed.push(what)
    const settling = Promise.withResolvers<void>()
    const { post, gateway } = await startGateway(sink, {
      providers: [chatProvider(upstream.url, { close: async () => note('provider') })],
      ledger: { settle: () => settling.promise },
    })
    const answering = post(CHAT, streamed)
    const call = await upstream.next()
    expect(gateway.inFlight()).toBe(1)
    const closing = [gateway.close(), gateway.close()].map((one) => one.then(() => note('gateway')))
    await call.stream(chatFrames())
    const text = (await answering).text()
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(closed).toEqual([])
    settling.resolve()
    await Promise.all(closing)
    expect([closed, gateway.inFlight(), (await text).endsWith(DONE)]).toEqual([
      ['provider', 'gateway', 'gateway'],
      0,
      true,
    ])
  })

  it('ends what runs when it is told to, with an error in band where the answer has begun', async () => {
    const upstream = await startUpstream()
    const { post, gateway, access } = await startGateway(sink, {
      providers: [chatProvider(upstream.url)],
      times: { backoff: 60_000 },
    })
    const [whole, begun, waiting] = [
      post(CHAT, chatRequest),
      post(CHAT, streamed),
      post(CHAT, { ...chatRequest, user: 'waits' }),
    ]
    const calls = [await upstream.next(), await upstream.next(), await upstream.next()]
    for (const call of calls) {
      if (call.json()['user']) call.answer(500, 'no')
      if (!call.json()['stream']) continue
      call.head(200, { 'content-type': 'text/event-stream' })
      await call.write(chatFrames().slice(0, 2).join(''))
    }
    const stream = await begun
    gateway.abort()
    const ended = [await whole, await waiting]
    expect(ended.map((response) => response.status)).toEqual([500, 500])
    expect(dataOf(await stream.text()).at(-1)).toMatchObject({ error: { message: 'The gateway is shutting down.' } })
    for (let one = 0; one < 3; one++) await access.next()
    await gateway.close()
    expect(upstream.calls).toHaveLength(3)
  })

  it('survives a listener that throws', async () => {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer()))
    const { post, warnings } = await startGateway(sink, {
      providers: [chatProvider(upstream.url)],
      onAccess() {
        throw new Error('broken listener')
      },
    })
    expect((await post(CHAT, chatRequest)).status).toBe(200)
    expect((await post(CHAT, {})).status).toBe(400)
    expect(warnings.join()).toContain('broken listener')
  })

  it('describes its API', async () => {
    const upstream = await startUpstream()
    const { call, gateway } = await startGateway(sink, { providers: [chatProvider(upstream.url)], basePath: '/ai' })
    const document = (await (await call('/ai/openapi.json')).json()) as {
      openapi: string
      servers: unknown
      paths: object
    }
    expect(document).toEqual(JSON.parse(JSON.stringify(gateway.openapi())))
    expect([document.openapi, document.servers]).toEqual(['3.1.0', [{ url: '/ai' }]])
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/v1/chat/completions', '/v1/messages', '/v1/models']),
    )
  })

  it('serves many at once, each its own', async () => {
    const upstream = await startUpstream((call) => call.answer(200, chatAnswer(String(call.json()['user']))))
    const { post, rows } = await startGateway(sink, { providers: [chatProvider(upstream.url)] })
    const users = Array.from({ length: 50 }, (_, index) => `user-${index}`)
    const answers = await Promise.all(users.map(async (user) => (await post(CHAT, { ...chatRequest, user })).json()))
    expect(
      (answers as { choices: { message: { content: string } }[] }[]).map(
        (answer) => answer.choices[0]?.message.content,
      ),
    ).toEqual(users)
    expect(new Set(rows.map((row) => row.requestId)).size).toBe(50)
  })
})
