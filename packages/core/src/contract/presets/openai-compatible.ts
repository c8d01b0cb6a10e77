import { z } from 'zod'
import { isObject, type Json, number, objects, text } from '../../canonical/json.ts'
import type { ModelFacts } from '../../canonical/target.ts'
import { HeadgateError } from '../../errors.ts'
import { type ChatSupport, forModel, type PerModel } from '../chat.ts'
import type { Credential } from '../credential.ts'
import { bearer } from '../credentials/bearer.ts'
import type { EmbeddingsRequest, EmbeddingsResponse, EmbeddingsSupport, Vector } from '../embeddings.ts'
import { endpoint, endpointEnv } from '../endpoint.ts'
import type { Exchange } from '../exchange.ts'
import type { HttpResponse } from '../http.ts'
import { defineProvider, type EnvironmentSource, type Provider, type ProviderMeta } from '../provider.ts'
import { type VideosBody, videosSupport } from './videos.ts'

export { apiKey, baseUrl, endpoint, endpointEnv } from '../endpoint.ts'
export type { ProviderAdapter } from '../provider.ts'

const NONE: Credential = { kind: 'none' }

/** How a server deviates from chat completions: data where data is enough. Each member is documented in `contract/chat.ts`. */
type Deviations = Pick<
  ChatSupport,
  'drop' | 'rename' | 'routingFields' | 'patchRequest' | 'patchResponse' | 'patchFrame' | 'signer' | 'facts' | 'forward' | 'answer'
>

/** What holds of a server's embeddings. Each member is documented in `contract/embeddings.ts`. */
type EmbeddingsFacts = Pick<EmbeddingsSupport, 'batch' | 'inputTypes'>

/** What a server that speaks chat completions does. */
export interface ServerOptions extends Deviations, Pick<Provider, 'known' | 'readError' | 'hosts'> {
  /** Below the base URL, or by model; default `/chat/completions`. */
  readonly path?: PerModel<string>
  /** Added to the query of every chat request: `api-version`. */
  readonly query?: Readonly<Record<string, string>>
  /** In place of `Authorization: Bearer <apiKey>`. */
  readonly credential?: Credential
  /** Headers with fixed values, on every request. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * `POST /embeddings` in the OpenAI shape; `batch` is the most inputs of one call, `inputTypes` the server's words for uses, sent as
   * `input_type`: `{ query: 'query', document: 'passage' }`. Default: no embeddings.
   */
  readonly embeddings?: boolean | EmbeddingsFacts
  /**
   * Videos by `POST /videos` in the OpenAI shape, and how the server takes requests: as a `form`, which `true` means, or as `json`.
   * Default: no videos.
   */
  readonly videos?: boolean | VideosBody
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
  readonly env?: { readonly apiKey?: readonly EnvironmentSource[]; readonly baseUrl?: readonly EnvironmentSource[] }
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
  const { baseUrl, apiKey, embeddings, videos, models = readModel, known, readError, headers = {}, path, query, hosts, ...rest } = options
  const { credential = apiKey === undefined ? NONE : bearer(apiKey), ...deviations } = rest
  const suffix = query ? `?${new URLSearchParams(query)}` : ''
  return {
    baseUrl,
    ...(hosts && { hosts }),
    credential,
    chat: [
      {
        ...deviations,
        format: 'chat-completions',
        path: ({ model }) => `${forModel(path, model) ?? '/chat/completions'}${suffix}`,
        headers,
      },
    ],
    ...(models && { models: modelList(headers, models) }),
    ...(embeddings && { embeddings: embeddingsSupport(headers, embeddings === true ? {} : embeddings) }),
    ...(videos && { video: videosSupport(baseUrl, headers, videos === true ? 'form' : videos) }),
    ...(known && { known }),
    ...(readError && { readError }),
  }
}

/** An entry of a list of models: its id, its date, and its context window under the names that servers have for it. */
export function readModel(entry: Json): ModelFacts | undefined {
  const id = text(entry['id'])
  const context = number(entry['context_length']) ?? number(entry['context_window']) ?? number(entry['max_model_len'])
  const created = number(entry['created'])
  return id === undefined ? undefined : { id, ...(created !== undefined && { created }), ...(context !== undefined && { context }) }
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
function embeddingsSupport(headers: Readonly<Record<string, string>>, facts: EmbeddingsFacts): EmbeddingsSupport {
  const path = '/embeddings'
  const exchange: Exchange<EmbeddingsRequest, EmbeddingsResponse> = {
    request({ model, inputs, dimensions, encoding, use }, call) {
      const input_type = use && facts.inputTypes?.[use]
      if (use !== undefined && input_type === undefined)
        call.lose('input_type', facts.inputTypes ? 'the provider has nothing like it' : 'the provider has one kind of vectors')
      const json = { model, input: inputs, dimensions, encoding_format: encoding, ...(input_type !== undefined && { input_type }) }
      return { method: 'POST', url: path, headers, body: { json } }
    },
    response: readEmbeddings,
  }
  return { ...exchange, ...facts, tokens: true, native: { embeddings: () => path }, headers }
}

function readEmbeddings({ body }: HttpResponse, { inputs }: EmbeddingsRequest): EmbeddingsResponse {
  const { data, usage, model } = isObject(body) ? body : {}
  const vectors: Vector[] = []
  for (const [position, { index, embedding }] of objects(data).entries()) {
    const place = number(index) ?? position
    if (isVector(embedding) && Number.isInteger(place) && place >= 0 && place < inputs.length) vectors[place] = embedding
  }
  if (inputs.some((_, index) => vectors[index] === undefined) || objects(data).length > inputs.length)
    throw new HeadgateError('upstream', `POST /embeddings did not answer with one vector for each of the ${inputs.length} inputs.`)
  const input = isObject(usage) ? (number(usage['prompt_tokens']) ?? number(usage['total_tokens'])) : undefined
  return {
    vectors,
    ...(typeof model === 'string' && { model }),
    ...(input !== undefined && { usage: { input, output: 0 } }),
  }
}

function isVector(value: unknown): value is Vector {
  return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'number'))
}
