import { describe, expect, it, vi } from 'vitest'
import type { VideoSupport, VideoTask } from '../../../core/src/provider.ts'
import { memoryTasks, type Price, type TaskStore } from '../../src/index.ts'
import type { Task } from '../../src/ports.ts'
import { startUpstream } from '../support/upstream.ts'
import { keptTask, startVideos, videoProvider } from './support.ts'

const SOON = { timeout: 20_000 }
const VIDEO = { url: 'https://films.example/1.mp4' }

/** A vendor whose task is as a test says. */
async function start(
  said: VideoTask,
  options: object = {},
  store: TaskStore = memoryTasks(),
  changes: Partial<VideoSupport> = {},
) {
  const vendor = await startUpstream((call) => call.answer(200, { id: 'upstream-task-1', done: true }))
  const get: VideoSupport['get'] = {
    request: ({ id }) => ({ method: 'GET', url: `/tasks/${id}` }),
    response: () => said,
  }
  const provider = videoProvider(vendor.origin, { get, ...changes })
  const videos = await startVideos({ providers: [provider], ...options }, { store })
  const ended = async () => {
    const [, { id }] = await videos.create()
    await vi.waitFor(async () => expect((await videos.get(id))[1]).toMatchObject({ status: said.status }), SOON)
    return id
  }
  return { ...videos, provider, store, ended, vendor }
}

describe('The usage of a task', () => {
  it.each<readonly [string, VideoTask['usage'], number | null, object]>([
    ['tokens', { input: 0, output: 50_000 }, 100_000, { completion_tokens: 50_000, total_tokens: 50_000 }],
    ['seconds', { input: 0, output: 0, units: { seconds: 8 } }, 24_000, { seconds: 8 }],
    ['pieces', { input: 0, output: 0, units: { videos: 1 } }, 7_000, { videos: 1 }],
    ['nothing that is known', undefined, null, {}],
    ['what has no price', { input: 0, output: 0, units: { credits: 4 } }, null, { credits: 4 }],
  ])('is one row when it ends: by %s', async (_, usage, cost, told) => {
    const prices = {
      'films/reel-1': {
        id: 'list@1',
        input: 0,
        output: 2_000_000,
        units: { seconds: 3_000_000_000, videos: 7_000_000_000 },
      } satisfies Price,
    }
    const { ended, get, rows } = await start({ status: 'succeeded', video: VIDEO, ...(usage && { usage }) }, { prices })
    const id = await ended()
    await get(id)
    const { usage: said = {} } = (await get(id))[1]
    expect(said).toEqual(told)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      family: 'video',
      format: 'ark',
      model: 'reel-1',
      provider: 'films',
      principal: 'key-1',
      status: 200,
      cost,
      charged: cost,
    })
    expect(rows[0]).toMatchObject({ billed: cost !== null, priceId: cost === null ? null : 'list@1' })
    expect(rows[0]?.attempts).toMatchObject([{ provider: 'films', model: 'reel-1', status: 200, cost }])
  })

  it.each<readonly [VideoTask, number | null, string]>([
    [{ status: 'failed', error: { kind: 'failed', message: 'No.' } }, 0, 'upstream'],
    [{ status: 'failed', error: { kind: 'refused-output', message: 'No.' } }, 0, 'content-policy'],
    [
      {
        status: 'failed',
        error: { kind: 'over-quota', message: 'No.' },
        usage: { input: 0, output: 0, units: { seconds: 5 } },
      },
      5_000,
      'upstream',
    ],
    [{ status: 'cancelled' }, 0, 'canceled'],
    [{ status: 'expired' }, null, 'timeout'],
  ])('of one that made nothing is recorded, and not billed: %j', async (said, cost, failure) => {
    const { ended, rows } = await start(said)
    await ended()
    expect(rows).toMatchObject([
      { billed: false, charged: 0, cost, failure, why: failure === 'canceled' ? failure : said.status },
    ])
  })

  it('is priced by what held when it was made', async () => {
    const made = Date.now() - 3_600_000
    const asked: number[] = []
    const price = (id: string, seconds: number): Price => ({ id, input: 0, output: 0, units: { seconds } })
    const prices = {
      priceOf: (_: string, __: string, at: number) => {
        asked.push(at)
        return at <= made ? price('old', 1_000_000_000) : price('new', 9_000_000_000)
      },
    }
    const store = memoryTasks()
    await store.add(keptTask({ createdAt: made }), 0)
    const { rows } = await start(
      { status: 'succeeded', video: VIDEO, usage: { input: 0, output: 0, units: { seconds: 5 } } },
      { prices },
      store,
    )
    await vi.waitFor(() => expect(rows).toMatchObject([{ cost: 5_000, priceId: 'old', startedAt: made }]), SOON)
    expect(asked).toEqual([made])
  })

  it('is one row where two gateways see the end', async () => {
    const store = memoryTasks()
    const said: { now: VideoTask } = { now: { status: 'running' } }
    const get: VideoSupport['get'] = {
      request: ({ id }) => ({ method: 'GET', url: `/tasks/${id}` }),
      response: () => said.now,
    }
    const first = await start(said.now, {}, store, { get })
    const second = await startVideos({ providers: [first.provider] }, { store })
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await first.create())[1]['id']))
    said.now = { status: 'succeeded', video: VIDEO, usage: { input: 0, output: 0, units: { seconds: 1 } } }
    await vi.waitFor(async () => {
      const seen = await Promise.all(ids.flatMap((id) => [first.get(id), second.get(id), first.get(id)]))
      expect(new Set(seen.map(([, { status }]) => status))).toEqual(new Set(['succeeded']))
    }, SOON)
    const rows = [...first.rows, ...second.rows]
    expect(rows).toHaveLength(10)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(10)
  })

  it('has the same id where it has to be written again', async () => {
    const store = memoryTasks()
    let isBroken = true
    const change = async (task: Task): Promise<boolean> => {
      if (!isBroken || task.status !== 'succeeded') return store.change(task)
      isBroken = false
      // Whoever had it is gone: nobody waits until it may be tried again.
      throw new Error('The disk is full.')
    }
    const hold = (id: string, until: number): Promise<void> => store.hold(id, Math.min(until, Date.now()))
    const said: VideoTask = { status: 'succeeded', video: VIDEO, usage: { input: 0, output: 0, units: { seconds: 1 } } }
    const { ended, rows } = await start(said, {}, { ...store, change, hold })
    await ended()
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({ id: rows[1]?.id, cost: rows[1]?.cost, startedAt: rows[1]?.startedAt })
  })
})
