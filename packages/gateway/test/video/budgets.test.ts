import { describe, expect, it, vi } from 'vitest'
import { memoryBudgets, memoryTasks, type Price, type UsageRow } from '../../src/index.ts'
import { SPENT, TIED_UP, verdict } from '../support/budgets.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'
import { startVideos, TASKS, videoProvider } from './support.ts'

const SOON = { timeout: 20_000 }
const VIDEO = { status: 'succeeded', video: { url: 'https://films.example/1.mp4' } } as const
const usage = (seconds: number) => ({ usage: { input: 0, output: 0, units: { seconds } } })
/** Ten cents a second. */
const prices = {
  'films/reel-1': { id: 'list@1', input: 0, output: 0, units: { seconds: 100_000_000_000_000 } } satisfies Price,
}
const asked = { model: 'reel-1', content: [{ type: 'text', text: 'a cat surfing' }], duration: 5 }

type Said = Parameters<typeof videoProvider>[1] extends infer _ ? Record<string, unknown> : never

/** A vendor whose tasks are as a test says, behind a budget of so many cents. */
async function start(
  cents: number,
  handler: (call: UpstreamCall) => unknown = (call) => call.answer(200, { id: 'upstream-task-1' }),
) {
  const said: { now: Said } = { now: { status: 'running' } }
  const upstream = await startUpstream((call) => (call.method === 'POST' ? handler(call) : call.answer(200, {})))
  const limit = BigInt(cents) * 10_000_000n
  const budgets = memoryBudgets({ budgets: [{ owner: 'key-1', name: 'team', limit, period: 'month' }] })
  const store = memoryTasks()
  const provider = videoProvider(upstream.url, {
    capabilities: { durations: { min: 2, max: 8 } },
    get: { request: ({ id }) => ({ method: 'GET', url: `/tasks/${id}` }), response: () => said.now as never },
  })
  const open = () => startVideos({ providers: [provider], prices, budgets }, { store })
  const videos = await open()
  const state = () => {
    const [one] = budgets.state()
    return { spent: Number(one?.spent) / 10_000_000, held: Number(one?.held) / 10_000_000 }
  }
  const settled = (rows: readonly UsageRow[]) => vi.waitFor(() => expect(rows).toHaveLength(1), SOON)
  return { ...videos, open, state, said, upstream, settled }
}

describe('A budget of videos', () => {
  it('holds the seconds that are asked for until the task ends, and counts those that were made', async () => {
    const { create, get, post, state, said, rows, settled } = await start(80)
    const [status, { id }] = await create({ duration: 5 })
    expect([status, state()]).toEqual([200, { spent: 0, held: 50 }])
    expect(verdict(await post(TASKS, asked))).toEqual(TIED_UP)
    expect(verdict(await post(TASKS, { ...asked, duration: 8 }))).toEqual(TIED_UP)
    said.now = { ...VIDEO, ...usage(4) }
    await get(id)
    await settled(rows)
    expect(state()).toEqual({ spent: 40, held: 0 })
    const refused = await post(TASKS, asked)
    expect([verdict(refused), await refused.json()]).toMatchObject([
      SPENT,
      {
        error: {
          code: 'QuotaExceeded',
          type: 'TooManyRequests',
          message: expect.stringContaining('0.4 of 0.8 dollars a month are spent'),
        },
      },
    ])
  })

  it('holds as long a video as the model makes where no length is asked for', async () => {
    const { create, state } = await start(100)
    await create({ duration: -1 })
    expect(state()).toEqual({ spent: 0, held: 80 })
  })

  it('counts a task that failed as nothing', async () => {
    const { create, get, state, said, rows, settled } = await start(100)
    const [, { id }] = await create({ duration: 5 })
    said.now = { status: 'failed', error: { kind: 'failed', message: 'No.' } }
    await get(id)
    await settled(rows)
    expect([rows[0]?.charged, state()]).toEqual([0, { spent: 0, held: 0 }])
  })

  it('counts a task by the row of its creation, whichever gateway sees its end', async () => {
    const { create, open, state, said, gateway, rows } = await start(100)
    const [, { id }] = await create({ duration: 5 })
    await gateway.close()
    expect(state()).toEqual({ spent: 0, held: 50 })
    const other = await open()
    said.now = { ...VIDEO, ...usage(5) }
    await other.get(id)
    await vi.waitFor(() => expect(other.rows).toHaveLength(1), SOON)
    expect([rows, state()]).toEqual([[], { spent: 50, held: 0 }])
  })

  it('gives back what a creation would have cost that was refused', async () => {
    const { create, state, rows } = await start(100, (call) => call.answer(400, { error: { message: 'No.' } }))
    expect((await create({ duration: 5 }))[0]).toBe(400)
    expect([rows, state()]).toMatchObject([[{ cost: 0 }], { spent: 0, held: 0 }])
  })

  it('holds what a creation may have cost that was not answered, until it is known', async () => {
    const { create, state, rows, settled } = await start(100, (call) => call.cut())
    const [status] = await create({ duration: 5 })
    expect(status).toBe(200)
    await settled(rows)
    // The upstream may have created it: its cost stays held.
    expect([rows[0], state()]).toMatchObject([
      { cost: null, charged: 0 },
      { spent: 50, held: 0 },
    ])
  })

  it('holds what a task may cost that does not end in time', async () => {
    const { create, state, store, rows, settled } = await start(100)
    const [, { id }] = await create({ duration: 5 })
    await vi.waitFor(async () => {
      const task = await store.get(String(id))
      const late = task && { ...task, version: task.version + 1, data: { ...task.data, expiresAt: 1 } }
      expect(late && (await store.change(late))).toBe(true)
    }, SOON)
    await settled(rows)
    expect([rows[0], state()]).toMatchObject([
      { cost: null, charged: 0, failure: 'timeout' },
      { spent: 50, held: 0 },
    ])
  })

  it('makes no task where there is no money, and asks nobody', async () => {
    const { post, list, state, upstream } = await start(49)
    expect(verdict(await post(TASKS, asked))).toEqual(SPENT)
    expect([upstream.calls, (await list())[1], state()]).toMatchObject([[], { total: 0 }, { spent: 0, held: 0 }])
  })

  it('refuses what is priced by what nobody knows before it is made', async () => {
    const { post } = await start(100)
    const clip = [{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' }, role: 'reference_video' }]
    const refused = await post(TASKS, { ...asked, content: [...asked.content, ...clip] })
    expect([verdict(refused), await refused.text()]).toEqual([
      SPENT,
      expect.stringContaining('The worst-case cost of this request is unknown'),
    ])
  })
})
