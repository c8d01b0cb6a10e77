import { bearer } from '@headgate/core/credentials'
import { defineProvider, endpoint, endpointEnv, type ModelFacts, next } from '@headgate/core/provider'
import { z } from 'zod'
import { chat } from './chat/index.ts'
import { embeddings } from './embeddings.ts'
import { rerank } from './rerank.ts'

/** @see https://docs.cohere.com/reference/list-models */
const Models = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      endpoints: z.array(z.string()).nullish(),
      context_length: z.number().nullish(),
      is_deprecated: z.boolean().nullish(),
    }),
  ),
  next_page_token: z.string().nullish(),
})

const FAMILIES: Readonly<Record<string, string>> = { chat: 'chat', embed: 'embeddings', rerank: 'rerank' }

function readModels(body: unknown): ModelFacts[] {
  return Models.parse(body).models.flatMap(({ name, endpoints, context_length }) => {
    const families = (endpoints ?? []).flatMap((one) => FAMILIES[one] ?? [])
    return families.length === 0 ? [] : [{ id: name, families, ...(context_length && { context: context_length }) }]
  })
}

const page = (token?: string | null) =>
  ({
    method: 'GET',
    url: `/v1/models?page_size=1000${token ? `&page_token=${encodeURIComponent(token)}` : ''}`,
  }) as const

/**
 * Cohere API, version 2: chat, embeddings and reranking.
 *
 * @see https://docs.cohere.com/reference/chat
 * @see https://docs.cohere.com/docs/rate-limits
 */
export const cohere = defineProvider(
  {
    id: 'cohere',
    title: 'Cohere',
    config: z.strictObject(endpoint('https://api.cohere.com')),
    env: { ...endpointEnv('cohere'), apiKey: ['COHERE_API_KEY', 'CO_API_KEY'] },
    claims: [/^command-/, /^c4ai-/, /^rerank-(?:v|english|multilingual)/],
  },
  ({ apiKey, baseUrl }) => ({
    baseUrl,
    credential: bearer(apiKey),
    chat: [{ format: chat, path: () => '/v2/chat', facts: { usageInStream: 'always' } }],
    embeddings,
    rerank,
    // Only trial keys have it.
    limitHeaders: [{ unit: 'requests', remaining: 'x-trial-endpoint-call-remaining', windowMs: 60_000 }],
    models: {
      request: () => page(),
      response(answer, _, earlier) {
        const { next_page_token: token } = Models.parse(answer.body)
        return token ? next(page(token)) : [...earlier, answer].flatMap(({ body }) => readModels(body))
      },
    },
  }),
)
