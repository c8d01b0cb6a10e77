import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { CALLER_KEY, type LoopbackUpstream, startUpstream } from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'
import { createGateway, type Gateway } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { voyage } from '../src/index.ts'

interface Recording {
  readonly id: string
  readonly provider: string
  readonly family: string
  readonly request: Readonly<Record<string, unknown>>
  readonly responseStatus: number
  readonly responseBody: string
  readonly suspectSynthetic?: boolean
}

const folder = process.env['HEADGATE_RECORDINGS'] || undefined
if (folder === undefined)
  process.stderr.write('Recorded answers of Voyage AI are left out: HEADGATE_RECORDINGS names no folder.\n')

function recordingsOf(family: string): Recording[] {
  if (folder === undefined) return []
  return gunzipSync(readFileSync(join(folder, 'dev.jsonl.gz')))
    .toString('utf8')
    .split('\n')
    .filter((line) => line.includes('"voyage"'))
    .map((line) => JSON.parse(line) as Recording)
    .filter((one) => one.provider === 'voyage' && one.family === family && !one.suspectSynthetic)
}

/** Callers that are given numbers, where the service was asked for base64. */
interface Caller {
  readonly name: string
  path(model: string): string
  body(model: string, texts: readonly string[]): Json
  /** The vectors of an answer. */
  read(body: Json): unknown
}

const listOf = (value: unknown): Json[] => value as Json[]
const CALLERS: readonly Caller[] = [
  {
    name: 'clients of OpenAI',
    path: () => '/v1/embeddings',
    body: (model, input) => ({ model, input, encoding_format: 'float' }),
    read: (body) => listOf(body['data']).map(({ embedding }) => embedding),
  },
  {
    name: 'clients of the Gemini API',
    path: (model) => `/v1beta/models/${model}:batchEmbedContents`,
    body: (model, texts) => ({
      requests: texts.map((text) => ({ model: `models/${model}`, content: { parts: [{ text }] } })),
    }),
    read: (body) => listOf(body['embeddings']).map(({ values }) => values),
  },
  {
    name: 'clients of Vertex AI',
    path: (model) => `/v1/projects/p/locations/l/publishers/google/models/${model}:predict`,
    body: (_, texts) => ({ instances: texts.map((content) => ({ content })) }),
    read: (body) => listOf(body['predictions']).map(({ embeddings }) => (embeddings as Json)['values']),
  },
]

/** 32-bit floats, little endian. */
function numbersOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

/** Traffic of the real service. Nothing of it is in the repository, nor in what these tests say: ids only. */
describe.runIf(folder !== undefined)('Recorded answers of Voyage AI', { tags: ['full'] }, () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: [voyage({ apiKey: 'k', baseUrl: `${upstream.origin}/v1` })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  async function ask(
    path: string,
    body: Json,
    { responseStatus: status, responseBody }: Recording,
  ): Promise<{ status: number; body: Json }> {
    upstream.answer({ kind: 'whole', status, body: responseBody, headers: { 'content-type': 'application/json' } })
    const headers = { authorization: `Bearer ${CALLER_KEY}`, 'content-type': 'application/json', vendor: 'voyage' }
    const answer = await gateway.fetch(
      new Request(`http://localhost${path}`, { method: 'POST', body: JSON.stringify(body), headers }),
    )
    return { status: answer.status, body: (await answer.json()) as Json }
  }

  it.each(recordingsOf('embeddings').map((one) => [one.id, one] as const))(
    '%s holds the same vectors',
    async (_, recording) => {
      const { model, input } = recording.request
      const { status, body } = await ask('/v1/embeddings', { model, input, encoding_format: 'base64' }, recording)
      expect(status).toBe(recording.responseStatus)
      const sent = JSON.parse(recording.responseBody)
      if (status !== 200) return
      const vectors = (answer: Json): unknown[] => (answer['data'] as Json[]).map(({ embedding }) => embedding)
      // Compared by truth, so that a failure shows nothing of them.
      expect(JSON.stringify(vectors(body)) === JSON.stringify(vectors(sent))).toBe(true)
      expect(Object(body['usage']).total_tokens).toBe(sent.usage.total_tokens)
    },
  )

  it.each(
    recordingsOf('embeddings').flatMap((one) => CALLERS.map((caller) => [one.id, caller.name, one, caller] as const)),
  )('%s holds the same numbers for %s', async (_, __, recording, { path, body: bodyOf, read }) => {
    const { model, input } = recording.request
    const { status, body } = await ask(path(String(model)), bodyOf(String(model), input as string[]), recording)
    expect(status).toBe(recording.responseStatus)
    if (status !== 200) return
    const sent = JSON.parse(recording.responseBody).data.map(({ embedding }: Json) => numbersOf(String(embedding)))
    expect(JSON.stringify(read(body)) === JSON.stringify(sent)).toBe(true)
  })

  it.each(recordingsOf('rerank').map((one) => [one.id, one] as const))(
    '%s has the same order',
    async (_, recording) => {
      const { model, query, documents, top_k } = recording.request
      const { status, body } = await ask('/v1/rerank', { model, query, documents, top_n: top_k }, recording)
      const order = (list: unknown) =>
        (list as Json[]).map(({ index, relevance_score }) => ({ index, relevance_score }))
      expect([status, order(body['results'])]).toEqual([200, order(JSON.parse(recording.responseBody).data)])
    },
  )
})
