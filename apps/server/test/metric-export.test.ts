import { describe, expect, it, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { type Started, start } from './program.ts'
import { startReceiver } from './receiver.ts'
import { temporaryFolder } from './temporary.ts'

interface ReadMetric {
  readonly name: string
  readonly sum?: { readonly dataPoints: readonly { readonly asDouble: number }[] }
}

const SETTINGS = {
  OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
  OTEL_METRIC_EXPORT_INTERVAL: '200',
  OTEL_TRACES_EXPORTER: 'none',
}
const LONG = { timeout: 120_000 }

/** Configuration of a gateway that sends its metrics to a receiver. */
function folderFor(endpoint: string, telemetry: object = {}): string {
  return temporaryFolder({
    'headgate.config.json': {
      keys: [{ key: 'a-long-key' }],
      providers: { demo: {} },
      times: { drain: 0 },
      telemetry: Object.assign({ endpoint, protocol: 'http/json' }, telemetry),
    },
  })
}

async function chat({ url }: Pick<Started, 'url'>): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer a-long-key', 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'the secret plan' }] }),
  })
  expect(response.status).toBe(200)
}

/** Metrics of each batch. */
function batches(called: readonly { readonly body: string }[]): ReadMetric[][] {
  return called.map(({ body }) => JSON.parse(body).resourceMetrics[0].scopeMetrics[0].metrics)
}

function requestsIn(batch: readonly ReadMetric[] | undefined): number {
  const points = batch?.find(({ name }) => name === 'headgate.requests')?.sum?.dataPoints ?? []
  return points.reduce((sum, { asDouble }) => sum + asDouble, 0)
}

describe('Metrics over OTLP', () => {
  it('are sent in intervals and at the end, without content', LONG, async () => {
    const receiver = await startReceiver()
    const gateway = await startInProcess({ folder: folderFor(receiver.url), environment: SETTINGS })
    await chat(gateway)
    await vi.waitUntil(() => batches(receiver.called).some((batch) => requestsIn(batch) === 1), { timeout: 60_000 })
    const names = batches(receiver.called)
      .at(-1)
      ?.map(({ name }) => name)
    expect(names).toContain('gen_ai.client.operation.duration')
    expect(names).toContain('headgate.build_info')
    await chat(gateway)
    expect(await gateway.stop()).toBe(0)
    expect(requestsIn(batches(receiver.called).at(-1))).toBe(2)
    const bodies = receiver.called.map(({ body }) => body).join('')
    expect(bodies).not.toContain('secret plan')
    expect(bodies).not.toContain('a-long-key')
  })

  it('are not sent if the configuration turns them off', LONG, async () => {
    const receiver = await startReceiver()
    const off = folderFor(receiver.url, { metrics: false })
    const quiet = await startInProcess({ folder: off, environment: SETTINGS })
    await chat(quiet)
    expect(await quiet.stop()).toBe(0)
    expect(receiver.called).toEqual([])
  })

  it('are sums of all workers, in one batch', { timeout: 600_000, tags: ['full'] }, async () => {
    const receiver = await startReceiver()
    const gateway = await start({
      folder: folderFor(receiver.url),
      environment: SETTINGS,
      args: ['--workers', '2'],
    })
    for (let count = 0; count < 8; count++) await chat(gateway)
    await vi.waitUntil(() => batches(receiver.called).some((batch) => requestsIn(batch) === 8), { timeout: 60_000 })
    expect(batches(receiver.called).every((batch) => requestsIn(batch) <= 8)).toBe(true)
    expect(await gateway.stop()).toBe(0)
  })
})
