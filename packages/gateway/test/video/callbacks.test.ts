import { createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { memoryTasks, type TaskStore } from '../../src/index.ts'
import type { Task } from '../../src/ports.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'
import { keptTask, SECRET, startVideos, videoProvider } from './support.ts'

const HERE = { allowPrivateCallbacks: ['127.0.0.1'] }
const SOON = { timeout: 20_000 }
const DONE = { state: 'done', url: 'https://films.example/1.mp4', seconds: 5 }

/** As a receiver does it. @see https://www.standardwebhooks.com */
function isSigned({ headers, body }: UpstreamCall): boolean {
  const key = Buffer.from(SECRET.replace('whsec_', ''), 'base64')
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body.toString('utf8')}`
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  const age = Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp']))
  return headers['webhook-signature'] === signature && age < 60
}

/** A vendor, and somebody who is called back. */
async function start(
  answer: (call: UpstreamCall, nth: number) => unknown = (call) => call.answer(200, ''),
  store: TaskStore = memoryTasks(),
) {
  const state: { now: object } = { now: { state: 'waiting' } }
  const vendor = await startUpstream((call) =>
    call.method === 'POST' ? call.answer(200, { id: 'upstream-task-1' }) : call.answer(200, state.now),
  )
  let calls = 0
  const receiver = await startUpstream((call) => answer(call, ++calls))
  const videos = await startVideos({ providers: [videoProvider(vendor.origin)] }, { store, ...HERE })
  const created = async () => String((await videos.create({ callback_url: `${receiver.origin}/hook?a=1` }))[1]['id'])
  /** The next try is now. */
  const hurry = async (id: string) =>
    vi.waitFor(async () => {
      const task = (await store.get(id)) as Task
      const callback = { ...(task.data['callback'] as object), nextAt: 0 }
      expect(
        await store.change({ ...task, version: task.version + 1, nextAt: 1, data: { ...task.data, callback } }),
      ).toBe(true)
    }, SOON)
  const dueOf = async (id: string) =>
    (await store.get(id))?.data['callback'] as { due: { status: string }[]; tries: number; nextAt: number }
  const told = () => receiver.calls.map((call) => call.json()['status'])
  return { ...videos, store, state, receiver, created, hurry, dueOf, told }
}

describe('Whoever wants to be called back', () => {
  it('is told of each state in order, signed', async () => {
    const { created, receiver, state, told } = await start()
    const id = await created()
    const queued = await receiver.next()
    expect([queued.method, queued.path, queued.headers['content-type']]).toEqual([
      'POST',
      '/hook?a=1',
      'application/json',
    ])
    state.now = { state: 'working' }
    await receiver.next()
    state.now = DONE
    const succeeded = await receiver.next()
    expect(told()).toEqual(['queued', 'running', 'succeeded'])
    expect(receiver.calls.map(isSigned)).toEqual([true, true, true])
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
    expect(succeeded.json()).toMatchObject({
      id,
      model: 'reel-1',
      content: { video_url: DONE.url },
      usage: { seconds: 5 },
    })
    for (const { body, headers } of receiver.calls)
      expect(body.toString() + JSON.stringify(headers)).not.toContain('upstream-task-1')
    expect(String(succeeded.headers['webhook-id'])).not.toContain('.')
  })

  it('is told of a failure, and of its words', async () => {
    const { created, receiver, state } = await start()
    state.now = { state: 'broken', why: 'upstream-task-1 is torn' }
    const id = await created()
    const last = await vi.waitFor(() => {
      const call = receiver.calls.find((one) => one.json()['status'] === 'failed')
      expect(call).toBeDefined()
      return call
    }, SOON)
    expect(last?.json()['error']).toEqual({ code: 'InternalServiceError', message: `${id} is torn` })
  })

  it('is told again under the same id, as it was then, and the rest after it', async () => {
    const { created, get, hurry, dueOf, receiver, state, told } = await start((call, nth) =>
      call.answer(nth === 1 ? 500 : 204, ''),
    )
    const id = await created()
    const first = await receiver.next()
    state.now = DONE
    await vi.waitFor(async () => expect((await get(id))[1]).toMatchObject({ status: 'succeeded' }), SOON)
    const { due, tries, nextAt } = await dueOf(id)
    expect([due.map(({ status }) => status), tries]).toEqual([['queued', 'succeeded'], 1])
    expect(nextAt - Date.now()).toBeGreaterThan(1_000)
    expect(receiver.calls).toHaveLength(1)
    await hurry(id)
    const again = await receiver.next()
    expect(again.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect([again.json()['status'], isSigned(again)]).toEqual(['queued', true])
    for (const name of ['content', 'usage', 'error']) expect(again.json()).not.toHaveProperty(name)
    await receiver.next()
    expect(told()).toEqual(['queued', 'queued', 'succeeded'])
    await vi.waitFor(async () => expect(await dueOf(id)).toMatchObject({ due: [], tries: 0 }), SOON)
  })

  it('has five seconds to answer', async () => {
    const { created, dueOf } = await start(() => {})
    const id = await created()
    const begun = Date.now()
    await vi.waitFor(async () => expect(await dueOf(id)).toMatchObject({ tries: 1 }), SOON)
    expect(Date.now() - begun).toBeGreaterThan(4_500)
  })

  it('is given up, with a warning, and is told what comes next', async () => {
    const { created, dueOf, hurry, receiver, state, warnings } = await start((call, nth) =>
      call.answer(nth > 8 ? 200 : 410, ''),
    )
    const id = await created()
    for (let tries = 1; tries <= 7; tries++) {
      await vi.waitFor(async () => expect((await dueOf(id)).tries).toBe(tries), SOON)
      await hurry(id)
    }
    await vi.waitFor(async () => expect(await dueOf(id)).toMatchObject({ due: [], tries: 0 }), SOON)
    expect(receiver.calls).toHaveLength(8)
    expect(warnings.join()).toMatch(new RegExp(`callback of task ${id} was abandoned: .*410`))
    state.now = { state: 'working' }
    await vi.waitFor(() => expect(receiver.calls.at(-1)?.json()['status']).toBe('running'), SOON)
  })
})

describe('An address to be called back at', () => {
  it.each([
    'http://127.0.0.1:1/hook',
    'http://localhost:1/hook',
    'http://[::1]/hook',
    'http://10.0.0.7/',
    'http://169.254.169.254/latest',
    'http://[::ffff:127.0.0.1]/',
    'http://2130706433/',
    'ftp://example.com/',
    'https://me:secret@example.com/',
    'hook',
  ])('is refused at the creation: %s', async (url) => {
    const vendor = await startUpstream((call) => call.answer(200, { id: 'upstream-task-1' }))
    const { create } = await startVideos({ providers: [videoProvider(vendor.origin)] })
    expect(await create({ callback_url: url })).toMatchObject([
      400,
      { error: { param: 'callback_url', code: 'InvalidParameter' } },
    ])
    expect(vendor.calls).toHaveLength(0)
  })

  it('that leads to a private one by now is not called', async () => {
    const receiver = await startUpstream((call) => call.answer(200, ''))
    const vendor = await startUpstream((call) => call.answer(200, { state: 'waiting' }))
    const store = memoryTasks()
    const url = receiver.origin.replace('127.0.0.1', 'localhost')
    await store.add(keptTask({}, { callback: { url, due: [{ status: 'queued', at: 1 }], tries: 0, nextAt: 0 } }), 0)
    await startVideos({ providers: [videoProvider(vendor.origin)] }, { store })
    await vi.waitFor(
      async () => expect((await store.get(keptTask().id))?.data['callback']).toMatchObject({ tries: 1, due: [{}] }),
      SOON,
    )
    expect(receiver.calls).toHaveLength(0)
  })

  it.each([301, 302, 307, 308])('that redirects by %s is not followed, and has not taken it', async (status) => {
    const inside = await startUpstream((call) => call.answer(200, ''))
    const { created, dueOf } = await start((call) => call.answer(status, '', { location: `${inside.origin}/secret` }))
    const id = await created()
    await vi.waitFor(async () => expect((await dueOf(id)).tries).toBe(1), SOON)
    expect(inside.calls).toHaveLength(0)
  })
})
