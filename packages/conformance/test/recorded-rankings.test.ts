import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { object, objects, parse } from '@headgate/core/codec'
import type { Json } from '@headgate/core/provider'
import { createGateway, type Gateway, type ProviderInstance } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CALLER_KEY, type LoopbackUpstream, startUpstream } from '../src/index.ts'

/**
 * Providers whose rankings were recorded, with a model that ranks. Voyage AI's are in its package, as its answers have
 * another shape.
 */
const PROVIDERS: Readonly<Record<string, string>> = {
  cohere: 'rerank-v3.5',
  openrouter: 'voyageai/rerank-2.5-lite',
  together: 'Salesforce/Llama-Rank-V1',
}

interface Recording {
  readonly id: string
  readonly provider: string
  readonly family: string
  /** Null where none was recorded. */
  readonly request: Json | null
  readonly responseStatus: number
  readonly responseBody: string
  readonly suspectSynthetic?: boolean
}

const folder = process.env['HEADGATE_RECORDINGS'] || undefined
if (folder === undefined) process.stderr.write('Recorded rankings are left out: HEADGATE_RECORDINGS names no folder.\n')

function readRecordings(): Recording[] {
  if (folder === undefined) return []
  return gunzipSync(readFileSync(join(folder, 'dev.jsonl.gz')))
    .toString('utf8')
    .split('\n')
    .filter((line) => line.includes('"rerank"'))
    .map((line) => JSON.parse(line) as Recording)
    .filter(
      ({ provider, family, suspectSynthetic }) =>
        family === 'rerank' && !suspectSynthetic && Object.hasOwn(PROVIDERS, provider),
    )
}

const fields = (value: unknown): Json => object(value) ?? {}

/** Places and scores, as text: compared by truth, so that a failure shows nothing of them. */
function orderOf(answer: Json): string {
  return JSON.stringify(objects(answer['results']).map(({ index, relevance_score }) => [index, relevance_score]))
}

/** What was counted: searches, or tokens. */
function countedIn({ meta, usage }: Json): unknown {
  const { search_units } = fields(fields(meta)['billed_units'])
  return search_units ?? fields(usage)['total_tokens']
}

/** The documents of a recording; where they were not recorded, as many as its answer has places of. */
function documentsOf({ request }: Recording, answer: Json): unknown {
  const most = Math.max(...objects(answer['results']).map(({ index }) => Number(index)))
  return request?.['documents'] ?? Array.from({ length: most + 1 }, (_, index) => `Document ${index}.`)
}

/** Traffic of real services. Nothing of it is in the repository, nor in what these tests say: ids only. */
describe.runIf(folder !== undefined)('Recorded rankings', { tags: ['full'] }, () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: await Promise.all(Object.keys(PROVIDERS).map((id) => provider(id, upstream.origin))),
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  it.each(readRecordings().map((one) => [one.id, one] as const))(
    '%s has the same order, and what was counted',
    async (_, recording) => {
      const recorded = fields(parse(recording.responseBody))
      upstream.answer(({ method }) =>
        method === 'GET' ? { kind: 'whole', body: { models: [], data: [] } } : { kind: 'whole', body: recorded },
      )
      const { provider: vendor, request } = recording
      const body = {
        model: request?.['model'] ?? PROVIDERS[vendor],
        query: request?.['query'] ?? 'Which?',
        documents: documentsOf(recording, recorded),
        top_n: objects(recorded['results']).length,
      }
      const headers = { authorization: `Bearer ${CALLER_KEY}`, 'content-type': 'application/json', vendor }
      const answer = await gateway.fetch(
        new Request('http://localhost/v1/rerank', { method: 'POST', body: JSON.stringify(body), headers }),
      )
      const told = (await answer.json()) as Json
      expect([answer.status, orderOf(told) === orderOf(recorded), countedIn(told)]).toEqual([
        200,
        true,
        countedIn(recorded),
      ])
    },
  )

  it('are of every provider here', () => {
    expect([...new Set(readRecordings().map((one) => one.provider))].toSorted()).toEqual(Object.keys(PROVIDERS))
  })
})

async function provider(id: string, origin: string): Promise<ProviderInstance> {
  const adapter = (await import(`../../providers/${id}/src/index.ts`))[id]
  const { pathname } = new URL(adapter({ apiKey: 'k' }).baseUrl)
  return adapter({ apiKey: 'zebra.of.the.record', baseUrl: `${origin}${pathname === '/' ? '' : pathname}` })
}
