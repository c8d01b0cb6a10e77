import { describe, expect, it, vi } from 'vitest'
import { startInProcess } from './in-process.ts'
import { startReceiver } from './receiver.ts'
import { temporaryFolder } from './temporary.ts'

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const [, TRACE, SPAN] = PARENT.split('-')

interface ReadSpan {
  readonly traceId: string
  readonly parentSpanId?: string
  readonly spanId: string
  readonly name: string
  readonly kind: number
  readonly links: readonly { readonly traceId: string }[]
  readonly attributes: Readonly<Record<string, string>>
}

interface WrittenSpan extends Omit<ReadSpan, 'attributes'> {
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string>> }[]
}

/** A gateway that sends its traces to a receiver. */
async function startExporting(keys: readonly object[] = [{ key: 'a-long-key' }]) {
  const receiver = await startReceiver()
  const config = {
    keys,
    providers: { demo: {} },
    telemetry: { endpoint: receiver.url, protocol: 'http/json', headers: { 'x-team': 'blue team' } },
  }
  const gateway = await startInProcess({
    folder: temporaryFolder({ 'headgate.config.json': config }),
    environment: { OTEL_EXPORTER_OTLP_COMPRESSION: 'none', OTEL_BSP_SCHEDULE_DELAY: '10' },
  })
  const chat = (headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer a-long-key', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'the secret plan' }] }),
    })
  const spans = (): ReadSpan[] =>
    receiver.called.flatMap(({ body }) =>
      JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.map(({ attributes, ...span }: WrittenSpan) => ({
        ...span,
        attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
      })),
    )
  const arrived = (count: number) => vi.waitUntil(() => spans().length >= count && spans(), { timeout: 10_000 })
  return { receiver, chat, arrived }
}

describe('Traces', () => {
  it('have a span of each request and of its call, with the cost of its usage row and no content', async () => {
    const { chat, receiver, arrived } = await startExporting()
    const response = await chat()
    expect(response.status).toBe(200)
    const spans = await arrived(2)
    const [root, call] = spans
    expect(spans).toHaveLength(2)
    expect(root).toMatchObject({ name: 'POST /v1/chat/completions', kind: 2 })
    expect(root?.attributes).toMatchObject({
      'headgate.request_id': response.headers.get('x-request-id'),
      'headgate.model': 'demo',
      'http.response.status_code': '200',
    })
    expect(call).toMatchObject({ kind: 3, parentSpanId: root?.spanId, traceId: root?.traceId })
    expect(call?.attributes['gen_ai.provider.name']).toBe('demo')
    expect(Number(call?.attributes['gen_ai.usage.output_tokens'])).toBeGreaterThan(0)
    expect(receiver.called[0]?.headers.get('x-team')).toBe('blue team')
    expect(receiver.called.map(({ body }) => body).join('')).not.toContain('secret plan')
  })

  it('are part of the trace of the caller', async () => {
    const { chat, arrived } = await startExporting()
    await chat({ traceparent: PARENT })
    const [root] = await arrived(2)
    expect(root).toMatchObject({ traceId: TRACE, parentSpanId: SPAN })
  })

  it('link to the trace of the caller if the key says so', async () => {
    const { chat, arrived } = await startExporting([{ key: 'a-long-key', tracing: 'link' }])
    await chat({ traceparent: PARENT })
    const [root] = await arrived(2)
    expect(root?.parentSpanId).toBeUndefined()
    expect(root?.links).toMatchObject([{ traceId: TRACE }])
    expect(root?.traceId).not.toBe(TRACE)
  })

  it.each([
    ['zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['upper case', PARENT.toUpperCase()],
    ['a short id', '00-4bf9-00f067aa0ba902b7-01'],
    ['the version ff', PARENT.replace(/^00/, 'ff')],
  ])('of their own begin for a context with %s', async (_, traceparent) => {
    const { chat, arrived } = await startExporting()
    await chat({ traceparent })
    const [root] = await arrived(2)
    expect(root?.parentSpanId).toBeUndefined()
    expect(root?.traceId).not.toBe(TRACE)
  })
})
