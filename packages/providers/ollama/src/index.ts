import { bearer } from '@headgate/core/credentials'
import {
  type ChatSupport,
  defineProvider,
  endpoint,
  guardFacts,
  guardsSupport,
  type HttpRequest,
  type ModelFacts,
} from '@headgate/core/provider'
import { z } from 'zod'
import { chat } from './chat/index.ts'
import { embeddings } from './embeddings.ts'

/** @see https://docs.ollama.com/api/tags */
const Tags = z.object({
  models: z
    .array(z.object({ name: z.string(), details: z.object({ family: z.string().nullish() }).nullish() }))
    .nullish(),
})

/** Architectures that only support embeddings. */
const EMBEDDING = /bert/

function readModels(body: unknown): ModelFacts[] {
  return (Tags.parse(body).models ?? []).map(({ name, details }) =>
    guardFacts({ id: name, ...(details?.family && EMBEDDING.test(details.family) && { families: ['embeddings'] }) }),
  )
}

const native: ChatSupport = {
  format: chat,
  path: () => '/api/chat',
  framing: 'ndjson',
  facts: { usageInStream: 'always' },
}

/** @see https://docs.ollama.com/api/openai-compatibility */
const compatible: ChatSupport = {
  format: 'chat-completions',
  path: () => '/v1/chat/completions',
  rename: { max_completion_tokens: 'max_tokens' },
  drop: ['logit_bias', 'user', 'n', 'tool_choice'],
  facts: { reasoning: 'reasoning', imageUrls: false },
}

/** @see https://docs.ollama.com/api/openai-compatibility */
const completions: ChatSupport = {
  format: 'completions',
  path: () => '/v1/completions',
  drop: ['best_of', 'echo', 'logit_bias', 'user', 'n'],
}

const { apiKey, baseUrl } = endpoint('http://127.0.0.1:11434')
const authorization = (key: string | undefined): NonNullable<HttpRequest['headers']> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }

/**
 * Ollama: native chat and embeddings, legacy completions, and its installed models.
 *
 * It is enabled if the server responds. A key is only needed for servers that require one, for example Ollama's cloud.
 *
 * @see https://docs.ollama.com/api
 */
export const ollama = defineProvider(
  {
    id: 'ollama',
    title: 'Ollama',
    config: z.strictObject({ apiKey: apiKey.optional(), baseUrl, api: z.enum(['native', 'openai']).default('native') }),
    env: { apiKey: ['OLLAMA_API_KEY'], baseUrl: ['OLLAMA_BASE_URL'] },
    probe: ({ apiKey: key }) => ({ method: 'GET', url: '/api/tags', headers: authorization(key) }),
  },
  ({ apiKey: key, api, ...server }) => ({
    ...server,
    credential: key === undefined ? { kind: 'none' } : bearer(key),
    chat: [api === 'native' ? native : compatible, completions],
    embeddings,
    moderations: guardsSupport('/v1/chat/completions'),
    models: { request: () => ({ method: 'GET', url: '/api/tags' }), response: ({ body }) => readModels(body) },
  }),
)
