import { describe, expect, it, vi } from 'vitest'
import type { VideoSupport, VideoTask } from '../../../core/src/provider.ts'
import { memoryTasks, type TaskStore } from '../../src/index.ts'
import type { Task } from '../../src/ports.ts'
import { startUpstream } from '../support/upstream.ts'
import { startVideos, keptTask as task, videoProvider } from './support.ts'

const SOON = { timeout: 20_000 }

/** A vendor whose tasks are as a test says: a status, a body, headers. */
async function start(changes: Partial<VideoSupport> = {}, kept: TaskStore = memoryTasks()) {
  const state = {
    status: 200,
    body: { state: 'waiting' } as unknown,
    headers: {} as Record<string, string>,
    cancel: { done: true } as unknown,
  }
  const upstream = await startUpstream((call) => {
    if (call.method === 'POST') call.answer(200, { id: 'upstream-task-1' })
    else if (call.method === 'DELETE') call.answer(200, state.cancel)
    else call.answer(state.status, state.body, state.headers)
  })
  const videos = await startVideos({ providers: [videoProvider(upstream.origin, changes)] }, { store: kept })
  const of = (method: string) => upstream.calls.filter((call) => call.method === method)
  const created = async (body: object = {}) => String((await videos.create(body))[1]['id'])
  const becomes = (id: string, expected: object) =>
    vi.waitFor(async () => expect((await videos.get(id))[1]).toMatchObject(expected), SOON)
  return { ...videos, upstream, state, of, created, becomes }
}

describe('The state of a task', () => {
  const said = (status: VideoTask['status']): VideoTask => ({
    status,
    ...(status === 'succeeded' && { video: { url: 'https://films.example/1.mp4' } }),
    ...(status === 'failed' && { error: { kind: 'refused-output', message: 'Too wet.' } }),
  })

  it.each(['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const)(
    'is %s where the upstream says so',
    async (status) => {
      const { created, becomes, rows } = await start({
        get: { request: () => ({ method: 'GET', url: '/' }), response: () => said(status) },
      })
      const id = await created()
      await becomes(id, { id, status })
      const row = { succeeded: 200, failed: 400, cancelled: 499, expired: 500, queued: undefined, running: undefined }[
        status
      ]
      expect(rows.map((one) => one.status)).toEqual(row === undefined ? [] : [row])
    },
  )

  it('stays as it ended, whatever the upstream says then', async () => {
    const { created, becomes, state, upstream, get, gateway } = await start()
    state.body = { state: 'broken', why: 'No film.' }
    const id = await created()
    await becomes(id, { status: 'failed', error: { code: 'InternalServiceError', message: 'No film.' } })
    const looks = upstream.calls.length
    state.body = { state: 'done', url: 'https://films.example/1.mp4', seconds: 5 }
    expect((await get(id))[1]).toMatchObject({ status: 'failed' })
    await gateway.close()
    expect(upstream.calls).toHaveLength(looks)
  })

  it('never goes back from running to queued', async () => {
    const { created, becomes, state, get, upstream } = await start()
    state.body = { state: 'working' }
    const id = await created()
    await becomes(id, { status: 'running' })
    state.body = { state: 'waiting' }
    const { calls } = upstream
    const looks = calls.length
    await vi.waitFor(async () => {
      expect((await get(id))[1]).toMatchObject({ status: 'running' })
      expect(calls.length).toBeGreaterThan(looks + 1)
    }, SOON)
  })

  it('is no success without a file', async () => {
    const { created, becomes } = await start({
      get: { request: () => ({ method: 'GET', url: '/' }), response: () => ({ status: 'succeeded', progress: 0.5 }) },
    })
    await becomes(await created(), { status: 'running', progress: 0.5 })
  })

  it('ends as expired where the upstream says what nobody knows', async () => {
    const store = memoryTasks()
    await store.add(task({}, { expiresAt: Date.now() + 1_500 }), 0)
    const { becomes, state, rows, of } = await start({}, store)
    state.body = { state: 'pondering' }
    await becomes(task().id, { status: 'running' })
    await becomes(task().id, { status: 'expired', error: { code: 'TaskExpired' } })
    expect(rows).toMatchObject([{ status: 500, failure: 'timeout', billed: false, charged: 0, cost: null }])
    expect(of('DELETE')).toHaveLength(1)
  })

  it('is what the upstream says at last, where it is over when it runs out', async () => {
    const store = memoryTasks()
    await store.add(task({ status: 'running' }, { expiresAt: Date.now() - 1 }), 0)
    const kept = await start({}, store)
    kept.state.body = { state: 'done', url: 'https://films.example/1.mp4', seconds: 5 }
    await vi.waitFor(async () => expect((await store.get(task().id))?.status).not.toBe('running'), SOON)
    expect((await store.get(task().id))?.status).toMatch(/succeeded|expired/)
  })

  it('waits for a provider that is not there, and ends as expired', async () => {
    const store = memoryTasks()
    await store.add(task({ id: 'cgt-1', provider: 'gone' }), 0)
    await store.add(task({ id: 'cgt-2', provider: 'gone' }, { expiresAt: Date.now() - 1 }), 0)
    const { becomes, rows } = await start({}, store)
    await becomes('cgt-2', { status: 'expired' })
    await becomes('cgt-1', { status: 'queued' })
    expect(rows).toMatchObject([{ provider: 'gone', billed: false }])
  })
})

describe('A look at a task', () => {
  it('is had at once of whoever has its provider, though another process has not', async () => {
    const store = memoryTasks()
    await store.add(task(), 0)
    const elsewhere = await startVideos({ providers: [videoProvider('http://127.0.0.1:9', {}, 'others')] }, { store })
    await vi.waitFor(async () => expect((await store.get(task().id))?.version).toBeGreaterThan(task().version), SOON)
    await elsewhere.gateway.close()
    const { becomes, state } = await start({}, store)
    state.body = { state: 'working' }
    await becomes(task().id, { status: 'running' })
  })

  it('that does not find it three times ends it', async () => {
    const { created, becomes, state, of } = await start()
    state.status = 404
    state.body = { error: { message: 'No task upstream-task-1.' } }
    await becomes(await created(), { status: 'failed', error: { code: 'UpstreamTaskNotFound' } })
    expect(of('GET')).toHaveLength(3)
  })

  it('that finds it in between begins to count anew', async () => {
    const store = memoryTasks()
    await store.add(task({}, { missing: 2 }), 0)
    const { state, of } = await start({ pollRate: { everyMs: 1, perSecond: 1_000 } }, store)
    await vi.waitFor(
      async () => expect((await store.get(task().id))?.data).toMatchObject({ missing: 0, misses: 0 }),
      SOON,
    )
    state.status = 404
    const looks = of('GET').length
    await vi.waitFor(async () => expect((await store.get(task().id))?.status).toBe('failed'), SOON)
    expect(of('GET').length).toBeGreaterThanOrEqual(looks + 2)
  })

  it.each([500, 502, 503, 429, 401])('that fails with %s never ends it', async (status) => {
    const store = memoryTasks()
    const { created, becomes, state } = await start({}, store)
    state.status = status
    const id = await created()
    await vi.waitFor(async () => expect(Number((await store.get(id))?.data['misses'])).toBeGreaterThan(2), SOON)
    expect(await store.get(id)).toMatchObject({ status: 'queued' })
    state.status = 200
    state.body = { state: 'working' }
    await becomes(id, { status: 'running' })
  })

  it('is not made before the upstream wants it, whoever asks', async () => {
    const store = memoryTasks()
    const { created, get, state, of } = await start({}, store)
    state.status = 429
    state.headers = { 'retry-after': '30' }
    const id = await created()
    await vi.waitFor(async () => expect(Number((await store.get(id))?.data['misses'])).toBe(1), SOON)
    const kept = await store.get(id)
    expect(Number(kept?.nextAt) - Date.now()).toBeGreaterThan(25_000)
    // What is known is older than what is looked up anew.
    await store.change({ ...(kept as Task), version: (kept?.version ?? 0) + 1, data: { ...kept?.data, lookedAt: 0 } })
    expect((await get(id))[1]).toMatchObject({ id, status: 'queued' })
    expect(of('GET')).toHaveLength(1)
  })

  it('is not repeated at once where it fails here', async () => {
    const store = memoryTasks()
    const holds: number[] = []
    const broken: TaskStore = {
      ...store,
      change: async (task) => {
        if (task.status === 'running') throw new Error('The disk is full.')
        return store.change(task)
      },
      hold: async (id, until) => {
        holds.push(until - Date.now())
        return store.hold(id, until)
      },
    }
    const { created, state, warnings } = await start({}, broken)
    state.body = { state: 'working' }
    await created()
    await vi.waitFor(() => expect(holds).toHaveLength(1), SOON)
    expect(holds[0]).toBeGreaterThan(4_000)
    expect(warnings.join()).toContain('The disk is full.')
  })
})

describe('A list of tasks', () => {
  async function listed() {
    const store = memoryTasks()
    const now = Date.now()
    const never = { nextAt: now + 60_000 }
    const tasks = Array.from({ length: 25 }, (_, n) =>
      task({ id: `cgt-${String(n).padStart(2, '0')}`, createdAt: now - n * 1_000, ...never }),
    )
    const others = [
      task({ id: 'cgt-flex', tier: 'flex', createdAt: now - 60_000, ...never }),
      task({ id: 'cgt-hero', model: 'hero', createdAt: now - 61_000, ...never }),
      task(
        { id: 'cgt-lost', status: 'failed', createdAt: now - 62_000, keptUntil: now + 99_000 },
        { failure: { kind: 'over-quota', message: 'Y' } },
      ),
      task({ id: 'cgt-old', createdAt: now - 8 * 86_400_000, ...never }),
      task({ id: 'cgt-other', owner: 'key-2', ...never }),
    ]
    for (const one of [...tasks, ...others]) await store.add(one, now + 60_000)
    const { list } = await start({}, store)
    const ids = async (query: string) => {
      const [status, { items, total }] = await list(query)
      expect(status).toBe(200)
      return [((items ?? []) as { id: string }[]).map(({ id }) => id), total]
    }
    return { list, ids, all: tasks.map(({ id }) => id) }
  }

  it('has the newest first, twenty to a page, of seven days', async () => {
    const { ids, all } = await listed()
    expect(await ids('')).toEqual([all.slice(0, 20), 27])
    expect(await ids('?page_num=2')).toEqual([[...all.slice(20), 'cgt-hero', 'cgt-lost'], 27])
    expect(await ids('?page_num=3&page_size=10')).toEqual([[...all.slice(20), 'cgt-hero', 'cgt-lost'], 27])
    expect(await ids('?page_num=500&page_size=500')).toEqual([[], 27])
  })

  it('has what its filters say', async () => {
    const { list, ids } = await listed()
    expect(await ids('?filter.status=failed')).toEqual([['cgt-lost'], 1])
    expect(await ids('?filter.status=expired')).toEqual([[], 0])
    expect(await ids('?filter.service_tier=flex')).toEqual([['cgt-flex'], 1])
    expect(await ids('?filter.model=hero')).toEqual([['cgt-hero'], 1])
    expect(await ids('?filter.task_ids=cgt-03&filter.task_ids=cgt-01&filter.task_ids=cgt-other')).toEqual([
      ['cgt-01', 'cgt-03'],
      2,
    ])
    expect(await ids('?filter.task_ids=cgt-03,cgt-old')).toEqual([['cgt-03'], 1])
    expect((await ids('?filter.task_ids='))[1]).toBe(27)
    expect((await list('?filter.status=failed'))[1]).toMatchObject({
      items: [{ error: { code: 'QuotaExceeded' }, failure_reason: { code: 'QuotaExceeded', message: 'Y' } }],
    })
  })

  it.each(['page_num=0', 'page_num=501', 'page_size=1.5', 'page_size=x', 'filter.status=odd'])(
    'refuses %s by its name',
    async (query) => {
      const { list } = await listed()
      expect(await list(`?${query}`)).toMatchObject([400, { error: { param: query.split('=')[0] } }])
    },
  )
})

describe('Who deletes a task', () => {
  it('that waits cancels it; it goes by itself then', async () => {
    const { created, remove, get, of, list } = await start()
    const id = await created()
    expect(await remove(id)).toEqual([200, {}])
    expect((await get(id))[1]).toMatchObject({ status: 'cancelled' })
    expect(of('DELETE').map(({ path }) => path)).toEqual(['/tasks/upstream-task-1'])
    expect(await remove(id)).toMatchObject([409, { error: { type: 'Conflict' } }])
    expect((await list('?filter.status=cancelled'))[1]).toMatchObject({ total: 1 })
  })

  it('that has begun meanwhile is refused, and the upstream is not asked to stop', async () => {
    const { created, remove, get, of, state } = await start()
    const id = await created()
    await vi.waitFor(async () => expect((await get(id))[1]).toMatchObject({ status: 'queued' }), { timeout: 20_000 })
    state.body = { state: 'working' }
    expect(await remove(id)).toMatchObject([
      409,
      { error: { code: 'InvalidAction.RunningTaskDeletion', type: 'Conflict' } },
    ])
    expect((await get(id))[1]).toMatchObject({ status: 'running' })
    expect((await remove(id))[0]).toBe(409)
    expect(of('DELETE')).toHaveLength(0)
  })

  it('that the upstream does not cancel any more is refused, and it is kept', async () => {
    const { created, remove, get, state, gateway } = await start()
    state.cancel = { done: false }
    const id = await created()
    expect((await remove(id))[0]).toBe(409)
    expect((await get(id))[1]).toMatchObject({ status: 'queued' })
    expect(gateway.openapi()).toHaveProperty([
      'paths',
      '/api/v3/contents/generations/tasks/{id}',
      'delete',
      'responses',
      '409',
    ])
  })

  it('is told nothing of the upstream', async () => {
    const upstream = await startUpstream((call) => {
      if (call.method === 'POST') call.answer(200, { id: 'upstream-task-1' })
      else if (call.method === 'GET') call.answer(200, { state: 'waiting' })
      else call.answer(503, { error: { message: 'No upstream-task-1 now.' } })
    })
    const { create, remove } = await startVideos({ providers: [videoProvider(upstream.origin)] })
    const [, { id }] = await create()
    const [status, answer] = await remove(id)
    expect(status).toBe(500)
    expect(JSON.stringify(answer)).toContain(`No ${String(id)} now`)
    expect(JSON.stringify(answer)).not.toContain('upstream-task-1')
  })

  it('is refused where nobody can cancel', async () => {
    const { upstream } = await start()
    const { cancel: _, ...video } = videoProvider(upstream.origin).video ?? (undefined as never)
    const { create, remove, get } = await startVideos({ providers: [{ ...videoProvider(upstream.origin), video }] })
    const [, { id }] = await create()
    expect(await remove(id)).toMatchObject([
      409,
      { error: { message: expect.stringContaining('films does not support canceling') } },
    ])
    expect((await get(id))[0]).toBe(200)
  })

  it.each(['succeeded', 'failed', 'expired'] as const)('that has %s removes it', async (status) => {
    const store = memoryTasks()
    const { nextAt: _, ...over } = task({ status, keptUntil: Date.now() + 60_000 })
    await store.add(over, 0)
    const { remove, get, list } = await start({}, store)
    expect(await remove(over.id)).toEqual([200, {}])
    expect((await get(over.id))[0]).toBe(404)
    expect((await remove(over.id))[0]).toBe(404)
    expect((await list())[1]).toMatchObject({ total: 0 })
  })
})
