import type { AccessRecord, UsageRow } from '@headgate/gateway'
import { GEN_AI_METRICS } from '@headgate/telemetry'
import { describe, expect, it } from 'vitest'
import { usageRow } from '../../../packages/store/test/usage-row.ts'
import { METRICS_1_41 } from '../../../packages/telemetry/test/registry-1.41.ts'
import type { MetricsOptions } from '../src/service/metrics.ts'
import { exportedMetrics } from '../src/telemetry/metric-export.ts'
import { idleMetrics } from './idle-metrics.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

function metrics(options: MetricsOptions = {}) {
  return idleMetrics({ nameOf: (provider) => `name.${provider}`, ...options })
}

const BEGUN = 1_795_000_000_000
const attempt = { provider: 'mine', model: 'large-1', startedAt: BEGUN + 10, durationMs: 990, cost: 1, priceId: null }
const failed = { ...attempt, durationMs: 5, status: 429, failure: 'rate-limited' } as const

function stream(changes: Partial<UsageRow> = {}): AccessRecord {
  const usage = usageRow({
    family: 'chat',
    format: 'messages',
    stream: true,
    startedAt: BEGUN,
    firstByteMs: 200,
    durationMs: 1_000,
    usage: { input: 100, output: 17, cacheRead: 40, imageInput: 30 },
    attempts: [failed, attempt],
    ...changes,
  })
  return { requestId: 'req_1', method: 'POST', path: '/', status: 200, durationMs: 1_000, usage, chunks: 9 }
}

const CALL = 'gen_ai_operation_name="chat",gen_ai_provider_name="name.mine"'

describe('The metrics of model calls', () => {
  it('have the names, labels and buckets of the conventions 1.41', async () => {
    const { observe, text } = metrics()
    observe(stream())
    const shown = await text()
    const served = `${CALL},gen_ai_request_model="large-1"`
    const rejected = `${CALL},gen_ai_request_model="large-1",error_type="429"`
    const duration = 'gen_ai_client_operation_duration_seconds'
    expect(shown).toContain(`${duration}_bucket{le="0.64",${served}} 0\n${duration}_bucket{le="1.28",${served}} 1\n`)
    expect(shown).toContain(`${duration}_bucket{le="655.36",${served}} 1\n`)
    expect(shown).toContain(`${duration}_sum{${rejected}} 0.005\n`)
    expect(shown).toContain(`gen_ai_client_operation_time_to_first_chunk_seconds_sum{${served}} 0.19\n`)
    expect(shown).toContain(`gen_ai_client_operation_time_per_output_chunk_seconds_sum{${served}} 0.8\n`)
    expect(shown).toContain(`gen_ai_client_operation_time_per_output_chunk_seconds_count{${served}} 8\n`)
    expect(shown).toContain(`gen_ai_client_token_usage_sum{${served},gen_ai_token_type="input"} 100\n`)
    expect(shown).toContain(`gen_ai_client_token_usage_bucket{le="64",${served},gen_ai_token_type="output"} 1\n`)
    expect(shown).toContain(
      'headgate_time_per_output_token_seconds_sum{provider="mine",family="chat",format="messages"} 0.05\n',
    )
  })

  it('have the names of the conventions 0.1 by choice, with counters by modality', async () => {
    const { observe, text } = metrics({ dialect: 'gen-ai-0.1' })
    observe(stream())
    observe(stream({ family: 'embeddings', format: 'embeddings', stream: false, attempts: [attempt] }))
    const shown = await text()
    const served = `${CALL},gen_ai_request_model="large-1"`
    expect(shown).toContain(`gen_ai_client_inference_duration_seconds_count{${served}} 1\n`)
    expect(shown).toContain(
      'gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="embeddings",gen_ai_provider_name="name.mine",gen_ai_request_model="large-1"} 1\n',
    )
    const usage = 'gen_ai_client_inference_usage'
    expect(shown).toContain(`${usage}_input_tokens_total{${served},gen_ai_token_modality="text"} 70\n`)
    expect(shown).toContain(`${usage}_input_tokens_total{${served},gen_ai_token_modality="image"} 30\n`)
    expect(shown).toContain(`${usage}_cache_read_input_tokens_total{${served},gen_ai_token_modality="unknown"} 40\n`)
    expect(shown).toContain(`gen_ai_client_inference_operation_output_tokens_sum{${served}} 17\n`)
    expect(shown).not.toContain('gen_ai_client_token_usage')
  })

  it('count two configured providers of one vendor together', async () => {
    const { observe, text } = metrics({ nameOf: () => 'openai' })
    observe(stream({ attempts: [attempt] }))
    observe(stream({ attempts: [{ ...attempt, provider: 'second' }] }))
    expect((await text()).match(/^gen_ai_client_operation_duration_seconds_count\{.*$/gm)).toEqual([
      'gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="large-1"} 2',
    ])
  })

  it('count searches for a model without usage', async () => {
    const { observe, text } = metrics()
    const search = { ...attempt, family: 'search', provider: 'brave', model: '', durationMs: 20 }
    observe(stream({ attempts: [search, attempt] }))
    const shown = await text()
    expect(shown).toContain(
      'gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="retrieval",gen_ai_provider_name="name.brave"} 1\n',
    )
    expect(shown.match(/^gen_ai_client_token_usage_count\{/gm)).toHaveLength(2)
  })
})

describe('Exemplars', () => {
  it('are only in OpenMetrics, and only of exported traces', async () => {
    const { observe, text } = metrics({ traceIdOf: ({ id }) => (id === 'exported' ? TRACE : undefined) })
    observe({ ...stream({ id: 'exported' }), overhead: { inMs: 0.5, outMs: 0.25 } })
    observe({ ...stream({ id: 'not-exported' }), durationMs: 50_000 })
    const shown = await text('openmetrics')
    const end = `# {trace_id="${TRACE}"}`
    for (const [name, value] of [
      ['headgate_request_duration_seconds', '1 1795000001'],
      ['headgate_first_byte_seconds', '0.2 1795000001'],
      ['headgate_overhead_seconds', '0.0005 1795000001'],
      ['gen_ai_client_operation_duration_seconds', '0.99 1795000001'],
      ['gen_ai_client_operation_time_to_first_chunk_seconds', '0.19 1795000001'],
    ] as const)
      expect(shown.match(new RegExp(`^${name}_bucket.*$`, 'gm'))?.join('\n')).toContain(`${end} ${value}`)
    expect(shown).toContain('le="60",provider="mine",family="chat",format="messages"} 2\n')
    expect(shown).toContain('# TYPE headgate_requests counter\n')
    expect(shown).toContain('\nheadgate_requests_total{')
    expect(shown).toContain('# UNIT headgate_request_duration_seconds seconds\n')
    expect(shown.endsWith('\n# EOF\n')).toBe(true)
    expect(shown).not.toMatch(/\n\n/)
    expect(await text()).not.toContain('trace_id')
  })
})

describe('Exported metrics', () => {
  it('have the names and units of the conventions, and buckets that are not cumulative', async () => {
    const { observe, snapshot } = metrics({ traceIdOf: () => TRACE })
    observe(stream())
    const exported = exportedMetrics(await snapshot())
    const byName = new Map(exported.map((metric) => [metric.name, metric]))
    for (const { name, unit, type } of Object.values(GEN_AI_METRICS['1.41']))
      expect(byName.get(name)).toMatchObject({ unit, data: { kind: type } })
    for (const [name, { attributes }] of Object.entries(METRICS_1_41)) {
      const used = byName.get(name)?.data.points.flatMap((point) => point.attributes.map(([attribute]) => attribute))
      expect(
        used?.filter((attribute) => !attributes.includes(attribute)),
        name,
      ).toEqual([])
    }
    expect(byName.get('headgate.requests')?.data).toMatchObject({ kind: 'counter' })
    expect(byName.get('headgate.request_duration')).toMatchObject({ unit: 's' })
    const duration = byName.get('gen_ai.client.operation.duration')?.data
    const served = duration?.kind === 'histogram' ? duration.points.find(({ sum }) => sum > 0.5) : undefined
    expect(served?.attributes).toEqual([
      ['gen_ai.operation.name', 'chat'],
      ['gen_ai.provider.name', 'name.mine'],
      ['gen_ai.request.model', 'large-1'],
    ])
    expect(served?.bounds).toHaveLength(17)
    expect(served?.counts).toHaveLength(18)
    expect(served?.counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(served?.exemplars).toEqual([{ value: 0.99, at: BEGUN + 1_000, traceId: TRACE }])
    expect([...byName.keys()].some((name) => name.startsWith('process'))).toBe(false)
  })
})
