import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { type TraceSettings, traceSettings } from '../src/export-settings.ts'
import { rejectedIn } from '../src/otlp-sender.ts'
import { spansOfRow } from '../src/request-spans.ts'
import { createTraceExporter } from '../src/trace-exporter.ts'
import { usageRow } from './row.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Receiver of traces on this machine. */
async function receiver(answer: (response: ServerResponse, index: number) => void) {
  const received: Received[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    received.push({ headers: incoming.headers, body: Buffer.concat(chunks) })
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

function settingsOf(endpoint: string, more: Record<string, string> = {}): TraceSettings {
  const settings = traceSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...more,
  })
  if (!settings) throw new Error('no settings')
  return settings
}

function exporterOf(settings: TraceSettings) {
  const waits: number[] = []
  const problems: string[] = []
  const exporter = createTraceExporter({
    settings,
    version: '1.0.0',
    onProblem: (message) => problems.push(message),
    wait: async (ms) => waits.push(ms),
  })
  closers.push(() => exporter.close())
  return { exporter, waits, problems }
}

const spans = spansOfRow(usageRow(), { dialect: '1.41', factsOf: () => ({}) })

/** Names of the spans that arrived with status 200. */
function namesIn({ body, headers }: Received): string[] {
  const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
  return JSON.parse(text.toString()).resourceSpans[0].scopeSpans[0].spans.map(({ name }: { name: string }) => name)
}

describe('exporter of traces', () => {
  it('sends spans with headers, compressed', async () => {
    const { received, url } = await receiver((response) => response.end('{}'))
    const { exporter } = exporterOf(settingsOf(url, { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc' }))
    exporter.add(spans)
    await exporter.flush()
    expect(received).toHaveLength(1)
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer abc', 'content-type': 'application/json' })
    expect(namesIn(received[0] as Received)).toEqual(['POST /v1/messages', 'chat large-1'])
    expect(exporter.counts).toEqual({ sent: 2, dropped: 0 })
  })

  it('sends again what the receiver could not take now, after the time it asks for', async () => {
    const { received, url } = await receiver((response, index) => {
      if (index === 0) response.writeHead(429, { 'retry-after': '7' }).end()
      else if (index === 1) response.writeHead(503).end()
      else if (index === 2) response.destroy()
      else response.end('{}')
    })
    const { exporter, waits, problems } = exporterOf(settingsOf(url))
    exporter.add(spans)
    await exporter.flush()
    expect(received).toHaveLength(4)
    expect(waits[0]).toBe(7_000)
    expect(exporter.counts).toEqual({ sent: 2, dropped: 0 })
    expect(problems).toEqual([])
  })

  it.each([400, 401, 413, 500])('does not send again after the status %i', async (status) => {
    const { received, url } = await receiver((response) => response.writeHead(status).end())
    const { exporter, problems } = exporterOf(settingsOf(url))
    exporter.add(spans)
    await exporter.flush()
    expect(received).toHaveLength(1)
    expect(exporter.counts).toEqual({ sent: 0, dropped: 2 })
    expect(problems).toEqual([expect.stringContaining(`the status ${status}`)])
  })

  it('counts the spans that the receiver rejects', async () => {
    const { url } = await receiver((response) => response.end('{"partialSuccess":{"rejectedSpans":"1"}}'))
    const { exporter } = exporterOf(settingsOf(url))
    exporter.add(spans)
    await exporter.flush()
    expect(exporter.counts).toEqual({ sent: 1, dropped: 1 })
  })

  it('drops the oldest spans when the receiver is away, and counts every span once', async () => {
    const { received, url } = await receiver((response) => response.writeHead(503).end())
    const { exporter, problems } = exporterOf(
      settingsOf(url, { OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4' }),
    )
    for (let at = 0; at < 20; at++) exporter.add(spans)
    await exporter.flush()
    expect(exporter.counts).toEqual({ sent: 0, dropped: 40 })
    expect(received.length).toBeLessThan(30)
    expect(problems).toHaveLength(1)
  })

  it('reads partial success in protocol buffers', () => {
    expect(rejectedIn(Buffer.from([0x0a, 0x03, 0x08, 0xac, 0x02]), 'protobuf')).toBe(300)
    expect(rejectedIn(Buffer.alloc(0), 'protobuf')).toBe(0)
  })
})

describe('settings of traces', () => {
  it('are off without an endpoint, or when the SDK is disabled', () => {
    expect(traceSettings({})).toBeUndefined()
    expect(traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
    expect(traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined()
  })

  it('append the path to the shared endpoint, and take the own one as it is', () => {
    expect(settingsOf('http://a:4318/base/').destination.url).toBe('http://a:4318/base/v1/traces')
    expect(settingsOf('http://a', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://b/otlp' }).destination.url).toBe(
      'https://b/otlp',
    )
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'not gRPC'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', 'a URL'],
    ['OTEL_TRACES_SAMPLER', 'sometimes', 'traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', '2', 'from 0 to 1'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'nonsense', 'pairs'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '-1', 'above 0'],
  ])('reject an invalid %s', (name, value, advice) => {
    const sampler = name.endsWith('ARG') ? { OTEL_TRACES_SAMPLER: 'traceidratio' } : {}
    const read = () => traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', ...sampler, [name]: value })
    expect(read).toThrow(advice)
    expect(read).toThrow(name)
  })

  it('choose the conventions', () => {
    expect(settingsOf('http://a').dialect).toBe('1.41')
    expect(settingsOf('http://a', { OTEL_SEMCONV_STABILITY_OPT_IN: 'http, gen_ai_latest_experimental' }).dialect).toBe(
      'gen-ai-0.1',
    )
    expect(settingsOf('http://a', { HEADGATE_TRACE_CONVENTIONS: 'openinference' }).dialect).toBe('openinference')
  })
})
