import type { AccessRecord, HealthReport } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { usageRow } from '../../../packages/store/test/usage-row.ts'
import { createMetrics, type MetricsOptions, type MetricsSources } from '../src/service/metrics.ts'

function access(cost: number): AccessRecord {
  return {
    requestId: 'req_1',
    method: 'POST',
    path: '/',
    status: 200,
    durationMs: 1,
    usage: usageRow({ cost, charged: cost }),
  }
}

function metrics(changes: Partial<MetricsSources> = {}, options: MetricsOptions = {}) {
  const sources: MetricsSources = {
    inFlight: () => 0,
    queued: () => 0,
    health: () => [],
    stored: () => true,
    waiting: () => 0,
    quarantined: () => 0,
    lost: () => 0,
    missed: () => 0,
    ...changes,
  }
  return createMetrics(sources, options)
}

const { model } = usageRow({})

describe('The metrics', () => {
  it('have names that follow the conventions of Prometheus', async () => {
    const { observe, text } = metrics()
    observe(access(1))
    const types = [...(await text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({
      name,
      type,
    }))
    expect(types.length).toBeGreaterThan(20)
    expect(new Set(types.map(({ name }) => name)).size).toBe(types.length)
    // `promtool check metrics` reports counters without this ending, and others with it.
    expect(types.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))).toEqual([])
  })

  it('tell served models apart, but not invented ones', async () => {
    const { observe, text } = metrics()
    const call = (name: string, status = 200): void =>
      observe({ ...access(1), status, usage: usageRow({ model: name, status }) })
    for (let count = 0; count < 1_000; count += 1) call(`made-up-${count}`, 400)
    for (let count = 0; count < 150; count += 1) call(`m${count}`)
    call('m7', 500)
    const shown = await text()
    const requests = [...shown.matchAll(/^headgate_requests_total\{.*model="([^"]+)",status="([^"]+)"\} (\d+)$/gm)].map(
      ([, ...found]) => found,
    )
    expect(requests).toHaveLength(150 + 2)
    expect(requests).toContainEqual(['m7', '2xx', '1'])
    expect(requests).toContainEqual(['m7', '5xx', '1'])
    expect(requests).toContainEqual(['_other', '4xx', '1000'])
    expect(shown.match(/^headgate_request_duration_seconds_count/gm)).toHaveLength(1)
  })

  it('add up costs in whole nano-dollars: they do not drift, and may pass 2^53', async () => {
    const { observe, text } = metrics()
    for (let count = 0; count < 3; count += 1) observe(access(100_000_000))
    expect(await text()).toContain(`headgate_cost_dollars_total{provider="mine",model="${model}"} 0.3\n`)
    for (let count = 0; count < 3; count += 1) observe(access(Number.MAX_SAFE_INTEGER))
    expect(await text()).toContain(`headgate_cost_dollars_total{provider="mine",model="${model}"} 27021598.064222973\n`)
    expect(await text()).toContain(`headgate_cost_dollars_total{provider="mine",model="${model}"} 27021598.064222973\n`)
  })

  it('show the amounts of budgets in dollars', async () => {
    const budget = { id: 'b1', scope: 'key', owner: 'k', name: 'b', period: 'day', zone: 'UTC', soft: false } as const
    const amounts = { limit: 5_000_000_000n, spent: 4_500_000_000n, leased: 1n, held: 250_000_000n }
    const { text } = metrics({ budgets: async () => [Object.assign({ counts: 'charged' as const }, budget, amounts)] })
    const shown = await text()
    for (const [name, value] of [
      ['limit', 5],
      ['used', 4.5],
      ['held', 0.25],
    ])
      expect(shown).toContain(`headgate_budget_${name}_dollars{budget="b1",scope="key"} ${value}\n`)
  })

  it('are shown without budgets if the store does not answer', async () => {
    const { text } = metrics({ budgets: () => Promise.reject(new Error('away')) })
    expect(await text()).not.toContain('headgate_budget_limit_dollars{')
  })

  it('tell outages of providers from errors of the gateway', async () => {
    const { observe, text } = metrics()
    for (const kind of ['overloaded', 'cut', 'internal', 'unavailable', 'bad-key', 'canceled'])
      observe({ requestId: 'req_1', method: 'POST', path: '/', status: 500, durationMs: 1, error: { kind } })
    const faults = [...(await text()).matchAll(/^headgate_failures_total\{.*kind="([^"]+)",fault="([^"]+)"\} 1$/gm)]
    expect(faults.map(([, ...found]) => found)).toEqual([
      ['overloaded', 'provider'],
      ['cut', 'provider'],
      ['internal', 'gateway'],
      ['unavailable', 'gateway'],
      ['bad-key', 'caller'],
      ['canceled', 'caller'],
    ])
  })

  it('count responses with more output than their limit', async () => {
    const { observe, text } = metrics()
    for (const overrun of [1, 900]) observe({ ...access(1), overrun })
    observe(access(1))
    expect(await text()).toContain(`headgate_output_overruns_total{provider="mine",model="${model}"} 2\n`)
  })

  it('count whatever units and families rows have, without knowing them', async () => {
    const { observe, text } = metrics()
    const usage = usageRow({
      family: 'shouting',
      format: 'shouts',
      usage: { input: 0, output: 0, units: { characters: 5 } },
    })
    observe({ requestId: 'req_1', method: 'POST', path: '/v1/shouts', status: 200, durationMs: 1, usage })
    const labels = `provider="mine",family="shouting",format="shouts",model="${model}"`
    expect(await text()).toContain(`headgate_units_total{${labels},unit="characters"} 5\n`)
    expect(await text()).toContain(`headgate_requests_total{${labels},status="2xx"} 1\n`)
  })

  it('count upstream calls by endpoint; a provider with one endpoint has no such label', async () => {
    const { observe, text } = metrics()
    const [attempt] = usageRow({}).attempts
    if (!attempt) throw new TypeError('The row has no attempt.')
    const attempts = [
      { ...attempt, endpoint: 'eu', failure: 'rate-limited' as const },
      { ...attempt, endpoint: 'us' },
      { ...attempt, endpoint: 'us' },
      { ...attempt, provider: 'other' },
    ]
    observe({ ...access(1), usage: usageRow({ attempts }) })
    const lines = (await text()).split('\n').filter((line) => line.startsWith('headgate_attempts_total{'))
    expect(lines.sort()).toEqual([
      'headgate_attempts_total{provider="mine",endpoint="eu",failure="rate-limited"} 1',
      'headgate_attempts_total{provider="mine",endpoint="us",failure="none"} 2',
      'headgate_attempts_total{provider="other",failure="none"} 1',
    ])
  })

  it('show open calls, cooldowns and upstream limits of endpoints as they are now', async () => {
    const until = Date.now() + 60_000
    let reports: HealthReport[] = [
      { provider: 'mine', endpoint: 'eu', model: 'a', inFlight: 2, restsUntil: until, remaining: { requests: 9 } },
      { provider: 'mine', endpoint: 'eu', model: 'b', inFlight: 1, restsUntil: Date.now() - 1 },
      { provider: 'other', inFlight: 4, remaining: { tokens: 7 } },
      ...Array.from({ length: 150 }, (_, number) => ({ provider: 'p', model: `made-up-${number}`, restsUntil: until })),
    ]
    const { text } = metrics({ health: () => reports })
    const lines = async (name: string) => (await text()).split('\n').filter((line) => line.startsWith(`${name}{`))
    expect(await lines('headgate_endpoint_in_flight')).toEqual([
      'headgate_endpoint_in_flight{provider="mine",endpoint="eu"} 3',
      'headgate_endpoint_in_flight{provider="other"} 4',
    ])
    expect(await lines('headgate_endpoint_limit_remaining')).toEqual([
      'headgate_endpoint_limit_remaining{provider="mine",endpoint="eu",model="a",unit="requests"} 9',
      'headgate_endpoint_limit_remaining{provider="other",unit="tokens"} 7',
    ])
    const cooldowns = await lines('headgate_endpoint_cooldown_seconds')
    expect(cooldowns).toHaveLength(100)
    const [first = ''] = cooldowns
    expect(first).toMatch(/^headgate_endpoint_cooldown_seconds\{provider="mine",endpoint="eu",model="a"\} [\d.]+$/)
    expect(Number(first.split(' ').at(-1))).toBeGreaterThan(30)
    reports = []
    expect(await lines('headgate_endpoint_cooldown_seconds')).toEqual([])
  })

  it('sort durations into buckets that count all that took no longer', async () => {
    const { observe, text, snapshot } = metrics()
    for (const durationMs of [0, 5, 6, 900_000, 900_001]) observe({ ...access(1), durationMs })
    const { provider, family, format } = usageRow({})
    const labels = `provider="${provider}",family="${family}",format="${format}"`
    const seconds = 'headgate_request_duration_seconds'
    const bucket = (le: string, count: number): string => `${seconds}_bucket{le="${le}",${labels}} ${count}\n`
    const shown = await text()
    expect(shown).toContain(
      `# TYPE ${seconds} histogram\n${bucket('0.005', 2)}${bucket('0.01', 3)}${bucket('0.025', 3)}`,
    )
    expect(shown).toContain(
      `${bucket('900', 4)}${bucket('+Inf', 5)}${seconds}_sum{${labels}} 1800.012\n${seconds}_count{${labels}} 5\n`,
    )
    expect(await snapshot()).toContainEqual(expect.objectContaining({ name: seconds, type: 'histogram' }))
  })

  it('show requests that wait and requests that were refused, by class', async () => {
    const { observe, text } = metrics({ queued: (serviceClass) => (serviceClass === 'batch' ? 3 : 0) })
    const { usage: _, ...refused } = access(0)
    observe({ ...refused, status: 429, shed: { reason: 'queue-full', serviceClass: 'batch' } })
    const shown = await text()
    expect(shown).toContain('headgate_waiting_requests{class="batch"} 3\n')
    expect(shown).toContain('headgate_waiting_requests{class="interactive"} 0\n')
    expect(shown).toContain('headgate_shed_total{reason="queue-full",class="batch"} 1\n')
  })

  it('count the usage rows that wait, those that were put aside, and those that are lost, and say whether the store takes any', async () => {
    const counts = { aside: 0, lost: 0 }
    const { text } = metrics({
      stored: () => false,
      waiting: () => 4,
      quarantined: () => counts.aside,
      lost: () => counts.lost,
    })
    expect(await text()).toMatch(/headgate_store_writable 0\n[\s\S]*headgate_usage_rows_waiting 4\n/)
    expect(await text()).toContain('headgate_usage_rows_quarantined_total 0\n')
    Object.assign(counts, { aside: 2, lost: 3 })
    expect(await text()).toMatch(/headgate_usage_rows_quarantined_total 2\n[\s\S]*headgate_usage_rows_lost_total 3\n/)
  })
})
