import { traceSettings } from '@headgate/telemetry'
import { expect, it } from 'vitest'
import { traceUrlOf } from '../src/telemetry/trace-url.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const config = { telemetry: { traceUrl: 'https://traces.example.com/trace/{trace_id}?from=headgate' } }
const settings = (ratio: string) =>
  traceSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  })
const served = { traceId: TRACE, status: 200, failure: null, durationMs: 100 }

it('A request links to its trace if it was exported', () => {
  const all = { config, traceExport: settings('1') }
  expect(traceUrlOf(served, all)).toBe(`https://traces.example.com/trace/${TRACE}?from=headgate`)
  expect(traceUrlOf({ ...served, traceId: null }, all)).toBeUndefined()
  expect(traceUrlOf(served, { config, traceExport: undefined })).toBeUndefined()
  expect(traceUrlOf(served, { config: {}, traceExport: settings('1') })).toBeUndefined()
})

it('A request that the sampler left out has no link, unless it failed', () => {
  const some = { config, traceExport: settings('0.001') }
  expect(traceUrlOf(served, some)).toBeUndefined()
  expect(traceUrlOf({ ...served, status: 502, failure: 'upstream' }, some)).toContain(TRACE)
})
