import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { object, text, type VideoSupport } from '../../../core/src/provider.ts'
import { memoryTasks, type TaskStore } from '../../src/index.ts'
import type { Task } from '../../src/ports.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'
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

/** A store that fails when a test says so. */
function failing(): TaskStore & { fails: 'add' | 'change' | undefined; failed: number } {
  const store = memoryTasks()
  const one = {
    ...store,
    fails: undefined as 'add' | 'change' | undefined,
    failed: 0,
    async add(task: Task, until: number) {
      if (one.fails === 'add') throw new Error('The disk is full.')
      return store.add(task, until)
    },
    async change(task: Task) {
      if (one.fails !== 'change') return store.change(task)
      one.failed += 1
      throw new Error('The disk is full.')
    },
  }
  return one
}

describe('A store', () => {
  it('that does not take the task keeps it from being created', async () => {
    const store = failing()
    const { provider, upstream } = await vendor(accepts)
    const { create, warnings } = await startVideos({ providers: [provider] }, { store })
    store.fails = 'add'
    expect(await create()).toMatchObject([503, { error: { code: 'ServiceUnavailable' } }])
    expect(upstream.calls).toHaveLength(0)
    expect(warnings.join()).toContain('The disk is full.')
    store.fails = undefined
    expect((await create())[0]).toBe(200)
  })

  it('that does not take what came of it takes it later', async () => {
    const store = failing()
    const { provider, posted } = await vendor((call, nth) => {
      store.fails = 'change'
      accepts(call, nth)
    })
    const { create } = await startVideos({ providers: [provider] }, { store })
    const answer = create()
    await vi.waitFor(() => expect(store.failed).toBeGreaterThan(1), 60_000)
    store.fails = undefined
    const [status, { id }] = await answer
    expect(status).toBe(200)
    expect((await store.get(String(id)))?.data['ref']).toEqual({ id: 'upstream-task-1' })
    expect(posted()).toHaveLength(1)
  })

  it('that somebody else has written to meanwhile keeps what came of it', async () => {
    const store = memoryTasks()
    const { provider } = await vendor(async (call, nth) => {
      const { tasks } = await store.list({ family: 'video', owner: 'key-1', offset: 0, limit: 1 })
      for (const task of tasks)
        await store.change({ ...task, version: task.version + 1, data: { ...task.data, missing: 1 } })
      accepts(call, nth)
    })
    const { create } = await startVideos({ providers: [provider] }, { store })
    const [, { id }] = await create()
    expect((await store.get(String(id)))?.data).toMatchObject({
      ref: { id: 'upstream-task-1' },
      missing: expect.any(Number),
    })
  })
})

describe('A gateway that dies between the upstream and its answer', () => {
  /** What the next gateway finds: the intent, and that nobody has had it for a while. */
  async function died(changes: Partial<VideoSupport>) {
    const kept = memoryTasks()
    const asked = Promise.withResolvers<void>()
    const { provider, found, posted } = await vendor(() => asked.resolve(), changes)
    // What a dead process does not write any more.
    let isDead = false
    const dead: TaskStore = {
      ...kept,
      change: async (task) => (isDead ? true : kept.change(task)),
      hold: async (id, until) => (isDead ? undefined : kept.hold(id, until)),
      remove: async () => true,
      claim: async () => [],
    }
    const first = await startVideos({ providers: [provider] }, { store: dead })
    void first.create().catch(() => {})
    await asked.promise
    isDead = true
    const { tasks } = await kept.list({ family: 'video', owner: 'key-1', offset: 0, limit: 9 })
    expect(tasks).toHaveLength(1)
    const [task] = tasks as [Task]
    expect(task.nextAt).toBeGreaterThan(Date.now())
    await kept.change({ ...task, version: task.version + 1, nextAt: Date.now() })
    onTestFinished(() => first.gateway.abort())
    return { id: task.id, kept, found, posted, provider }
  }

  it('has made no task that is lost', async () => {
    const { id, kept, found, posted, provider } = await died(FIND)
    found.id = 'upstream-task-1'
    const { get } = await startVideos({ providers: [provider] }, { store: kept })
    await vi.waitFor(async () => expect((await kept.get(id))?.data['ref']).toEqual({ id: 'upstream-task-1' }), 60_000)
    expect((await get(id))[1]).toMatchObject({ id, status: 'queued' })
    expect(posted()).toHaveLength(1)
  })

  it('is waited for, since it may only be slow, where the upstream has no list', async () => {
    const { id, kept, provider } = await died({})
    const { rows } = await startVideos({ providers: [provider] }, { store: kept })
    for (let looks = 1; looks < 3; looks++) {
      await vi.waitFor(async () => expect((await kept.get(id))?.data).toMatchObject({ missing: looks }), 60_000)
      const task = (await kept.get(id)) as Task
      expect(task).toMatchObject({ status: 'queued' })
      const { notBefore: _, ...data } = task.data
      await kept.change({ ...task, version: task.version + 1, nextAt: Date.now(), data })
    }
    await vi.waitFor(
      async () =>
        expect(await kept.get(id)).toMatchObject({ status: 'failed', data: { failure: { kind: 'creation-unknown' } } }),
      5_000,
    )
    expect(rows).toMatchObject([{ billed: false, charged: 0 }])
  })
})
