import { testProvider } from '@headgate/conformance'
import { isObject, objects, text } from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { cloudflare } from '../src/index.ts'

const config = { apiKey: 'cloud.of.flare', account: '023e105f4ecef8ad9ca31a8372d0c353' }
const base = `/client/v4/accounts/${config.account}/ai`
const envelope = (result: unknown) => ({ success: true, result, errors: [], messages: [] })
const answer = (body: object, status = 200) => ({ status, headers: {}, body, bytes: new Uint8Array() })
const refusal = (code: number, message: string) => ({
  success: false,
  result: {},
  errors: [{ code, message }],
  messages: [],
})

// Written from https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/, what is ranked and
// the list of models from the types of the vendor's packages `@cloudflare/workers-types` 4 and `cloudflare` 5, errors
// from https://developers.cloudflare.com/workers-ai/platform/errors/
testProvider(cloudflare, {
  config,
  model: '@cf/a-vendor/a-model',
  upstream: {
    format: 'chat-completions',
    path: `${base}/v1/chat/completions`,
    models: {
      path: `${base}/models/search`,
      write: (ids) => envelope(ids.map((name) => ({ id: `uuid of ${name}`, name, task: { name: 'Text Generation' } }))),
    },
    credential: { header: 'authorization', value: `Bearer ${config.apiKey}` },
    refuses: ['max_completion_tokens'],
  },
  embeddings: { model: '@cf/baai/bge-m3', format: 'embeddings', path: `${base}/v1/embeddings`, batch: 100 },
  rerank: {
    model: '@cf/baai/bge-reranker-base',
    path: `${base}/run/@cf/baai/bge-reranker-base`,
    counts: 'nothing',
    read({ body }) {
      if (!isObject(body)) throw new Error('The body must be an object.')
      const { query, contexts, top_k, ...others } = body
      if (Object.keys(others).length > 0) throw new Error(`unknown field: ${Object.keys(others)}`)
      return {
        query: String(query),
        documents: objects(contexts).map((one) => text(one['text']) ?? ''),
        top: top_k as number | undefined,
      }
    },
    write: ({ results }) => envelope({ response: results.map(({ index: id, score }) => ({ id, score })) }),
    error: (_, message) => refusal(5006, message),
  },
})

describe('Errors of Cloudflare', () => {
  const { readError } = cloudflare(config)
  it.each([
    [400, 5007, 'unknown-model'],
    [404, 3042, 'unknown-model'],
    [429, 3036, 'our-quota'],
  ])('with status %i and code %i say %s', (status, code, kind) => {
    expect(readError?.(answer(refusal(code, 'AiError: no'), status))).toEqual({ kind, message: 'AiError: no' })
  })

  it('of other codes are left to their status', () => {
    expect(readError?.(answer(refusal(3040, 'AiError: Capacity'), 429))).toBeUndefined()
  })
})

describe('The list of Cloudflare', () => {
  it('has what makes texts and vectors, and what ranks', () => {
    const { models } = cloudflare(config)
    const result = [
      { name: '@cf/black-forest-labs/flux-1-schnell', task: { name: 'Text-to-Image' } },
      { name: '@cf/baai/bge-reranker-base', task: { name: 'Text Classification' } },
      { name: '@cf/baai/bge-m3', task: { name: 'Text Embeddings' } },
    ]
    expect(models?.response(answer(envelope(result)), undefined, [])).toEqual([
      { id: '@cf/baai/bge-reranker-base', families: ['rerank'] },
      { id: '@cf/baai/bge-m3', families: ['embeddings'] },
    ])
  })
})
