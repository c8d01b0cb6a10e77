import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import type { WorkerOrder } from '../src/cluster/messages.ts'
import { createReports, mergedHealth, summedText } from '../src/cluster/reports.ts'
import type { Snapshot } from '../src/service/snapshot.ts'

async function snapshot(count: number, writable: number): Promise<Snapshot> {
  const registry = new Registry()
  const registers = [registry]
  new Counter({ name: 'requests_total', help: 'h', labelNames: ['status'], registers }).inc({ status: '2xx' }, count)
  new Gauge({ name: 'open', help: 'h', registers }).set(count)
  new Gauge({ name: 'writable', help: 'h', aggregator: 'min', registers }).set(writable)
  new Histogram({ name: 'seconds', help: 'h', buckets: [1, 2], registers }).observe(count)
  return registry.getMetricsAsJSON()
}

/** Two workers of which each reports what it is given. */
function gatheringOf(reports: (Snapshot | readonly string[])[]) {
  const slots = [1, 2].map((number) => ({ number, up: true, startedAt: 0, quickDeaths: 0 }))
  const gathering = createReports({
    slots,
    tell: ({ number }, order: WorkerOrder) =>
      order.kind === 'report' && gathering.reported(order.id, reports[number - 1] ?? []),
  })
  const metrics = async () =>
    summedText((await gathering.gather('metrics')).map((one) => one.filter((part) => typeof part !== 'string')))
  return { gathering, slots, metrics }
}

describe('The metrics of several workers', () => {
  it('are added up, but for what is a state of each', async () => {
    const { metrics } = gatheringOf([await snapshot(1, 1), await snapshot(2, 0)])
    const text = await metrics()
    for (const line of [
      'requests_total{status="2xx"} 3',
      'open 3',
      'writable 0',
      'seconds_bucket{le="1"} 1',
      'seconds_bucket{le="2"} 2',
      'seconds_sum 3',
    ])
      expect(text.split('\n')).toContain(line)
  })

  it('keep what a worker had counted that is gone: a sum that shrinks would count it again', async () => {
    const reports = [await snapshot(5, 1), await snapshot(2, 1)]
    const { gathering, slots, metrics } = gatheringOf(reports)
    expect(await metrics()).toContain('requests_total{status="2xx"} 7\n')
    const [first] = slots
    if (first) gathering.forget(first)
    reports[0] = await snapshot(1, 1)
    const text = await metrics()
    for (const line of ['requests_total{status="2xx"} 8', 'open 3', 'seconds_count 3'])
      expect(text.split('\n')).toContain(line)
    if (first) gathering.forget(first)
    reports[0] = await snapshot(1, 1)
    expect(await metrics()).toContain('requests_total{status="2xx"} 9\n')
  })
})

describe('The health that several workers know', () => {
  it('has the newest overrun of a model, and the number of all', () => {
    const overrun = { count: 2, at: 1, limit: 10, output: 30 }
    const newer = { count: 3, at: 5, limit: 20, output: 60 }
    const reports = [overrun, newer].map((one) => [JSON.stringify({ provider: 'a', model: 'm', overrun: one })])
    expect(mergedHealth(reports)).toEqual([{ provider: 'a', model: 'm', overrun: { ...newer, count: 5 } }])
  })
})

describe('The health of an endpoint that several workers call', () => {
  const merged = (reports: readonly object[]) =>
    mergedHealth(reports.map((report) => [JSON.stringify({ provider: 'a', endpoint: 'eu', model: 'm', ...report })]))

  it('has the sums of calls and the longest cooldown', () => {
    const one = { inFlight: 2, limit: 10, recent: { calls: 5, failures: 1 }, restsUntil: 700 }
    const other = { inFlight: 1, limit: 4, recent: { calls: 2, failures: 2 }, restsUntil: 900 }
    expect(merged([one, other, {}])).toEqual([
      {
        provider: 'a',
        endpoint: 'eu',
        model: 'm',
        inFlight: 3,
        limit: 14,
        recent: { calls: 7, failures: 3 },
        restsUntil: 900,
      },
    ])
  })

  it('has the upstream limit of the latest window, and the least of it', () => {
    const [early, late, least] = [
      { remaining: { requests: 1, resetAt: 100 } },
      { remaining: { requests: 9, resetAt: 200 } },
      { remaining: { requests: 7, resetAt: 200 } },
    ]
    expect(merged([early, late, least])).toMatchObject([{ remaining: { requests: 7, resetAt: 200 } }])
  })

  it('is separate from other endpoints of the provider', () => {
    const reports = merged([{ inFlight: 1 }, { endpoint: 'us', inFlight: 5 }])
    expect(reports.map(({ endpoint, inFlight }) => [endpoint, inFlight])).toEqual([
      ['eu', 1],
      ['us', 5],
    ])
  })
})

describe('The readiness of several workers', () => {
  it('has the reasons of each, and who does not serve yet', async () => {
    const { gathering, slots } = gatheringOf([[], ['the store can not be written']])
    expect((await gathering.gather('readiness')).flat()).toEqual(['worker 2: the store can not be written'])
    const [first] = slots
    if (first) first.up = false
    expect((await gathering.gather('readiness')).flat()).toEqual([
      'worker 1: it is being started',
      'worker 2: the store can not be written',
    ])
  })
})
