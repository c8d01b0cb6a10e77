import type { AccessRecord, UsageRow } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { usageRow } from '../../../packages/store/test/usage-row.ts'
import { idleMetrics } from './idle-metrics.ts'

const LIMIT = 2_000
const CALLS = 100_000

function record(usage: UsageRow, more: Partial<AccessRecord> = {}): AccessRecord {
  return { requestId: 'req_1', method: 'POST', path: '/', status: 200, durationMs: 1, usage, ...more }
}

/** Lines of metrics whose labels callers influence. */
function seriesIn(text: string): string[] {
  return text.split('\n').filter((line) => /^(?:headgate|gen_ai)_\w+\{.*(?:model|key|project)=/.test(line))
}

/** Sum of the values of one metric. */
function sumOf(text: string, name: string): number {
  return seriesIn(text)
    .filter((line) => line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe('100,000 invented values', () => {
  it.each([
    [
      'models of served requests',
      (at: number) => record(usageRow({ model: `m-${at}`, attempts: attemptsOf(`p-${at}`) })),
    ],
    ['keys', (at: number) => record(usageRow({}), { principal: `key-${at}` })],
    ['projects', (at: number) => record(usageRow({}), { principal: 'key', project: `project-${at}` })],
    ['end users', (at: number) => record(usageRow({ endUser: `user-${at}`, session: `session-${at}` }))],
  ])('as %s stay within the limit of series, and every request is counted', async (_, recordOf) => {
    const { observe, text } = idleMetrics({ labels: ['model', 'key', 'project'], maxSeries: LIMIT })
    for (let at = 0; at < CALLS; at++) observe(recordOf(at))
    const shown = await text()
    const series = seriesIn(shown)
    const folded = series.filter((line) => line.includes('="_other"'))
    expect(series.length - folded.length).toBeLessThanOrEqual(LIMIT)
    // Series of what has no separate one: one set for each provider, family and format.
    expect(folded.length).toBeLessThan(120)
    expect(sumOf(shown, 'headgate_requests_total')).toBe(CALLS)
    expect(sumOf(shown, 'gen_ai_client_operation_duration_seconds_count')).toBe(CALLS)
    expect(shown).not.toContain('user-1')
    const isOver = /^headgate_series_folded_total ([1-9]\d*)$/m.test(shown)
    expect(isOver).toBe(folded.length > 0)
  })

  it('as models of failed requests are not told apart', async () => {
    const { observe, text } = idleMetrics({ maxSeries: LIMIT })
    for (let at = 0; at < CALLS; at++)
      observe(
        record(usageRow({ model: `m-${at}`, status: 404, attempts: attemptsOf(`p-${at}`, 'unknown-model') }), {
          status: 404,
        }),
      )
    const series = seriesIn(await text())
    expect(series.every((line) => line.includes('="_other"'))).toBe(true)
    expect(series.length).toBeLessThan(60)
  })
})

function attemptsOf(model: string, failure?: 'unknown-model'): UsageRow['attempts'] {
  return usageRow({}).attempts.map((attempt) => ({ ...attempt, model, failure }))
}

describe('Labels of the configuration', () => {
  it('are key and project instead of the model, by choice', async () => {
    const { observe, text } = idleMetrics({ labels: ['key', 'project'] })
    observe(record(usageRow({}), { principal: 'key_1', project: 'proj_1' }))
    observe({ requestId: 'req_2', method: 'POST', path: '/', status: 401, durationMs: 1, error: { kind: 'bad-key' } })
    const shown = await text()
    const { family, format } = usageRow({})
    const served = `provider="mine",family="${family}",format="${format}"`
    expect(shown).toContain(`headgate_requests_total{${served},key="key_1",project="proj_1",status="2xx"} 1\n`)
    expect(shown).toContain(
      'headgate_failures_total{provider="none",family="none",format="none",key="none",project="none",kind="bad-key",fault="caller"} 1\n',
    )
    expect(shown).not.toMatch(/^headgate_(requests|tokens)_total\{.*model=/m)
  })
})
