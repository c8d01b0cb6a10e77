import { describe, expect, it } from 'vitest'
import { dataOf } from '../../../core/test/support/wire.ts'
import { type GatewayOptions, memoryResponses, type ResponseStore } from '../../src/index.ts'
import { chatProvider, messagesProvider, startGateway } from '../support/gateway.ts'
import { type Answer, counting, KEYS, native, STRANGERS, startKeeping as start } from '../support/keeping.ts'
import {
  RESPONSES,
  responsesAnswer,
  responsesFrames,
  responsesProvider,
  responsesRequest,
} from '../support/responses.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'

/** Who speaks in what a provider was asked. */
function turnsOf(call: UpstreamCall | undefined): string[] {
  const { messages = [] } = (call?.json() ?? {}) as { messages?: { role: string }[] }
  return messages.map(({ role }) => role)
}

const notFound = (param: string | null) => ({
  error: { type: 'invalid_request_error', code: 'not_found', param, message: expect.any(String) },
})

describe('An answer that was translated', () => {
  it('can be gone on from over five turns, whole and streamed, by every key of its person in the project', async () => {
    const { answer, ask, upstream } = await start('node', counting)
    let previous = (await answer({ input: 'turn 1' })).id
    expect(previous).toMatch(/^resp_[0-9a-f]{32}$/)
    for (const [turn, key] of ['one', 'other', 'one', 'other'].entries()) {
      const body = { input: `turn ${2 * turn + 3}`, previous_response_id: previous, stream: turn % 2 === 0 }
      const text = await (await ask(body, key)).text()
      const whole = (body.stream ? (dataOf(text).at(-1) as { response: Answer }).response : JSON.parse(text)) as Answer
      expect(whole).toMatchObject({
        previous_response_id: previous,
        store: true,
        output: [{ content: [{ text: `turn ${2 * turn + 3}` }] }],
      })
      previous = whole.id
    }
    const said = turnsOf(upstream.calls.at(-1))
    expect(said).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user'])
    expect(JSON.stringify(upstream.calls.at(-1)?.json())).toContain('turn 1')
    expect(upstream.calls[0]?.json()).not.toHaveProperty('store')
  })

  it('loses nothing by being kept, nor by not being kept', async () => {
    const { ask } = await start('node', counting)
    for (const store of [true, false])
      expect((await ask({ store })).headers.get('headgate-lost'), String(store)).toBeNull()
  })

  it('can be read, listed and deleted, and is for everybody else as if it did not exist', async () => {
    const { answer, ask, at } = await start('node', counting)
    const { id, ...rest } = await answer({ input: 'turn 1' })
    expect(await (await at(id)).json()).toEqual({ id, ...rest })
    const items = (await (await at(`${id}/input_items?order=asc`)).json()) as { data: unknown[] }
    expect(items).toMatchObject({
      object: 'list',
      has_more: false,
      data: [{ role: 'user', content: [{ type: 'input_text', text: 'turn 1' }] }],
    })
    const unknown = `resp_${'0'.repeat(32)}`
    const said = async (answered: Promise<Response>) => [
      (await answered).status,
      (await (await answered).text()).replaceAll(id, unknown),
    ]
    for (const key of STRANGERS) {
      for (const [end, method] of [[''], ['/input_items'], ['', 'DELETE'], ['/cancel', 'POST']] as const)
        expect(await said(at(id + end, method, key)), `${method} ${key}`).toEqual(
          await said(at(unknown + end, method, key)),
        )
      const refused = await ask({ previous_response_id: id }, key)
      expect([refused.status, await refused.json()]).toEqual([404, notFound('previous_response_id')])
    }
    const canceled = await at(`${id}/cancel`, 'POST')
    expect([canceled.status, await canceled.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('background') } },
    ])
    expect(await (await at(id, 'DELETE')).json()).toEqual({ id, object: 'response', deleted: true })
    expect((await at(id)).status).toBe(404)
  })

  it('has items that a later request may send by their ids alone', async () => {
    const { answer, upstream } = await start('node', counting)
    const first = await answer({ input: 'turn 1' })
    const reference = { type: 'item_reference', id: first.output[0]?.id }
    await answer({ input: [{ role: 'user', content: 'turn 1' }, reference, { role: 'user', content: 'turn 3' }] })
    expect(upstream.calls[1]?.json()['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text', text: 'turn 1' }] },
      { role: 'user' },
    ])
  })

  it('is not kept where the caller says so', async () => {
    const { answer, ask } = await start('node', counting)
    const { id, store } = await answer({ store: false })
    expect(store).toBe(false)
    expect((await ask({ previous_response_id: id })).status).toBe(404)
  })

  it.each<[string, GatewayOptions['responses']]>([
    ['kept no longer', { keepMs: -1 }],
    ['never kept', { keepMs: false }],
    ['too large', { room: { bytes: 100 } }],
  ])('that is %s is a 400 that says what to do', async (_, answers) => {
    const { answer, ask, at } = await start('node', counting, messagesProvider, { responses: { ...answers } })
    const { id } = await answer({})
    const refused = await ask({ previous_response_id: id })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { param: 'previous_response_id', message: expect.stringContaining('Send the whole conversation') } },
    ])
    expect((await at(id)).status).toBe(404)
    expect((await ask({ previous_response_id: id }, 'foreign')).status).toBe(404)
  })

  it('is one of so many of its key, the newest', async () => {
    const { answer, at } = await start('node', counting, messagesProvider, { responses: { room: { count: 2 } } })
    const ids = [(await answer({})).id, (await answer({})).id, (await answer({}, 'other')).id, (await answer({})).id]
    const found = []
    for (const id of ids) found.push((await at(id)).status)
    expect(found).toEqual([404, 200, 200, 200])
  })

  it('is kept sealed, and opened by nobody else', async () => {
    const store = memoryResponses()
    const kept: (string | undefined)[] = []
    const spying: ResponseStore = {
      ...store,
      put: (one, room) => store.put(one, room).then(() => void kept.push(one.data)),
    }
    const flip = (bytes: Uint8Array) => Buffer.from(bytes.map((byte) => byte ^ 255))
    const sealer = {
      seal: (plain: Uint8Array, about: string) => `${about} ${flip(plain).toString('base64')}`,
      open: (sealed: string, about: string) =>
        sealed.startsWith(`${about} `) ? flip(Buffer.from(sealed.slice(about.length + 1), 'base64')) : undefined,
    }
    const { answer } = await start('node', counting, messagesProvider, { responses: { store: spying, sealer } })
    const { id } = await answer({ input: 'a secret' })
    expect(kept).toHaveLength(1)
    expect(kept[0]).not.toContain('secret')
    expect(await answer({ input: 'on', previous_response_id: id })).toMatchObject({
      output: [{ content: [{ text: 'turn 3' }] }],
    })
  })

  it('goes out where it could not be kept, and the operator is told', async () => {
    const broken: ResponseStore = { ...memoryResponses(), put: () => Promise.reject(new Error('the disk is full')) }
    const { ask, warnings } = await start('node', counting, messagesProvider, { responses: { store: broken } })
    for (const stream of [true, false]) expect((await ask({ stream })).status).toBe(200)
    expect(warnings).toEqual([expect.stringContaining('the disk is full'), expect.stringContaining('the disk is full')])
  })
})

describe('An answer that lives at its provider', () => {
  it('is recorded before its first frame goes out', async () => {
    const gate = Promise.withResolvers<void>()
    const put = Promise.withResolvers<void>()
    const store = memoryResponses()
    const waiting = (): Promise<void> => {
      put.resolve()
      return gate.promise
    }
    const slow: ResponseStore = { ...store, put: (one, room) => waiting().then(() => store.put(one, room)) }
    const { ask, at } = await start('node', native, responsesProvider, { responses: { store: slow } })
    const asked = ask({ stream: true })
    let isThere = false
    void asked.then(() => (isThere = true))
    await put.promise
    await new Promise(setImmediate)
    expect(isThere).toBe(false)
    gate.resolve()
    expect(await (await asked).text()).toBe(responsesFrames().join(''))
    expect((await at('resp_1')).status).toBe(200)
  })

  it('is gone on from there alone, as bytes, by its person', async () => {
    const { answer, ask, upstream } = await start('node', native, responsesProvider)
    await answer({})
    const next = { previous_response_id: 'resp_1', input: 'And then?' }
    expect((await ask(next, 'other')).status).toBe(200)
    expect(upstream.calls[1]?.json()).toEqual({ model: 'small', ...next })
    for (const key of STRANGERS) {
      const refused = await ask(next, key)
      expect([refused.status, await refused.json()]).toEqual([404, notFound('previous_response_id')])
    }
    expect(upstream.calls).toHaveLength(2)
    expect((await ask(next, 'sharing')).status).toBe(200)
  })

  it('is read, listed and deleted there', async () => {
    const { answer, at, upstream } = await start('node', native, responsesProvider)
    await answer({})
    const read = await at('resp_1?include[]=reasoning.encrypted_content')
    expect([await read.json(), read.headers.get('headgate-vendor')]).toEqual([responsesAnswer(), 'alpha'])
    await at('resp_1/input_items')
    await at('resp_1', 'DELETE')
    expect(upstream.calls.slice(1).map(({ method, path }) => `${method} ${decodeURIComponent(path)}`)).toEqual([
      'GET /v1/responses/resp_1?include[]=reasoning.encrypted_content',
      'GET /v1/responses/resp_1/input_items',
      'DELETE /v1/responses/resp_1',
    ])
    expect((await at('resp_1')).status).toBe(404)
    expect(upstream.calls).toHaveLength(4)
  })

  it('keeps the next turn from every other provider, and says so where its own is gone', async () => {
    const upstream = await startUpstream(native)
    const other = await startUpstream(counting)
    const store = memoryResponses()
    const authenticate = () => KEYS['one']
    const home = responsesProvider(upstream.url)
    const elsewhere = messagesProvider(other.url, { name: 'beta' })
    const before = await startGateway('node', { providers: [home, elsewhere], authenticate, responses: { store } })
    await before.post(RESPONSES, responsesRequest)
    const next = { ...responsesRequest, previous_response_id: 'resp_1' }
    const { post } = await startGateway('node', { providers: [elsewhere, home], authenticate, responses: { store } })
    expect((await post(RESPONSES, next)).headers.get('headgate-vendor')).toBe('alpha')
    const without = await startGateway('node', { providers: [elsewhere], authenticate, responses: { store } })
    const refused = await without.post(RESPONSES, next)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { param: 'previous_response_id', message: expect.stringContaining('data at the provider alpha') } },
    ])
    expect((await without.call(`${RESPONSES}/resp_1`)).status).toBe(404)
    expect(other.calls).toHaveLength(0)
  })

  it.each([
    ['previous_response_id', { previous_response_id: 'resp_9' }],
    ['conversation', { conversation: 'conv_9' }],
    ['conversation.id', { conversation: { id: 'conv_9' } }],
    ['input[0].id', { input: [{ type: 'item_reference', id: 'rs_9' }] }],
    [
      'input[0].content[0].file_id',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_9' }] }] },
    ],
    ['tools[0].vector_store_ids', { tools: [{ type: 'file_search', vector_store_ids: ['vs_9'] }] }],
    ['tools[0].container', { tools: [{ type: 'code_interpreter', container: 'cntr_9' }] }],
    [
      'tools[0].environment.container_id',
      { tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_9' } }] },
    ],
  ])('of nobody here, named by %s, is a 404 before any call; unless the operator allows it', async (param, body) => {
    const { ask, upstream } = await start('node', native, responsesProvider)
    const refused = await ask(body)
    expect([refused.status, await refused.json()]).toEqual([404, notFound(param)])
    expect(upstream.calls).toEqual([])
    const allowed = await start('node', native, responsesProvider, { responses: { foreignIds: 'allow' } })
    expect((await allowed.ask(body)).status).toBe(200)
    expect(allowed.warnings).toEqual([expect.stringContaining('foreignIds')])
  })

  it('has items and containers that its project may name', async () => {
    const output = [
      {
        id: 'ci_1',
        type: 'code_interpreter_call',
        container_id: 'cntr_1',
        code: '1',
        outputs: null,
        status: 'completed',
      },
    ]
    const { ask, answer } = await start(
      'node',
      (call) => call.answer(200, responsesAnswer('', { output })),
      responsesProvider,
    )
    await answer({})
    const next = {
      input: [{ type: 'item_reference', id: 'ci_1' }],
      tools: [{ type: 'code_interpreter', container: 'cntr_1' }],
    }
    expect((await ask(next)).status).toBe(200)
    expect((await ask(next, 'foreign')).status).toBe(404)
  })

  it('is not recorded where it is not kept there', async () => {
    const { ask } = await start('node', native, responsesProvider)
    await (await ask({ store: false })).text()
    expect((await ask({ previous_response_id: 'resp_1' })).status).toBe(404)
  })
})

describe('Counting the tokens of a request in the responses format', () => {
  it('answers in its shape, earlier turns included', async () => {
    const { answer, post } = await start('node', counting)
    const count = async (body: object) => {
      const counted = await post(
        `${RESPONSES}/input_tokens`,
        { ...responsesRequest, ...body },
        { headers: { authorization: 'Bearer one' } },
      )
      expect(counted.headers.get('headgate-estimated')).toBe('true')
      return (await counted.json()) as { object: string; input_tokens: number }
    }
    const { id } = await answer({ input: 'A long first turn, of some words.' })
    const alone = await count({ input: 'Hi' })
    expect(alone.object).toBe('response.input_tokens')
    expect((await count({ input: 'Hi', previous_response_id: id })).input_tokens).toBeGreaterThan(
      alone.input_tokens + 5,
    )
  })
})

describe('A model that has no provider of the format', () => {
  it('refuses what only its vendor has', async () => {
    const { ask } = await start('node', counting, chatProvider, { responses: { foreignIds: 'allow' } })
    expect((await ask({ conversation: 'conv_1' })).status).toBe(400)
  })
})
