import { z } from 'zod'
import { compact, type Json } from '../canonical/json.ts'
import type { ModelFacts } from '../canonical/target.ts'
import { type ChatSupport, forModel, type PerModel } from '../contract/chat.ts'
import type { Credential } from '../contract/credential.ts'
import { endpoint, endpointEnv } from '../contract/endpoint.ts'
import type { HttpRequest } from '../contract/http.ts'
import type { ImagesSupport } from '../contract/images.ts'
import type { ModerationsSupport } from '../contract/moderations.ts'
import {
  defineProvider,
  type EnvironmentSource,
  type Provider,
  type ProviderAdapter,
  type ProviderMeta,
} from '../contract/provider.ts'
import type { SpeechSupport } from '../contract/speech.ts'
import type { TranscriptionSupport } from '../contract/transcription.ts'
import { bearer } from '../credentials/bearer.ts'
import type { ErrorKind } from '../errors.ts'
import {
  type CompletionsModels,
  chatSupport,
  completionsSupport,
  exceptCompletionsOnly,
  messagesSupport,
  type ProviderOverrides,
  type ResponsesOverrides,
  responsesSupport,
} from './chat.ts'
import { type EmbeddingsOptions, embeddingsSupport } from './embeddings.ts'
import { errorsByCode } from './errors-by-code.ts'
import { guardFacts, guardsSupport } from './guards.ts'
import { type ImagesOptions, imagesSupport } from './images.ts'
import { modelList, readModel } from './model-list.ts'
import { type ModerationsOptions, moderationsSupport } from './moderations.ts'
import { type RerankOptions, rerankSupport } from './rerank.ts'
import { type SpeechOptions, speechSupport } from './speech.ts'
import type { ThoughtChunk } from './thought-chunks.ts'
import { type TranscriptionOptions, transcriptionSupport } from './transcription.ts'
import { type VideosBody, videosSupport } from './videos.ts'

export { apiKey, baseUrl, endpoint, endpointEnv } from '../contract/endpoint.ts'
export type { ProviderAdapter } from '../contract/provider.ts'
export { chatCompletionsLimits } from '../contract/upstream-limits.ts'
export { MEDIA_NAMES, readModel } from './model-list.ts'

const NONE: Credential = { kind: 'none' }

/** Options for a server that speaks chat completions. */
export interface ServerOptions
  extends ProviderOverrides,
    Pick<ChatSupport, 'speaks'>,
    Pick<Provider, 'known' | 'readError' | 'hosts' | 'limitHeaders' | 'promptCache'> {
  /** False if the server has no chat, only the other families in these options. */
  readonly chat?: false
  /** Path below the base URL, or a function of the model. Default: `/chat/completions`. */
  readonly path?: PerModel<string>
  /** Prefix of all paths except `videos`, if the base URL is a host: `/v1`. */
  readonly base?: string
  /**
   * Absolute path (without host) of an endpoint that speaks messages. It serves callers of that format without
   * translation. Default: none.
   */
  readonly messages?: string
  /**
   * True if the server does not support the role `developer`. Such messages are sent as `system`, which means the same.
   */
  readonly systemOnly?: boolean
  /** Type of content chunk in which the server sends reasoning. Callers get and send it in `reasoning_content`. */
  readonly thoughtChunks?: ThoughtChunk
  /**
   * Kinds of errors by `code` or `type`, where neither their message nor the status is sufficient. `readError` is
   * called first.
   */
  readonly errors?: Readonly<Record<string, ErrorKind>>
  /** True if each model has its own paths for chat and embeddings, with the prefix `/deployments/{model}`. */
  readonly deployments?: boolean
  /** Query parameters of every request except videos, such as `api-version`. */
  readonly query?: Readonly<Record<string, string>>
  /** Credential that replaces `Authorization: Bearer <apiKey>`. */
  readonly credential?: Credential
  /** Headers with fixed values, for every request. Undefined values are not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /**
   * Support for `POST /responses`, for callers of that format, and for all callers of models without chat completions
   * (`speaks`). An object lists the differences. Default: false.
   */
  readonly responses?: boolean | ResponsesOverrides
  /**
   * Support for the legacy API `POST /completions`. Requests of its callers are forwarded unchanged; other callers
   * never use it. `only` selects models that have no other API. Default: false, so that a prompt is sent as a message.
   */
  readonly completions?: boolean | CompletionsModels
  /**
   * Support for `POST /embeddings` in OpenAI's shape. `batch` is the maximum number of inputs of one call; `inputTypes`
   * has the server's values of `input_type`: `{ query: 'query', document: 'passage' }`; `tokens: false` rejects lists
   * of tokens. Default: false.
   */
  readonly embeddings?: boolean | EmbeddingsOptions
  /**
   * Support for `POST /rerank` in the common shape. An object lists the differences. Models with `rerank` in their name
   * are then rerankers, unless the list states otherwise. Default: false.
   */
  readonly rerank?: boolean | RerankOptions
  /**
   * Support for `POST /audio/transcriptions` in OpenAI's shape; `true` for whisper. An object lists the differences.
   * Default: false.
   */
  readonly transcription?: boolean | TranscriptionOptions | TranscriptionSupport | undefined
  /**
   * Support for `POST /audio/speech` in OpenAI's shape; `true` for all of its formats. An object lists the
   * differences, or is the support of a server with another shape. Default: false.
   */
  readonly speech?: boolean | SpeechOptions | SpeechSupport | undefined
  /**
   * Support for `POST /images/generations` and `/images/edits` in OpenAI's shape, with the capabilities of the models;
   * or the support of a server with another shape. Default: none.
   */
  readonly images?: ImagesOptions | ImagesSupport | undefined
  /**
   * Support for `POST /moderations` in OpenAI's shape. An object lists the differences, or is the support of a server
   * with another shape. Default: false.
   */
  readonly moderations?: boolean | ModerationsOptions | ModerationsSupport | undefined
  /**
   * True if the server may have models that answer chat completions with a classification, such as Llama Guard. By
   * their names, they support moderations. Default: false.
   */
  readonly guards?: boolean | undefined
  /**
   * Support for videos with `POST /videos` in OpenAI's shape, with `form` (also `true`) or `json` bodies. Default:
   * false.
   */
  readonly videos?: boolean | VideosBody
  /**
   * Reads an entry of `GET /models`; undefined leaves it out. False if the server has no list. Default: {@link
   * readModel}.
   */
  readonly models?: false | ((entry: Json) => ModelFacts | undefined)
  /** Models that `GET /models` does not list. */
  readonly unlisted?: readonly ModelFacts[]
  /**
   * Matches ids of listed models to ignore, since their family is not supported here, such as images or speech.
   * `MEDIA_NAMES` matches common ones.
   */
  readonly ignoreModels?: RegExp
}

/** Options of {@link openAICompatible}. */
export interface OpenAICompatibleOptions
  extends ServerOptions,
    Pick<ProviderMeta<z.ZodType>, 'id' | 'title' | 'enable' | 'claims' | 'genAiName'> {
  /** Base URL including the version, such as `https://api.example.com/v1`. `/chat/completions` is appended. */
  readonly baseUrl: string
  /**
   * True for a self-hosted server, which may require no key. It is used only on request, and detected by its list of
   * models.
   */
  readonly ownServer?: boolean
  /** Further environment variables, after `<ID>_API_KEY` and `<ID>_BASE_URL`. */
  readonly env?: { readonly apiKey?: readonly EnvironmentSource[]; readonly baseUrl?: readonly EnvironmentSource[] }
}

/**
 * Creates the adapter of a service that speaks chat completions: chat, the list of models and, on request, embeddings.
 * Its configuration is `apiKey` (required) and `baseUrl`. An adapter with more configuration fields calls
 * {@link openAICompatibleServer} in its own `defineProvider`.
 * @example
 * export const example = openAICompatible({
 *   id: 'example',
 *   title: 'Example',
 *   baseUrl: 'https://api.example.com/v1',
 *   drop: ['logit_bias'],
 *   rename: { max_completion_tokens: 'max_tokens' },
 * })
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
  genAiName,
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
    ...(genAiName !== undefined && { genAiName }),
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

/**
 * Probe of a self-hosted server: its list of models, with the key if one is configured.
 * @example const meta = { id: 'acme', title: 'Acme', config, env, enable: 'asked' as const, probe: probeModels }
 */
export function probeModels({ apiKey }: Pick<ServerConfig, 'apiKey'>): HttpRequest {
  return { method: 'GET', url: '/models', headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` } }
}

interface ServerConfig {
  readonly baseUrl: string
  readonly apiKey?: string | undefined
}

/**
 * Provider of {@link openAICompatible} for a configured base URL. Without an `apiKey`, no credential is sent.
 * @example const build = ({ baseUrl, apiKey }: Config) => openAICompatibleServer({ baseUrl, apiKey, embeddings: true })
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
    images,
    moderations,
    guards,
    transcription,
    speech,
    videos,
    models,
    unlisted,
    ignoreModels,
    known,
    headers: given = {},
    hosts,
    limitHeaders,
    promptCache,
    query: parameters,
    deployments,
    ...rest
  } = options
  const query = suffix(parameters)
  const headers = compact<Readonly<Record<string, string>>>(given)
  const above = (model: string): string => (deployments ? `${base}/deployments/${encodeURIComponent(model)}` : base)
  const { credential = apiKey === undefined ? NONE : bearer(apiKey), readError, errors, messages, ...chat } = rest
  const byCode = errors && errorsByCode(errors)
  const places: ServerPlaces = { above, query, base, headers, path: chat.path }
  return {
    baseUrl,
    ...(hosts && { hosts }),
    credential,
    ...(hasChat && { chat: chatFormats({ responses, messages, completions, chat }, places, baseUrl) }),
    ...(models !== false && {
      models: modelList(`${base}/models${query}`, headers, {
        models: guards ? (entry) => withGuards((models ?? readModel)(entry)) : models,
        unlisted,
        ignoreModels,
        ranks: Boolean(rerank),
      }),
    }),
    ...(embeddings && {
      embeddings: embeddingsSupport(
        (model) => `${above(model)}/embeddings${query}`,
        headers,
        embeddings === true ? {} : embeddings,
      ),
    }),
    ...(rerank && { rerank: rerankSupport(rerank === true ? {} : rerank, headers, base) }),
    ...mediaFamilies({ images, moderations, guards, transcription, speech }, places),
    ...(videos && { video: videosSupport(baseUrl, headers, videos === true ? 'form' : videos) }),
    ...(known && { known: guards ? known.map(guardFacts) : known }),
    ...(limitHeaders && { limitHeaders }),
    ...(promptCache && { promptCache }),
    ...((readError || byCode) && { readError: (answer) => readError?.(answer) ?? byCode?.(answer) }),
  }
}

/** Places of a server's families. */
interface ServerPlaces {
  /** Path of chat. */
  readonly path: PerModel<string> | undefined
  readonly base: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  above(model: string): string
}

/** Formats of a server's chat. */
function chatFormats(
  {
    responses,
    messages,
    completions,
    chat,
  }: {
    readonly responses: boolean | ResponsesOverrides | undefined
    readonly messages: string | undefined
    readonly completions: NonNullable<ServerOptions['completions']>
    readonly chat: Parameters<typeof chatSupport>[3]
  },
  { above, query, base, headers }: ServerPlaces,
  baseUrl: string,
): NonNullable<Provider['chat']> {
  const own = [
    chatSupport(above, query, headers, chat),
    ...(responses
      ? [responsesSupport(`${base}/responses${query}`, headers, chat.signer, responses === true ? {} : responses)]
      : []),
    ...(messages === undefined ? [] : [messagesSupport(new URL(messages, baseUrl).href, headers)]),
  ]
  return [
    ...exceptCompletionsOnly(own, completions),
    ...(completions
      ? [completionsSupport((model) => `${above(model)}/completions${query}`, headers, chat, completions)]
      : []),
  ]
}

/** Families of images, sound and moderations. */
function mediaFamilies(
  {
    images,
    moderations,
    guards,
    transcription,
    speech,
  }: Pick<ServerOptions, 'images' | 'moderations' | 'guards' | 'transcription' | 'speech'>,
  { base, query, headers, path: chatPath, above }: ServerPlaces,
): Pick<Provider, 'images' | 'moderations' | 'transcription' | 'speech'> {
  const urlOf = (model: string, path: string): string => `${above(model)}${path}${query}`
  return {
    ...(images && { images: 'request' in images ? images : imagesSupport(images, headers, above, query) }),
    ...(moderations && { moderations: moderationsOf(moderations === true ? {} : moderations, headers, base) }),
    ...(guards && {
      moderations: guardsSupport(
        (model) => `${forModel(chatPath, model) ?? `${above(model)}/chat/completions`}${query}`,
        headers,
      ),
    }),
    ...(transcription && {
      transcription:
        typeof transcription === 'object' && 'request' in transcription
          ? transcription
          : transcriptionSupport(transcription === true ? {} : transcription, headers, urlOf),
    }),
    ...(speech && { speech: speechOf(speech === true ? {} : speech, headers, urlOf) }),
  }
}

function moderationsOf(
  given: ModerationsOptions | ModerationsSupport,
  headers: Readonly<Record<string, string>>,
  base: string,
): ModerationsSupport {
  return 'request' in given || 'run' in given ? given : moderationsSupport(given, headers, base)
}

function withGuards(facts: ModelFacts | undefined): ModelFacts | undefined {
  return facts && guardFacts(facts)
}

function speechOf(
  given: SpeechOptions | SpeechSupport,
  headers: Readonly<Record<string, string>>,
  urlOf: (model: string, path: string) => string,
): SpeechSupport {
  return 'request' in given ? given : speechSupport(given, headers, urlOf)
}

function suffix(query: Readonly<Record<string, string>> | undefined): string {
  return query ? `?${new URLSearchParams(query)}` : ''
}
