import { z } from 'zod'
import { compact, type Json } from '../canonical/json.ts'
import type { ModelFacts } from '../canonical/target.ts'
import type { ChatSupport, PerModel } from '../contract/chat.ts'
import type { Credential } from '../contract/credential.ts'
import { endpoint, endpointEnv } from '../contract/endpoint.ts'
import type { HttpRequest } from '../contract/http.ts'
import {
  defineProvider,
  type EnvironmentSource,
  type Provider,
  type ProviderAdapter,
  type ProviderMeta,
} from '../contract/provider.ts'
import { bearer } from '../credentials/bearer.ts'
import type { ErrorKind } from '../errors.ts'
import {
  type CompletionsModels,
  chatSupport,
  completionsSupport,
  type Deviations,
  exceptLegacy,
  messagesSupport,
  type ResponsesDeviations,
  responsesSupport,
} from './chat.ts'
import { type EmbeddingsFacts, embeddingsSupport } from './embeddings.ts'
import { errorsByCode } from './errors-by-code.ts'
import { modelList } from './model-list.ts'
import { type RerankFacts, rerankSupport } from './rerank.ts'
import type { ThoughtChunk } from './thought-chunks.ts'
import { type VideosBody, videosSupport } from './videos.ts'

export { apiKey, baseUrl, endpoint, endpointEnv } from '../contract/endpoint.ts'
export type { ProviderAdapter } from '../contract/provider.ts'
export { MEDIA_NAMES, readModel } from './model-list.ts'

const NONE: Credential = { kind: 'none' }

/** What a server that speaks chat completions does. */
export interface ServerOptions
  extends Deviations,
    Pick<ChatSupport, 'speaks'>,
    Pick<Provider, 'known' | 'readError' | 'hosts'> {
  /** `false`: there is no chat, only what is said besides. */
  readonly chat?: false
  /** Below the base URL, or by model; default `/chat/completions`. */
  readonly path?: PerModel<string>
  /** Begins every path but that of `videos`, where the base URL is a host: `/v1`. */
  readonly base?: string
  /**
   * Where it takes messages as well, whole and without the host of the base URL: callers of that format are given it as
   * it is. Default: nowhere.
   */
  readonly messages?: string
  /** The role `developer` is not known there: what it says goes up as `system`, which means the same. */
  readonly systemOnly?: boolean
  /**
   * What a model thinks is such a chunk of the content there: callers have it in `reasoning_content`, and it goes back
   * as a chunk.
   */
  readonly thoughtChunks?: ThoughtChunk
  /**
   * What the codes and types of its errors mean, where that is not what their words or the status say; `readError` is
   * asked first.
   */
  readonly errors?: Readonly<Record<string, ErrorKind>>
  /** Chat and embeddings of a model have paths of their own: `/deployments/{model}` stands before them. */
  readonly deployments?: boolean
  /** Added to the query of every request but those for videos: `api-version`. */
  readonly query?: Readonly<Record<string, string>>
  /** In place of `Authorization: Bearer <apiKey>`. */
  readonly credential?: Credential
  /** Headers with fixed values, on every request; undefined = not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /**
   * `POST /responses` as well, for callers of that format, and for all callers of models that do not speak chat
   * completions (`speaks`). What deviates there is said apart. Default: no responses.
   */
  readonly responses?: boolean | ResponsesDeviations
  /**
   * `POST /completions`, the legacy API, as well: requests of its callers go up unchanged, those of other callers never
   * use it. `only`: just these models have it, and they have nothing else. Default: no completions, so that a prompt is
   * sent as a message.
   */
  readonly completions?: boolean | CompletionsModels
  /**
   * `POST /embeddings` in the OpenAI shape; `batch` is the most inputs of one call, `inputTypes` the server's words for
   * uses, sent as
   * `input_type`: `{ query: 'query', document: 'passage' }`; `tokens: false` = it takes no lists of tokens. Default: no
   * embeddings.
   */
  readonly embeddings?: boolean | EmbeddingsFacts
  /**
   * `POST /rerank` in the shape that most share, and how the server deviates; what has `rerank` in its name is then for
   * that, where the list says nothing else. Default: nothing is ranked.
   */
  readonly rerank?: boolean | RerankFacts
  /**
   * Videos by `POST /videos` in the OpenAI shape, and how the server takes requests: as a `form`, which `true` means,
   * or as `json`. Default: no videos.
   */
  readonly videos?: boolean | VideosBody
  /**
   * How an entry of `GET /models` is read; undefined leaves it out, `false` means that there is no such list. Default
   * {@link readModel}.
   */
  readonly models?: false | ((entry: Json) => ModelFacts | undefined)
  /** Models that `GET /models` leaves out. */
  readonly unlisted?: readonly ModelFacts[]
  /**
   * Ids of the list that belong to families which are not served here: pictures, speech. They are left out;
   * `MEDIA_NAMES` has common ones.
   */
  readonly elsewhere?: RegExp
}

/** The vocabulary of the preset. */
export interface OpenAICompatibleOptions
  extends ServerOptions,
    Pick<ProviderMeta<z.ZodType>, 'id' | 'title' | 'enable' | 'claims'> {
  /** With the version, as in `https://api.example.com/v1`: `/chat/completions` is appended. */
  readonly baseUrl: string
  /** A server of one's own, which may ask for no key: used when it is asked for, and found by its list of models. */
  readonly ownServer?: boolean
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
export function openAICompatible(
  options: OpenAICompatibleOptions & { readonly ownServer: true },
): ProviderAdapter<ReturnType<typeof keyless>>
export function openAICompatible(options: OpenAICompatibleOptions): ProviderAdapter<ReturnType<typeof keyed>>
export function openAICompatible({
  id,
  title,
  enable,
  claims,
  baseUrl,
  env,
  ownServer,
  ...server
}: OpenAICompatibleOptions) {
  const derived = endpointEnv(id)
  const meta = {
    id,
    title,
    env: {
      apiKey: [...derived.apiKey, ...(env?.apiKey ?? [])],
      baseUrl: [...derived.baseUrl, ...(env?.baseUrl ?? [])],
    },
    ...(claims && { claims }),
  }
  const build = (config: ServerConfig) => openAICompatibleServer({ ...server, ...config })
  if (ownServer)
    return defineProvider({ ...meta, enable: 'asked', probe: probeModels, config: keyless(baseUrl) }, build)
  return defineProvider({ ...meta, ...(enable && { enable }), config: keyed(baseUrl) }, build)
}

function keyed(baseUrl: string) {
  return z.strictObject(endpoint(baseUrl))
}

function keyless(baseUrl: string) {
  const { apiKey, ...given } = endpoint(baseUrl)
  return z.strictObject({ apiKey: apiKey.optional(), ...given })
}

/** The probe of a server of one's own: its list of models, with the key, as whoever runs it may ask for one. */
export function probeModels({ apiKey }: Pick<ServerConfig, 'apiKey'>): HttpRequest {
  return { method: 'GET', url: '/models', headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` } }
}

interface ServerConfig {
  readonly baseUrl: string
  readonly apiKey?: string | undefined
}

/**
 * The provider behind {@link openAICompatible}, under a base URL of the config's. Without an `apiKey` no credential is
 * sent.
 */
export function openAICompatibleServer(
  options: ServerOptions & { readonly baseUrl: string; readonly apiKey?: string | undefined },
): Provider {
  const {
    baseUrl,
    base = '',
    apiKey,
    chat: hasChat = true,
    responses,
    completions = false,
    embeddings,
    rerank,
    videos,
    models,
    unlisted,
    elsewhere,
    known,
    headers: given = {},
    hosts,
    query: parameters,
    deployments,
    ...rest
  } = options
  const query = suffix(parameters)
  const headers = compact<Readonly<Record<string, string>>>(given)
  const above = (model: string): string => (deployments ? `${base}/deployments/${encodeURIComponent(model)}` : base)
  const { credential = apiKey === undefined ? NONE : bearer(apiKey), readError, errors, messages, ...chat } = rest
  const byCode = errors && errorsByCode(errors)
  return {
    baseUrl,
    ...(hosts && { hosts }),
    credential,
    ...(hasChat && {
      chat: [
        ...exceptLegacy(
          [
            chatSupport(above, query, headers, chat),
            ...(responses
              ? [
                  responsesSupport(
                    `${base}/responses${query}`,
                    headers,
                    chat.signer,
                    responses === true ? {} : responses,
                  ),
                ]
              : []),
            ...(messages === undefined ? [] : [messagesSupport(new URL(messages, baseUrl).href, headers)]),
          ],
          completions,
        ),
        ...(completions
          ? [completionsSupport((model) => `${above(model)}/completions${query}`, headers, chat, completions)]
          : []),
      ],
    }),
    ...(models !== false && {
      models: modelList(`${base}/models${query}`, headers, { models, unlisted, elsewhere, ranks: Boolean(rerank) }),
    }),
    ...(embeddings && {
      embeddings: embeddingsSupport(
        (model) => `${above(model)}/embeddings${query}`,
        headers,
        embeddings === true ? {} : embeddings,
      ),
    }),
    ...(rerank && { rerank: rerankSupport(rerank === true ? {} : rerank, headers, base) }),
    ...(videos && { video: videosSupport(baseUrl, headers, videos === true ? 'form' : videos) }),
    ...(known && { known }),
    ...((readError || byCode) && { readError: (answer) => readError?.(answer) ?? byCode?.(answer) }),
  }
}

function suffix(query: Readonly<Record<string, string>> | undefined): string {
  return query ? `?${new URLSearchParams(query)}` : ''
}
