import { expect, it, vi } from 'vitest'
import { memoryTasks } from '../../src/index.ts'
import { startUpstream } from '../support/upstream.ts'
import { keptTask, startVideos, videoProvider } from './support.ts'

const PACE = 10
const NAMES = ['one', 'two', 'three']

it('10,000 open tasks are looked at as often as each provider allows, and no more, by two gateways', async () => {
  const store = memoryTasks()
  const upstreams = await Promise.all(NAMES.map(() => startUpstream((call) => call.answer(200, { state: 'working' }))))
  const providers = upstreams.map(({ origin }, n) => ({
    ...videoProvider(origin, { pollRate: { everyMs: 1, perSecond: PACE } }),
    name: NAMES[n] ?? '',
  }))
  for (let n = 0; n < 10_000; n++)
    await store.add(
      keptTask({ id: `cgt-${String(n).padStart(5, '0')}`, provider: NAMES[n % 3] ?? '' }, { intent: `i${n}` }),
      0,
    )
  const begun = Date.now()
  const gateways = [await startVideos({ providers }, { store }), await startVideos({ providers }, { store })]
  const [first] = gateways
  const ids = ['cgt-00000', 'cgt-00001', 'cgt-00002', 'cgt-09999']
  // Whoever asks all the time makes it no more.
  await vi.waitFor(
    async () => {
      await Promise.all(gateways.flatMap(({ get }) => ids.map((id) => get(id))))
      expect(Date.now() - begun).toBeGreaterThan(2_000)
    },
    { timeout: 20_000, interval: 20 },
  )
  const seconds = (Date.now() - begun) / 1_000
  for (const { calls } of upstreams) {
    expect(calls.length).toBeLessThanOrEqual(PACE * (Math.ceil(seconds) + 1))
    expect(calls.length).toBeGreaterThanOrEqual(PACE * Math.floor(seconds) * 0.5)
  }
  const times: number[] = []
  for (let n = 0; n < 100; n++) {
    const before = performance.now()
    expect((await first?.list('?page_size=100'))?.[1]).toMatchObject({ total: 10_000 })
    times.push(performance.now() - before)
  }
  times.sort((a, b) => a - b)
  expect(times[50]).toBeLessThan(200)
})
