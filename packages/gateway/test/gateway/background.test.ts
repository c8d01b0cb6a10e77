import { describe, expect, it } from 'vitest'
import { messagesAnswer } from '../../../core/test/support/wire.ts'
import { type GatewayOptions, memoryResponses, type ProviderInstance } from '../../src/index.ts'
import { messagesProvider, startGateway } from '../support/gateway.ts'
import { RESPONSES, responsesAnswer, responsesProvider, responsesRequest } from '../support/responses.ts'
import { startUpstream } from '../support/upstream.ts'

async function start(
  make: (url: string) => ProviderInstance = messagesProvider,
  options: Partial<GatewayOptions> = {},
) {
  const upstream = await startUpstream()
  const gateway = await startGateway('node', { providers: [make(upstream.url)], ...options })
  const at = async (rest: string, method = 'GET') =>
    (await gateway.call(`${RESPONSES}/${rest}`, { method })).json() as Promise<object>
  const ask = async (body: object = {}) => {
    const answer = await gateway.post(RESPONSES, { ...responsesRequest, background: true, ...body })
    return { status: answer.status, ...((await answer.json()) as { id: string }) }
  }
  return { ...gateway, upstream, at, ask }
}

describe('An answer that is made in the background', () => {
  it.each<[string, (url: string) => ProviderInstance, object]>([
    ['messages', messagesProvider, messagesAnswer()],
    ['responses', responsesProvider, responsesAnswer()],
  ])(
    'is there at once, from a provider of %s, and whole once it is made; its usage is on the row',
    async (_, make, made) => {
      const { ask, at, upstream, access, rows } = await start(make)
      const open = await ask({ input: 'Take your time.' })
      expect(open).toMatchObject({
        status: 'in_progress',
        background: true,
        output: [],
        id: expect.stringMatching(/^resp_/),
      })
      const call = await upstream.next()
      expect(call.json()).not.toHaveProperty('background')
      expect(await at(open.id)).toMatchObject({ status: 'in_progress' })
      expect(rows).toEqual([])
      call.answer(200, made)
      // The request is over once the answer is made.
      for (let record = await access.next(); !record.usage; ) record = await access.next()
      expect(await at(open.id)).toMatchObject({
        id: open.id,
        status: 'completed',
        background: true,
        output: [{ content: [{ text: 'Hi there' }] }],
      })
      expect(rows).toMatchObject([{ format: 'responses', usage: { input: 11, output: 7 }, finish: 'stop' }])
      expect(await at(`${open.id}/cancel`, 'POST')).toMatchObject({ status: 'completed' })
      expect(await at(`${open.id}/input_items`)).toMatchObject({ data: [{ content: [{ text: 'Take your time.' }] }] })
    },
  )

  it('has failed where its provider fails', async () => {
    const { ask, at, upstream, access } = await start()
    const { id } = await ask()
    const call = await upstream.next()
    call.answer(400, { type: 'error', error: { type: 'invalid_request_error', message: 'Too many sausages.' } })
    for (let record = await access.next(); !record.usage; ) record = await access.next()
    expect(await at(id)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('sausages') },
      output: [],
    })
  })

  it('ends when it is canceled, and nothing more is asked', async () => {
    const { ask, at, upstream, access } = await start()
    const { id } = await ask()
    const call = await upstream.next()
    expect(await at(`${id}/cancel`, 'POST')).toMatchObject({ id, status: 'cancelled' })
    await call.left
    for (let record = await access.next(); !record.usage; ) record = await access.next()
    expect(await at(id)).toMatchObject({ status: 'cancelled' })
    expect(upstream.calls).toHaveLength(1)
  })

  it('ends when it is canceled at another process that shares the store', async () => {
    const store = memoryResponses()
    const first = await start(messagesProvider, { responses: { store } })
    const other = await start(messagesProvider, { responses: { store } })
    const { id } = await first.ask()
    const call = await first.upstream.next()
    expect(await other.at(`${id}/cancel`, 'POST')).toMatchObject({ id, status: 'cancelled' })
    await call.left
    for (let record = await first.access.next(); !record.usage; ) record = await first.access.next()
    expect(await first.at(id)).toMatchObject({ status: 'cancelled' })
    expect(await store.find({ owner: 'key-1' }, [`${id}:cancel`])).toEqual([])
  })

  it('has failed once the process that made it is gone', async () => {
    const store = memoryResponses()
    const { ask, upstream } = await start(messagesProvider, { responses: { store } })
    const { id } = await ask()
    await upstream.next()
    const [kept] = await store.find({ owner: 'key-1' }, [id])
    const { aliveUntil, ...rest } = JSON.parse(kept?.data ?? '{}')
    expect(aliveUntil).toBeGreaterThan(Date.now())
    const dead = memoryResponses()
    if (kept)
      await dead.put(
        { ...kept, data: JSON.stringify({ ...rest, aliveUntil: Date.now() - 1 }) },
        { count: 9, bytes: 1e6 },
      )
    const after = await start(messagesProvider, { responses: { store: dead } })
    expect(await after.at(id)).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
  })

  it.each([
    ['is not kept', { store: false }, {}],
    ['is never kept', {}, { keepMs: false }],
  ] as const)('is refused where it %s', async (_, body, answers) => {
    const { ask, upstream } = await start(messagesProvider, { responses: answers })
    expect(await ask(body)).toMatchObject({ status: 400, error: { param: 'background' } })
    expect(upstream.calls).toEqual([])
  })
})
