import { describe, expect, it, vi } from 'vitest'
import { object } from '../../../core/src/provider.ts'
import { startUpstream } from '../support/upstream.ts'
import { startVideos, videoProvider } from './support.ts'

const OTHER = { headers: { authorization: 'Bearer sk-limited' } }

/** A vendor whose tasks are in the state that a test says. */
async function start() {
  const state: { now: object; cancels: boolean } = { now: { state: 'waiting' }, cancels: true }
  const upstream = await startUpstream((call) => {
    if (call.method === 'POST') call.answer(200, { id: 'upstream-task-1' })
    else if (call.method === 'DELETE') call.answer(200, { done: state.cancels })
    else call.answer(200, state.now)
  })
  const videos = await startVideos({ providers: [videoProvider(upstream.origin)] })
  return { ...videos, state, upstream }
}

describe('A task of a video', () => {
  it('is created, waits, runs, succeeds, and is accounted for once', async () => {
    const { create, get, list, rows, state, upstream } = await start()
    const [status, { id }] = await create({ duration: 5, ratio: '16:9' })
    expect([status, id]).toEqual([200, expect.stringMatching(/^cgt-\d{14}-[a-z0-9]{20}$/)])
    expect((await upstream.next()).json()).toMatchObject({ model: 'reel-1', prompt: 'a cat surfing', seconds: 5 })

    await vi.waitFor(async () =>
      expect((await get(id))[1]).toMatchObject({ id, status: 'queued', model: 'reel-1', ratio: '16:9', duration: 5 }),
    )
    state.now = { state: 'working' }
    await vi.waitFor(async () => expect((await get(id))[1]).toMatchObject({ status: 'running' }), 60_000)
    state.now = { state: 'done', url: 'https://films.example/1.mp4', seconds: 6 }
    await vi.waitFor(async () => expect((await get(id))[1]).toMatchObject({ status: 'succeeded' }), 60_000)
    expect((await get(id))[1]).toMatchObject({
      content: { video_url: 'https://films.example/1.mp4' },
      usage: { seconds: 6 },
      duration: 6,
      created_at: expect.any(Number),
    })
    expect((await list())[1]).toMatchObject({ total: 1, items: [{ id, status: 'succeeded' }] })
    expect(rows).toMatchObject([
      {
        family: 'video',
        format: 'ark',
        model: 'reel-1',
        status: 200,
        usage: { units: { seconds: 6 } },
        cost: 6_000,
        charged: 6_000,
        billed: true,
      },
    ])
    expect(JSON.stringify([await get(id), await list()])).not.toContain('upstream-task-1')
  })

  it("is nobody else's", async () => {
    const { create, get, list, remove } = await start()
    const [, { id }] = await create()
    expect((await get(id, OTHER))[0]).toBe(404)
    expect(await remove(id, OTHER)).toMatchObject([404, { error: { code: 'ResourceNotFound', type: 'NotFound' } }])
    expect((await list('', OTHER))[1]).toEqual({ items: [], total: 0 })
  })

  it('is canceled while it waits, not while it runs, and goes when it is over', async () => {
    const { create, get, remove, rows, state } = await start()
    const [, { id }] = await create()
    expect(await remove(id)).toEqual([200, {}])
    expect((await get(id))[1]).toMatchObject({ status: 'cancelled' })
    expect((await remove(id))[0]).toBe(409)
    expect(rows).toMatchObject([{ failure: 'canceled', billed: false, cost: 0, charged: 0 }])

    state.cancels = false
    state.now = { state: 'working' }
    const [, second] = await create()
    expect(await remove(second['id'])).toMatchObject([
      409,
      { error: { code: 'InvalidAction.RunningTaskDeletion', type: 'Conflict' } },
    ])
    state.now = { state: 'broken', why: 'no film left for upstream-task-1' }
    await vi.waitFor(async () => expect((await get(second['id']))[1]).toMatchObject({ status: 'failed' }), 60_000)
    expect((await get(second['id']))[1]['error']).toEqual({
      code: 'InternalServiceError',
      message: `no film left for ${second['id']}`,
    })
    expect(await remove(second['id'])).toEqual([200, {}])
    expect((await get(second['id']))[0]).toBe(404)
  })

  it('fails by a failure that is its own, while others are only looked at again', async () => {
    const state = { status: 503 }
    const upstream = await startUpstream((call) => {
      if (call.method === 'POST') call.answer(200, { id: 'upstream-task-1' })
      else call.answer(call.method === 'DELETE' ? 409 : state.status, { detail: 'The reel is torn.' })
    })
    const reads = ({ status }: { status: number }) => status === 422 || status === 409
    const provider = videoProvider(upstream.origin, {
      get: {
        request: ({ id }) => ({ method: 'GET', url: `/tasks/${id}` }),
        response: ({ body }) => ({
          status: 'failed',
          error: { kind: 'invalid-request', message: String(object(body)?.['detail']) },
        }),
        reads,
      },
      cancel: {
        request: ({ id }) => ({ method: 'DELETE', url: `/tasks/${id}` }),
        response: () => 'not-cancelable',
        reads,
      },
    })
    const { create, get, remove } = await startVideos({ providers: [provider] })
    const [, { id }] = await create()
    expect((await remove(id))[0]).toBe(409)
    expect((await get(id))[1]).toMatchObject({ status: 'queued' })
    state.status = 422
    await vi.waitFor(async () => expect((await get(id))[1]).toMatchObject({ status: 'failed' }), 60_000)
    expect((await get(id))[1]).toMatchObject({ error: { code: 'InvalidParameter', message: 'The reel is torn.' } })
  })
})
