import { describe, expect, it, vi } from 'vitest'
import { object, text, type VideoSupport } from '../../../core/src/provider.ts'
import { CLOSED_ORIGIN, startUpstream, type UpstreamCall } from '../support/upstream.ts'
import { startVideos, videoProvider } from './support.ts'

type Answer = (call: UpstreamCall, nth: number) => unknown

/** A vendor who answers creations as a test says, and knows every task as one that waits. */
async function vendor(create: Answer, changes: Partial<VideoSupport> = {}, name = 'films') {
  let creations = 0
  const found: { id?: string } = {}
  const upstream = await startUpstream((call) => {
    if (call.method === 'POST') create(call, ++creations)
    else if (call.path.startsWith('/tasks?')) call.answer(200, found)
    else call.answer(200, { state: 'waiting' })
  })
  const posted = () => upstream.calls.filter(({ method }) => method === 'POST')
  return { upstream, found, posted, provider: { ...videoProvider(upstream.origin, changes), name } }
}

const accepts: Answer = (call, nth) => call.answer(200, { id: `upstream-task-${nth}` })
const FIND: Partial<VideoSupport> = {
  trace: ({ model }) => ({ model }),
  find: {
    request: ({ intent }) => ({ method: 'GET', url: `/tasks?tag=${intent}` }),
    response({ body }) {
      const id = text(object(body)?.['id'])
      return id === undefined ? undefined : { id }
    },
  },
}
const CREATION_UNKNOWN = { status: 'failed', error: { code: 'CreationUnknown' } }

describe('A creation that is refused', () => {
  it.each([
    ['rate-limited', 429],
    ['overloaded', 503],
    ['failing', 500],
    ['without a credential', 401],
  ])('by a provider that is %s goes to the next', async (_, status) => {
    const first = await vendor((call) => call.answer(status, { error: { message: 'No.' } }))
    const second = await vendor(accepts, {}, 'reels')
    const { create, list, rows } = await startVideos({ providers: [first.provider, second.provider] })
    const [answered, { id }] = await create()
    expect(answered).toBe(200)
    expect([first.posted().length, second.posted().length]).toEqual([1, 1])
    expect((await list())[1]).toMatchObject({ total: 1, items: [{ id }] })
    expect(rows).toEqual([])
  })

  it('where nobody listens goes to the next', async () => {
    const second = await vendor(accepts, {}, 'reels')
    const { create } = await startVideos({ providers: [videoProvider(CLOSED_ORIGIN), second.provider] })
    expect((await create())[0]).toBe(200)
    expect(second.posted()).toHaveLength(1)
  })

  it('for what it asks is told to the caller, kept by nobody, and accounted for', async () => {
    const first = await vendor((call) => call.answer(400, { error: { message: 'No cats.' } }))
    const second = await vendor(accepts, {}, 'reels')
    const { create, list, rows } = await startVideos({ providers: [first.provider, second.provider] })
    expect(await create()).toMatchObject([
      400,
      { error: { code: 'InvalidParameter', type: 'BadRequest', message: expect.stringContaining('No cats.') } },
    ])
    expect(second.posted()).toHaveLength(0)
    expect((await list())[1]).toMatchObject({ total: 0 })
    expect(rows).toMatchObject([{ family: 'video', status: 400, billed: false, cost: 0, failure: 'invalid-request' }])
  })

  it('by all is an error, after they were asked again', async () => {
    const { provider, posted } = await vendor((call) => call.answer(503, { error: { message: 'Full.' } }))
    const { create, store } = await startVideos({ providers: [provider] })
    expect(await create()).toMatchObject([500, { error: { code: 'InternalServiceError' } }])
    expect(posted()).toHaveLength(4)
    expect(new Set(posted().map((call) => call.json()['tag'])).size).toBe(1)
    expect((await store.list({ family: 'video', owner: 'key-1', offset: 0, limit: 9 })).total).toBe(0)
  })
})

describe('A creation of which nobody knows whether it was carried out', () => {
  const VAGUE: readonly (readonly [string, Answer])[] = [
    ['whose connection is reset', (call) => call.reset()],
    [
      'whose connection is cut in the middle of the answer',
      (call) => {
        call.head(200, { 'content-length': '99' })
        void call.write('{').then(call.cut)
      },
    ],
    ['that is answered by 502', (call) => call.answer(502, 'Bad gateway')],
    ['that is answered by 504', (call) => call.answer(504, 'Timeout')],
    ['that is answered by a page', (call) => call.answer(200, '<html>')],
    ['that is answered without an id', (call) => call.answer(200, { id: '' })],
  ]
  const STRICT: VideoSupport['create'] = {
    request: ({ intent }) => ({ method: 'POST', url: '/tasks', body: { json: { tag: intent } } }),
    response: ({ body }) => ({ id: (body as { id: string }).id }),
  }

  it.each(VAGUE)('%s is not made again, and found', async (_, answer) => {
    const first = await vendor(answer, { ...FIND, create: STRICT })
    const second = await vendor(accepts, {}, 'reels')
    first.found.id = 'upstream-task-1'
    const { create, get, store } = await startVideos({ providers: [first.provider, second.provider] })
    const [status, { id }] = await create()
    expect([status, id]).toEqual([200, expect.any(String)])
    await vi.waitFor(
      async () => expect((await store.get(String(id)))?.data['ref']).toEqual({ id: 'upstream-task-1' }),
      60_000,
    )
    expect((await get(id))[1]).toMatchObject({ id, status: 'queued' })
    expect([first.posted().length, second.posted().length]).toEqual([1, 0])
    const looked = first.upstream.calls.find(({ path }) => path.startsWith('/tasks?'))
    expect(looked?.path).toBe(`/tasks?tag=${String(first.posted()[0]?.json()['tag'])}`)
  })

  it('ends as failed where the upstream has no list, and is not charged', async () => {
    const { provider, posted } = await vendor((call) => call.reset())
    const { create, get, rows } = await startVideos({ providers: [provider] })
    const [, { id }] = await create()
    await vi.waitFor(async () => expect((await get(id))[1]).toMatchObject(CREATION_UNKNOWN), 60_000)
    expect(posted()).toHaveLength(1)
    expect(rows).toMatchObject([{ billed: false, charged: 0, cost: null, why: 'failed' }])
  })

  it('ends as failed where the list does not have it, after a few looks', async () => {
    const { provider, upstream } = await vendor((call) => call.reset(), FIND)
    const { create, get } = await startVideos({ providers: [provider] })
    const [, { id }] = await create()
    await vi.waitFor(async () => expect((await get(id))[1]).toMatchObject(CREATION_UNKNOWN), 60_000)
    expect(upstream.calls.filter(({ path }) => path.startsWith('/tasks?'))).toHaveLength(3)
  })

  it('is not sent again over a connection that died while it lay idle', async () => {
    const { provider, posted, upstream } = await vendor((call, nth) => (nth === 1 ? accepts(call, nth) : call.reset()))
    const { create, get } = await startVideos({ providers: [provider] })
    const [, { id }] = await create()
    await vi.waitFor(async () => expect((await get(id))[1]).toMatchObject({ status: 'queued' }), { timeout: 20_000 })
    expect((await create())[0]).toBe(200)
    expect(posted()).toHaveLength(2)
    expect(new Set([...posted(), ...upstream.calls.slice(1, 2)].map(({ connection }) => connection)).size).toBe(3)
  })

  it('is asked for again where one intent makes one task, at that provider only', async () => {
    const first = await vendor(
      (call, nth) => (nth === 1 ? call.reset() : nth === 2 ? call.answer(429, {}) : accepts(call, nth)),
      {
        idempotent: true,
      },
    )
    const second = await vendor(accepts, {}, 'reels')
    const { create, store } = await startVideos({ providers: [first.provider, second.provider] })
    const [, { id }] = await create()
    expect((await store.get(String(id)))?.data['ref']).toEqual({ id: 'upstream-task-3' })
    expect(new Set(first.posted().map((call) => call.json()['tag'])).size).toBe(1)
    expect([first.posted().length, second.posted().length]).toEqual([3, 0])
  })

  it('makes others be asked first', async () => {
    const first = await vendor((call) => call.answer(502, 'Bad gateway'))
    const second = await vendor(accepts, {}, 'reels')
    const { create } = await startVideos({ providers: [first.provider, second.provider] })
    await create()
    await create()
    expect([first.posted().length, second.posted().length]).toEqual([1, 1])
  })

  it('takes no longer than the caller allows', async () => {
    const { provider, found } = await vendor(() => {}, FIND)
    found.id = 'upstream-task-1'
    const { create, store } = await startVideos({ providers: [provider] })
    const [status, { id }] = await create({}, { headers: { 'headgate-timeout-ms': '200' } })
    expect(status).toBe(200)
    await vi.waitFor(
      async () => expect((await store.get(String(id)))?.data['ref']).toEqual({ id: 'upstream-task-1' }),
      60_000,
    )
  })
})

describe('A caller who leaves', () => {
  it('has the task in the list', async () => {
    const asked = Promise.withResolvers<UpstreamCall>()
    const { provider } = await vendor((call) => asked.resolve(call))
    const { create, list, left, store } = await startVideos({ providers: [provider] })
    const leaving = new AbortController()
    const answer = create({}, { signal: leaving.signal }).catch(() => 'left')
    const call = await asked.promise
    leaving.abort()
    expect(await answer).toBe('left')
    await left()
    call.answer(200, { id: 'upstream-task-1' })
    await vi.waitFor(async () => expect((await list())[1]).toMatchObject({ total: 1, items: [{ status: 'queued' }] }), {
      timeout: 20_000,
    })
    const { tasks } = await store.list({ family: 'video', owner: 'key-1', offset: 0, limit: 1 })
    await vi.waitFor(
      async () => expect((await store.get(tasks[0]?.id ?? ''))?.data['ref']).toEqual({ id: 'upstream-task-1' }),
      {
        timeout: 20_000,
      },
    )
  })
})

describe('A creation that must lose nothing', () => {
  it('is refused before anything is sent', async () => {
    const { provider, upstream } = await vendor(accepts, { capabilities: { watermark: false } })
    const { create, list } = await startVideos({ providers: [provider] })
    const strict = { headers: { 'headgate-strict': 'true' } }
    expect(await create({ watermark: true }, strict)).toMatchObject([
      400,
      { error: { message: expect.stringContaining('watermark') } },
    ])
    expect([upstream.calls.length, (await list())[1]['total']]).toEqual([0, 0])
    expect((await create({}, strict))[0]).toBe(200)
  })

  it('is refused for what the adapter declares, too', async () => {
    const loses: VideoSupport['create'] = {
      request: ({ intent }, call) => {
        call.lose('resolution', 'it is always 720p', 'changed')
        return { method: 'POST', url: '/tasks', body: { json: { tag: intent } } }
      },
      response: () => ({ id: 'upstream-task-1' }),
    }
    const { provider, upstream } = await vendor(accepts, { create: loses })
    const { create, post } = await startVideos({ providers: [provider] })
    expect(await create({}, { headers: { 'headgate-strict': 'all' } })).toMatchObject([
      400,
      { error: { message: expect.stringContaining('resolution') } },
    ])
    expect(upstream.calls).toHaveLength(0)
    const answer = await post('/api/v3/contents/generations/tasks', {
      model: 'reel-1',
      content: [{ type: 'text', text: 'x' }],
    })
    expect([answer.headers.get('headgate-lost'), answer.headers.get('headgate-vendor')]).toEqual([
      'resolution;changed',
      'films',
    ])
  })
})
