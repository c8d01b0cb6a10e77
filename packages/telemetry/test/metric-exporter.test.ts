import { execFileSync } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { OtlpMetric } from '../src/metric.ts'
import { createMetricExporter } from '../src/metric-exporter.ts'
import { metricSettings } from '../src/metric-settings.ts'
import { metricsToProtobuf } from '../src/otlp-metrics-protobuf.ts'
import { BEGUN } from './row.ts'

/** Folder with the official `.proto` files, for example a checkout of open-telemetry/opentelemetry-proto. */
const PROTO = process.env['OTLP_PROTO']
const TYPE = 'opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface ReceivedPoint {
  readonly asDouble?: number
  readonly count?: string
  readonly bucketCounts?: readonly string[]
  readonly startTimeUnixNano?: string
  readonly exemplars?: readonly object[]
}

interface ReceivedMetric {
  readonly name: string
  readonly unit: string
  readonly sum?: { readonly aggregationTemporality: number; readonly dataPoints: readonly ReceivedPoint[] }
  readonly gauge?: { readonly dataPoints: readonly ReceivedPoint[] }
  readonly histogram?: { readonly aggregationTemporality: number; readonly dataPoints: readonly ReceivedPoint[] }
}

interface Received {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly metrics: readonly ReceivedMetric[]
}

/** Receiver of metrics in JSON on this machine. */
async function receiver(answer: (response: ServerResponse, index: number) => void) {
  const received: Received[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const whole = Buffer.concat(chunks)
    const bytes = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole
    const { metrics } = JSON.parse(bytes.toString()).resourceMetrics[0].scopeMetrics[0]
    received.push({ path: incoming.url ?? '', headers: incoming.headers, metrics })
    answer(response, received.length - 1)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  const address = server.address()
  return { received, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }
}

function metricsOf(count: number, traceId = '4bf92f3577b34da6a3ce929d0e0e4736'): OtlpMetric[] {
  return [
    {
      name: 'headgate.requests',
      description: 'Requests.',
      unit: '',
      data: { kind: 'counter', points: [{ attributes: [['status', '2xx']], value: count }] },
    },
    {
      name: 'headgate.requests_in_flight',
      description: 'Open requests.',
      unit: '',
      data: { kind: 'gauge', points: [{ attributes: [], value: 3 }] },
    },
    {
      name: 'gen_ai.client.operation.duration',
      description: 'Duration of calls.',
      unit: 's',
      data: {
        kind: 'histogram',
        points: [
          {
            attributes: [['gen_ai.operation.name', 'chat']],
            bounds: [0.5, 1],
            counts: [count, 1, 2],
            sum: 2.5 + count,
            exemplars: [{ value: 0.25, at: BEGUN, traceId }],
          },
        ],
      },
    },
  ]
}

function exporterOf(endpoint: string, read: () => readonly OtlpMetric[], more: Record<string, string> = {}) {
  const settings = metricSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRIC_EXPORT_INTERVAL: '3600000',
    ...more,
  })
  if (!settings) throw new Error('no settings')
  const problems: string[] = []
  const exporter = createMetricExporter({
    settings,
    version: '1.0.0',
    startedAt: BEGUN,
    read: async () => read(),
    onProblem: (message) => problems.push(message),
    wait: async () => {},
  })
  closers.push(() => exporter.close())
  return { exporter, problems }
}

function named(received: Received | undefined, name: string): ReceivedMetric | undefined {
  return received?.metrics.find((one) => one.name === name)
}

const START = `${BEGUN}000000`

describe('exporter of metrics', () => {
  it('sends sums since the start, with headers of the signal, compressed', async () => {
    const { received, url } = await receiver((response) => response.end('{}'))
    let count = 5
    const { exporter } = exporterOf(url, () => metricsOf(count), {
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'authorization=Bearer%20abc',
    })
    await exporter.flush()
    count = 7
    await exporter.flush()
    expect(received.map(({ path }) => path)).toEqual(['/v1/metrics', '/v1/metrics'])
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer abc', 'content-encoding': 'gzip' })
    expect(named(received[1], 'headgate.requests')?.sum).toMatchObject({
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: [{ asDouble: 7, startTimeUnixNano: START }],
    })
    expect(named(received[1], 'headgate.requests_in_flight')?.gauge?.dataPoints).toEqual([
      expect.objectContaining({ asDouble: 3 }),
    ])
    expect(named(received[1], 'gen_ai.client.operation.duration')?.histogram?.dataPoints[0]).toMatchObject({
      count: '10',
      bucketCounts: ['7', '1', '2'],
      sum: 9.5,
      explicitBounds: [0.5, 1],
      exemplars: [{ asDouble: 0.25, traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }],
    })
    expect(exporter.counts).toEqual({ sent: 6, dropped: 0 })
  })

  it.each(['delta', 'LowMemory'])(
    'sends differences by choice of %s, which a failed batch does not lose',
    async (preference) => {
      const { received, url } = await receiver((response, index) =>
        index === 1 ? response.writeHead(400).end() : response.end('{}'),
      )
      let count = 5
      const { exporter, problems } = exporterOf(url, () => metricsOf(count), {
        OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: preference,
      })
      await exporter.flush()
      count = 7
      await exporter.flush()
      count = 8
      await exporter.flush()
      await exporter.flush()
      const sums = received.map((one) => named(one, 'headgate.requests')?.sum?.dataPoints[0])
      expect(sums.map((point) => point?.asDouble)).toEqual([5, 2, 3, undefined])
      expect(sums[0]?.startTimeUnixNano).toBe(START)
      expect(sums[2]?.startTimeUnixNano).toBe(sums[1]?.startTimeUnixNano)
      expect(sums[2]?.startTimeUnixNano).not.toBe(START)
      const durations = received.map((one) => named(one, 'gen_ai.client.operation.duration')?.histogram?.dataPoints[0])
      expect(durations.map((point) => point?.bucketCounts)).toEqual([
        ['5', '1', '2'],
        ['2', '0', '0'],
        ['3', '0', '0'],
        undefined,
      ])
      expect(durations.map((point) => point?.exemplars?.length)).toEqual([1, 0, 0, undefined])
      expect(problems).toEqual([expect.stringContaining('the status 400'), expect.stringContaining('again')])
    },
  )

  it('sends again what the receiver could not take, and counts rejected points', async () => {
    const { received, url } = await receiver((response, index) => {
      if (index === 0) response.writeHead(503).end()
      else response.end('{"partialSuccess":{"rejectedDataPoints":"1"}}')
    })
    const { exporter } = exporterOf(url, () => metricsOf(1))
    await exporter.flush()
    expect(received).toHaveLength(2)
    expect(exporter.counts).toEqual({ sent: 2, dropped: 1 })
  })

  it('sends in intervals, and a last time when it ends', async () => {
    let arrived = (_: number): void => {}
    const third = new Promise<number>((resolve) => {
      arrived = resolve
    })
    const { received, url } = await receiver((response, index) => {
      response.end('{}')
      if (index === 2) arrived(index)
    })
    const { exporter } = exporterOf(url, () => metricsOf(1), { OTEL_METRIC_EXPORT_INTERVAL: '5' })
    await third
    closers.pop()
    const before = received.length
    await exporter.close()
    expect(received.length).toBeGreaterThan(before)
  })
})

describe('settings of metrics', () => {
  it('are off without an endpoint, or by the variable of the signal', () => {
    expect(metricSettings({})).toBeUndefined()
    expect(metricSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a' })).toBeUndefined()
    expect(metricSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_METRICS_EXPORTER: 'none' })).toBeUndefined()
  })

  it('have an own endpoint and protocol', () => {
    const settings = metricSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://b/own',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
    })
    expect(settings).toMatchObject({ intervalMs: 60_000, temporality: 'cumulative' })
    expect(settings?.destination).toMatchObject({ url: 'http://b/own', encoding: 'json' })
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', 'sometimes', 'delta'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '0', 'above 0'],
    ['OTEL_METRICS_EXPORTER', 'prometheus', '`none`'],
  ])('reject an invalid %s', (name, value, advice) => {
    const read = () => metricSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', [name]: value })
    expect(read).toThrow(advice)
    expect(read).toThrow(name)
  })
})

describe('metrics in protocol buffers', () => {
  it.skipIf(PROTO === undefined)('are read by protoc with the official descriptors', () => {
    const file = 'opentelemetry/proto/collector/metrics/v1/metrics_service.proto'
    for (let at = 0; at < 20; at++) {
      const metrics = Array.from({ length: 1 + at * 10 }, (_, index) => metricsOf(index * 2 ** 40)).flat()
      const input = metricsToProtobuf({
        resource: [['service.name', 'headgate']],
        version: '1.2.3',
        schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
        temporality: at % 2 === 0 ? 'cumulative' : 'delta',
        startedAt: BEGUN,
        at: BEGUN + 60_000,
        metrics,
      })
      const text = execFileSync('protoc', [`--proto_path=${PROTO}`, `--decode=${TYPE}`, file], {
        input,
        maxBuffer: 64 * 1024 * 1024,
      }).toString()
      expect(text.match(/^ {4}metrics \{/gm)).toHaveLength(metrics.length)
      expect(text).toContain(`bucket_counts: ${at * 10 * 2 ** 40}\n`)
      expect(text).toContain('explicit_bounds: 0.5\n')
      expect(text).toContain(
        `aggregation_temporality: AGGREGATION_TEMPORALITY_${at % 2 === 0 ? 'CUMULATIVE' : 'DELTA'}`,
      )
      expect(text).toContain('is_monotonic: true')
      expect(text).not.toMatch(/^\s*\d+: /m)
    }
  })
})
