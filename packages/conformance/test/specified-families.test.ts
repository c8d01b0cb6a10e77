import type { EmbeddingsRequest, HttpRequest, Json, VideoRequest } from '@headgate/core/provider'
import type { SearchQuery } from '@headgate/core/search'
import type { ProviderInstance } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { readDocument, specifications } from '../../core/test/specifications/documents.ts'
import { readSpecification, type Source } from '../../core/test/specifications/validator.ts'
import { testCall } from '../src/index.ts'

if (specifications === undefined)
  process.stderr.write('Requests of families are not checked: HEADGATE_SPECS names no folder.\n')

/** The schema of the requests of a path. */
function at(file: string, path: string, open = false): () => Source {
  return () => {
    const paths = readDocument(file)['paths'] as Record<
      string,
      { post: { requestBody: { content: Record<string, { schema: Json }> } } }
    >
    return { file, root: paths[path]?.post.requestBody.content['application/json']?.schema ?? {}, overlaps: true, open }
  }
}

const named =
  (file: string, root: string, open = false) =>
  (): Source => ({ file, root, open })

async function adapterOf(kind: 'providers' | 'search', id: string) {
  const made = (await import(`../../${kind}/${id}/src/index.ts`)) as Record<
    string,
    (config: object) => ProviderInstance
  >
  return made[id]?.({ apiKey: 'k', baseUrl: 'https://vendor.example' })
}

const query: SearchQuery = {
  q: 'tides',
  limit: 10,
  offset: 0,
  page: 0,
  siteSearch: { include: [{ host: 'example.com', path: '' }], exclude: [] },
  dateRestrict: { unit: 'w', count: 2, since: '2026-01-31' },
  gl: 'no',
  hl: 'en',
  lr: 'en',
  safe: true,
  exactTerms: 'spring tide',
  excludeTerms: 'soap',
  parameters: {},
}

const inputs: EmbeddingsRequest = { model: 'model', inputs: ['tide', 'ebb'], encoding: 'float' }
const ranking = { model: 'model', query: 'tide', documents: ['ebb', 'flow'], top: 1 }
const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const video: VideoRequest = {
  model: 'model',
  intent: '7f8a2c52-3a0e-4c1b-9b7e-0f6a1f6f8c11',
  text: 'Waves.',
  images: [],
  videos: [],
  audios: [],
  body: { content: [{ type: 'text', text: 'Waves.' }] },
  firstFrame: { base64: image, type: 'image/png' },
  duration: 5,
  ratio: '16:9',
  resolution: '720p',
  seed: 7,
  audio: true,
  watermark: false,
  cameraFixed: false,
  expiresAfter: 7200,
}

type Exchanges = Readonly<
  Record<'embeddings' | 'rerank' | 'search', { request(input: unknown, call: object): HttpRequest }>
>

/** The JSON that is sent: fields that are undefined are not. */
function sentOf(body: HttpRequest['body']): unknown {
  return body && 'json' in body ? JSON.parse(JSON.stringify(body.json)) : undefined
}

/** What is sent by families other than chat. */
const CASES = [
  { kind: 'search', id: 'exa', family: 'search', input: query, source: at('search/exa.openapi.yaml', '/search', true) },
  { kind: 'search', id: 'tavily', family: 'search', input: query, source: at('search/tavily.openapi.json', '/search') },
  {
    kind: 'search',
    id: 'serper',
    family: 'search',
    input: query,
    source: named('search/serper.openapi.yaml', 'SearchRequest', true),
  },
  {
    kind: 'providers',
    id: 'mistral',
    family: 'embeddings',
    input: inputs,
    source: named('mistral/openapi.yaml', 'EmbeddingRequest'),
  },
  {
    kind: 'providers',
    id: 'cohere',
    family: 'embeddings',
    input: inputs,
    source: at('cohere/openapi.yaml', '/v2/embed'),
  },
  {
    kind: 'providers',
    id: 'openai',
    family: 'embeddings',
    input: inputs,
    source: named('openai/openapi.trimmed.json', 'CreateEmbeddingRequest'),
  },
  {
    kind: 'providers',
    id: 'openrouter',
    family: 'embeddings',
    input: inputs,
    source: at('openrouter/openapi.json', '/embeddings'),
  },
  {
    kind: 'providers',
    id: 'cohere',
    family: 'rerank',
    input: ranking,
    source: at('cohere/openapi.yaml', '/v2/rerank'),
  },
  {
    kind: 'providers',
    id: 'openrouter',
    family: 'rerank',
    input: ranking,
    source: at('openrouter/openapi.json', '/rerank'),
  },
] as const

describe.runIf(specifications !== undefined)('A request', { tags: ['full'] }, () => {
  it.each(CASES)('of $family to $id is valid', async ({ kind, id, family, input, source }) => {
    const adapter = (await adapterOf(kind, id)) as unknown as Exchanges
    const { body } = adapter[family].request(input, testCall({ model: 'model' }))
    expect(readSpecification(source())(sentOf(body))).toEqual([])
  })

  it('for a video to volcengine is valid', async () => {
    const provider = await adapterOf('providers', 'volcengine')
    const create = provider?.video && 'request' in provider.video.create ? provider.video.create : undefined
    const sent = create?.request(video, testCall({ model: 'model' })).body
    const { $defs } = readDocument('volcengine/video-tasks.schema.json')
    const root = { $ref: '#/$defs/CreateTaskRequest', $defs } as Json
    expect(readSpecification({ file: 'volcengine/video-tasks.schema.json', root })(sentOf(sent))).toEqual([])
  })
})
