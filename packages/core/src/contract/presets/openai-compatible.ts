import { z } from 'zod'
import { isObject, type Json, number, objects, text } from '../../canonical/json.ts'
import type { ModelFacts } from '../../canonical/target.ts'
import { endpoint, endpointEnv } from '../endpoint.ts'
import { HeadgateError } from '../../errors.ts'
import {
  type ChatSupport,
  defineProvider,
  type EmbeddingsRequest,
  type EmbeddingsResponse,
  type Exchange,
  type HttpResponse,
  type Provider,
  type ProviderMeta,
} from '../provider.ts'

export { apiKey, baseUrl, endpoint, endpointEnv } from '../endpoint.ts'
export type { ProviderAdapter } from '../provider.ts'

/** How a server deviates from chat completions: data where data is enough. Each member is documented in `provider.ts`. */
type Deviations = Pick<
  ChatSupport,
  'drop' | 'rename' | 'routingFields' | 'patchRequest' | 'patchResponse' | 'patchChunk' | 'signer' | 'facts'
>

/** What a server that speaks chat completions does. */
export interface ServerOptions extends Deviations, Pick<Provider, 'known' | 'readError'> {
  /** Headers with fixed values, on every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** `POST /embeddings` in the OpenAI shape; `batch` is the most inputs of one call. Default: no embeddings. */
  readonly embeddings?: boolean | { readonly batch: number }
  /**
   * How an entry of `GET /models` is read; undefined leaves it out, `false` means that there is no such list. Default
   * {@link readModel}.
   */
  readonly models?: false | ((entry: Json) => ModelFacts | undefined)
}

/** The vocabulary of the preset. */
export interface OpenAICompatibleOptions extends ServerOptions, Pick<ProviderMeta<z.ZodType>, 'id' | 'title' | 'enable' | 'claims'> {
  /** With the version, as in `https://api.example.com/v1`: `/chat/completions` is appended. */
  readonly baseUrl: string
  /** Further names of environment variables, after `<ID>_API_KEY` and `<ID>_BASE_URL`. */
  readonly env?: { readonly apiKey?: readonly string[]; readonly baseUrl?: readonly string[] }
}

/**
 * Makes the adapter of a service that speaks chat completions: chat, the live list of models and, where asked for,
 * embeddings. Its config is `apiKey` (required) and `baseUrl`. An adapter whose config has more fields calls
 * {@link openAICompatibleServer} within its own `defineProvider`.
 *
 * ```ts
 * export const example = openAICompatible({
 *   id: 'example',
 *   title: 'Example',
 *   baseUrl: 'https://api.example.com/v1',
 *   drop: ['logit_bias'],
 *   rename: { max_completion_tokens: 'max_tokens' },
 * })
 * ```
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export function openAICompatible({ id, title, enable, claims, baseUrl, env, ...server }: OpenAICompatibleOptions) {
  const derived = endpointEnv(id)
  return defineProvider(
    {
      id,
      title,
      config: z.strictObject(endpoint(baseUrl)),
      env: { apiKey: [...derived.apiKey, ...(env?.apiKey ?? [])], baseUrl: [...derived.baseUrl, ...(env?.baseUrl ?? [])] },
      ...(enable && { enable }),
      ...(claims && { claims }),
    },
    (config) => openAICompatibleServer({ ...server, ...config }),
  )
}

/** The provider behind {@link openAICompatible}, under a base URL of the config's. Without an `apiKey` no credential is sent. */
export function openAICompatibleServer(
  options: ServerOptions & { readonly baseUrl: string; readonly apiKey?: string | undefined },
): Provider {
  const { baseUrl, apiKey, embeddings, models = readModel, known, readError, headers = {}, ...deviations } = options
  return {
    baseUrl,
    credential: apiKey === undefined ? { kind: 'none' } : { kind: 'header', name: 'authorization', value: `Bearer ${apiKey}` },
    chat: [{ ...deviations, format: 'chat-completions', path: () => '/chat/completions', headers }],
    ...(models && { models: modelList(headers, models) }),
    ...(embeddings && { embeddings: { ...embeddingsExchange(headers), ...(embeddings !== true && embeddings) } }),
    ...(known && { known }),
    ...(readError && { readError }),
  }
}

/** An entry of a list of models: its id, and its context window under the names that servers have for it. */
export function readModel(entry: Json): ModelFacts | undefined {
  const id = text(entry['id'])
  const context = number(entry['context_length']) ?? number(entry['context_window']) ?? number(entry['max_model_len'])
  return id === undefined ? undefined : { id, ...(context !== undefined && { context }) }
}

function modelList(
  headers: Readonly<Record<string, string>>,
  read: (entry: Json) => ModelFacts | undefined,
): Exchange<void, readonly ModelFacts[]> {
  return {
    request: () => ({ method: 'GET', url: '/models', headers }),
    response: ({ body }) => {
      // Some servers answer with the bare list, and some write an empty one as null.
      const list = isObject(body) && 'data' in body ? (body['data'] ?? []) : body
      if (!Array.isArray(list)) throw new HeadgateError('upstream', 'GET /models did not answer with a list in `data`. Check the base URL.')
      return objects(list).flatMap((entry) => read(entry) ?? [])
    },
  }
}

/** @see https://platform.openai.com/docs/api-reference/embeddings/create */
function embeddingsExchange(headers: Readonly<Record<string, string>>): Exchange<EmbeddingsRequest, EmbeddingsResponse> {
  return {
    request: ({ model, inputs, dimensions }) => ({
      method: 'POST',
      url: '/embeddings',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model, input: inputs, dimensions }),
    }),
    response: readEmbeddings,
  }
}

function readEmbeddings({ body }: HttpResponse, { inputs }: EmbeddingsRequest): EmbeddingsResponse {
  const { data, usage } = isObject(body) ? body : {}
  const vectors: number[][] = []
  for (const [position, { index, embedding }] of objects(data).entries()) {
    if (isVector(embedding)) vectors[number(index) ?? position] = embedding
  }
  const missing = inputs.findIndex((_, index) => vectors[index] === undefined)
  if (missing !== -1 || vectors.length > inputs.length) {
    throw new HeadgateError('upstream', `POST /embeddings did not answer with one vector for each of the ${inputs.length} inputs.`)
  }
  const input = isObject(usage) ? (number(usage['prompt_tokens']) ?? number(usage['total_tokens'])) : undefined
  return { vectors, ...(input !== undefined && { usage: { input } }) }
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number')
}
