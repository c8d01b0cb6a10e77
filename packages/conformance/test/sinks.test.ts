import { bearer, defineSink, HeadgateError, type SinkBatch, type UsageSink } from '@headgate/core/sink'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { examineSink, rowsOfLines, type SinkFacts, testSink } from '../src/index.ts'

const SECRET = 'kestrel.over.the.fjord'
interface Config {
  readonly baseUrl: string
  readonly apiKey: string
}

function sinkOf(change: (sink: UsageSink, config: Config) => UsageSink = (sink) => sink) {
  return defineSink(
    {
      id: 'acme',
      title: 'Acme',
      config: z.strictObject({ baseUrl: z.url(), apiKey: z.string() }),
      env: { apiKey: ['ACME_API_KEY'] },
    },
    (config) =>
      change(
        {
          baseUrl: config.baseUrl,
          credential: bearer(config.apiKey),
          limits: { rows: 1_000, bytes: 1_000_000, waitMs: 5_000 },
          write: {
            request: ({ id, content }) => ({
              method: 'POST',
              url: '/rows',
              headers: { 'x-batch': id },
              body: { bytes: content, type: 'application/x-ndjson' },
            }),
            response: () => {},
          },
        },
        config,
      ),
  )
}

const facts: SinkFacts<Config> = {
  config: { baseUrl: 'https://acme.example/v1', apiKey: SECRET },
  secrets: [SECRET],
  read: (request) => ({ id: request.headers['x-batch'] ?? '', rows: rowsOfLines(request) }),
}

testSink(sinkOf(), facts)

/** Sink that changes the request of a batch. */
function sending(batchOf: (batch: SinkBatch) => SinkBatch) {
  return sinkOf((sink) => ({
    ...sink,
    write: {
      request: (batch, call) => {
        if (!('request' in sink.write)) throw new TypeError('It has an exchange.')
        return sink.write.request(batchOf(batch), call)
      },
      response: () => {},
    },
  }))
}

/** Sink that sends requests itself. */
function fetching(send: (batch: SinkBatch, config: Config, signal: AbortSignal) => Promise<void>) {
  return sinkOf((sink, config) => ({ ...sink, write: { run: (batch, signal) => send(batch, config, signal) } }))
}

function post({ baseUrl, apiKey }: Config, { id, content }: SinkBatch, init: RequestInit = {}): Promise<Response> {
  return fetch(`${baseUrl}/rows`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'x-batch': id },
    body: new Uint8Array(content),
    redirect: 'manual',
    ...init,
  })
}

/** Failure by status, as the gateway decides it. */
function check({ status, headers }: Response): void {
  const after = headers.get('retry-after')
  const details = { ...(after !== null && { retryAfterMs: Number(after) * 1_000 }) }
  if (status === 400 || status === 422) throw new HeadgateError('invalid-request', 'no', details)
  if (status === 413) throw new HeadgateError('too-large', 'no', details)
  if (status >= 300) throw new HeadgateError('upstream', 'no', details)
}

const WRONG = {
  'loses the last row': [
    sending(({ content, ...rest }) => ({ ...rest, content: content.subarray(0, content.lastIndexOf(10, -2) + 1) })),
    /of 3 rows/,
  ],
  'has a new id for each attempt': [sending((batch) => ({ ...batch, id: crypto.randomUUID() })), /another id/],
  'has one id for all batches': [sending((batch) => ({ ...batch, id: 'usage' })), /same id/],
  'changes the batch': [
    sending((batch) => {
      Object.assign(batch.lines, { 0: '{}' })
      return batch
    }),
    /arrive changed/,
  ],
  'answers before the destination': [
    fetching(async (batch, config) => {
      void post(config, batch).catch(() => {})
    }),
    /received 0 of 1 rows/,
  ],
  'ignores its signal': [
    fetching(async (batch, config) => {
      const response = await post(config, batch)
      await response.text()
      check(response)
    }),
    /continues after its signal/,
  ],
  'follows redirects': [
    fetching(async (batch, config, signal) => {
      const response = await post(config, batch, { redirect: 'follow', signal })
      await response.text()
      check(response)
    }),
    /followed a redirect/,
  ],
  'quotes its secret in errors': [
    fetching(async (batch, config, signal) => {
      const response = await post(config, batch, { signal })
      const body = await response.text()
      check(response.status === 500 ? new Response(undefined, { status: 200 }) : response)
      if (response.status === 500) throw new HeadgateError('upstream', body)
    }),
    /repeats is part of the error/,
  ],
  'reads a response without a limit': [
    fetching(async (batch, config, signal) => {
      const response = await post(config, batch, { signal })
      const body = Buffer.from(await response.arrayBuffer())
      check(response)
      kept.push(body)
    }),
    /read into memory/,
  ],
  'has its secret in the URL': [
    sinkOf((sink, { apiKey }) => ({ ...sink, credential: { kind: 'query', name: 'key', value: apiKey } })),
    /part of the URL/,
  ],
  'sets batches aside after a wrong credential': [
    sinkOf((sink) => ({
      ...sink,
      readError: ({ status }) => (status === 401 ? { kind: 'invalid-request', message: 'no' } : undefined),
    })),
    /After status 401, the batch is set aside/,
  ],
  'repeats rejected batches forever': [
    sinkOf((sink) => ({
      ...sink,
      readError: ({ status }) => (status === 400 ? { kind: 'upstream', message: 'no' } : undefined),
    })),
    /repeated forever/,
  ],
  'drops the wait': [
    sinkOf((sink) => ({
      ...sink,
      readError: ({ status }) => (status === 429 ? { kind: 'rate-limited', message: 'no' } : undefined),
    })),
    /`retry-after` of a 429 is lost/,
  ],
  'takes errors in a body for success': [sinkOf(), /After an error with the status 200/],
  'has batches without a limit': [
    sinkOf((sink) => ({ ...sink, limits: { ...sink.limits, bytes: Number.POSITIVE_INFINITY } })),
    /`limits` are/,
  ],
} as const

/** Bodies that a wrong sink keeps. */
const kept: Buffer[] = []

describe('A sink that', () => {
  it.each(Object.entries(WRONG))('%s is found', async (name, [adapter, expected]) => {
    const reply = { kind: 'whole', body: { error: 'no space' } } as const
    const failures = name.includes('in a body') ? [{ name: 'an error with the status 200', reply }] : []
    const findings = await examineSink(adapter, { ...facts, failures })
    kept.length = 0
    expect(findings.map(({ message }) => message).join('\n')).toMatch(expected)
  })
})
