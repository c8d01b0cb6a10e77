import type { z } from 'zod'
import type { Json } from '../canonical/json.ts'
import type { ModelFacts } from '../canonical/target.ts'
import type { UpstreamError } from '../errors.ts'
import type { ChatInProcess, ChatSupport } from './chat.ts'
import type { Credential } from './credential.ts'
import type { EmbeddingsSupport } from './embeddings.ts'
import { built } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import type { ImagesSupport } from './images.ts'
import { checkMembers, membersOf } from './members.ts'
import type { ModerationsSupport } from './moderations.ts'
import type { RerankSupport } from './rerank.ts'
import type { SpeechSupport } from './speech.ts'
import { checkSupports } from './supports.ts'
import type { TranscriptionSupport } from './transcription.ts'
import { checkLimitHeaders, type LimitHeader } from './upstream-limits.ts'
import type { VideoSupport } from './video.ts'

/** Version of this contract. Headgate rejects adapters for another version at startup. */
export const CONTRACT = 1

/** Request to count the input tokens of a chat request. */
export interface CountTokensRequest {
  readonly model: string
  /** Request body in the provider's format. */
  readonly body: Json
}

/** Charges of an upstream for attempts that end without usage. */
export interface FailureBilling {
  /** Complete error responses (status 400 or more). Default: `free`. */
  readonly errors?: 'free' | 'billed' | undefined
  /**
   * Attempts that end without a complete response, such as a timeout, a reset or a caller that leaves. Default:
   * unknown, so their cost stays reserved.
   */
  readonly aborted?: 'free' | undefined
}

/**
 * Prompt cache of an upstream. Endpoints of one model are chosen by the tokens that are probably in their caches; these
 * facts are the expectation until the usage of responses corrects it.
 */
export interface PromptCacheFacts {
  /** Time from the last use of a prefix until it leaves the cache, in milliseconds. Default: 300,000. */
  readonly lifetimeMs?: number | undefined
  /** This time for requests that ask for a longer one, in milliseconds. Default: `lifetimeMs`. */
  readonly longLifetimeMs?: number | undefined
  /** Minimum tokens of a prefix in the cache. Default: 1,024. */
  readonly least?: number | undefined
  /** True if only prefixes are cached that the request marks. Default: false, so that all are. */
  readonly onRequest?: boolean | undefined
}

/** Response of an upstream that runs in this process. */
export interface LocalResponse {
  /** Media type of the bytes. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** Destination of requests and credentials. */
export interface Upstream {
  /** Absent if everything runs in this process. */
  readonly baseUrl?: string
  /**
   * Further hosts for requests and credentials: `api.example.com` or `*.example.com` for https, or a whole origin such
   * as `http://10.0.0.5:8000`.
   */
  readonly hosts?: readonly string[]
  /**
   * True if the base URL is not the adapter's default. Another gateway may then serve it, or this one. `defineProvider`
   * sets it.
   */
  readonly mayLoop?: boolean
  readonly credential: Credential
  readonly billing?: FailureBilling | undefined
  /**
   * Answers the requests of exchanges and of speech in this process, with status 200. Nothing is sent. Absent: requests
   * go to `baseUrl`. The signal aborts when the caller has left or the time is over, after which the response is
   * ignored. A response counts for the memory of its request, is limited like a response of an upstream
   * (`limits.answer`), and reaches a slow caller in pieces.
   * @throws HeadgateError for the caller
   */
  answer?(request: HttpRequest, signal: AbortSignal): LocalResponse | Promise<LocalResponse>
}

/** Description of a configured provider. Core does all I/O. A family without a member is not supported. */
export interface Provider extends Upstream {
  /** Formats in order of preference. */
  readonly chat?: readonly (ChatSupport | ChatInProcess)[]
  readonly embeddings?: EmbeddingsSupport
  readonly rerank?: RerankSupport
  readonly video?: VideoSupport
  readonly images?: ImagesSupport | undefined
  readonly speech?: SpeechSupport | undefined
  readonly transcription?: TranscriptionSupport | undefined
  readonly moderations?: ModerationsSupport | undefined
  /** List of models that the provider serves now. */
  readonly models?: Exchange<void, readonly ModelFacts[]>
  /** Models that the package knows. */
  readonly known?: readonly ModelFacts[]
  /** True if no models exist besides the `known` ones. */
  readonly closed?: boolean
  /** Input tokens of a chat request, if the upstream can count them. */
  readonly countTokens?: Exchange<CountTokensRequest, number>
  /** Prompt cache of the upstream. Default: the defaults of {@link PromptCacheFacts}. */
  readonly promptCache?: PromptCacheFacts | undefined
  /** Headers of all responses that report the limits of the account. At most 8 headers are read. Default: none. */
  readonly limitHeaders?: readonly LimitHeader[] | undefined
  /**
   * Reads an error, from every response that is not a stream, including status 200. Undefined: no error, or an error
   * that core reads.
   */
  readError?(response: HttpResponse): UpstreamError | undefined
  close?(): Promise<void>
}

/**
 * Environment source of a configuration field: a variable, or a variable with the path of a file that contains the
 * value.
 */
export type EnvironmentSource = string | { readonly file: string; readonly default?: string }

/** Description of an adapter before it is configured. */
export interface ProviderMeta<S extends z.ZodType> {
  /** Lower case, `a-z0-9-`. Value of the `vendor` header. */
  readonly id: string
  readonly title: string
  /**
   * Strict object. A `transform` can add validated values, such as the credential: see {@link required}. Its output
   * keeps `baseUrl` if the configuration has one.
   */
  readonly config: S
  /**
   * Environment sources of configuration fields. The first that is set is used; the `default` of a file, such as
   * `~/.config/…`, comes last.
   */
  readonly env: Readonly<Partial<Record<keyof z.input<S> & string, readonly EnvironmentSource[]>>>
  /**
   * Condition for using the adapter. `configured` (default): every required field is set. `asked`: the configuration
   * names the adapter, or the environment sets its `apiKey`. `last-resort`: no other adapter of its family is enabled.
   */
  readonly enable?: 'configured' | 'asked' | 'last-resort'
  /** Request that checks whether a local upstream is running (Ollama). */
  readonly probe?: (config: Partial<z.input<S>>) => HttpRequest
  /** Patterns of model ids that certainly belong to this adapter. */
  readonly claims?: readonly RegExp[]
  /**
   * Name in OpenTelemetry's conventions (`gen_ai.provider.name`), such as `aws.bedrock`. Default: the id.
   * @see https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/
   */
  readonly genAiName?: string
}

/**
 * Adapter: a factory that describes itself.
 * @throws ZodError if the configuration is invalid.
 */
export interface ProviderAdapter<S extends z.ZodType = z.ZodType> extends ProviderMeta<S> {
  (config: z.input<S>): ProviderInstance
  readonly kind: 'provider'
  readonly contract: typeof CONTRACT
}

/** Configured provider with a name. */
export interface ProviderInstance extends Provider {
  /** Value of the `vendor` header. Default: the adapter's id. */
  readonly name: string
  readonly claims: readonly RegExp[]
  /** Name in OpenTelemetry's conventions. Default: the name. */
  readonly genAiName?: string | undefined
}

/** Members of adapter descriptions of any kind. */
export const META = membersOf<ProviderMeta<z.ZodType>>()('id title config env enable probe claims genAiName')

/** Open, since families of other packages add members. */
const PROVIDER = membersOf<ProviderInstance, true>()(
  'name claims genAiName baseUrl hosts credential billing chat embeddings rerank video images speech',
  'transcription moderations models answer known closed mayLoop countTokens limitHeaders promptCache readError close',
)

/**
 * Creates an adapter from its description and a function that builds a provider from a configuration. The adapter
 * throws a TypeError for a member whose name resembles a name of the contract.
 * @example
 * export const acme = defineProvider(
 *   {
 *     id: 'acme',
 *     title: 'Acme',
 *     config: z.strictObject(endpoint('https://api.acme.example')),
 *     env: endpointEnv('acme'),
 *   },
 *   ({ apiKey, baseUrl }) => ({
 *     baseUrl,
 *     credential: { kind: 'header', name: 'x-api-key', value: apiKey },
 *     chat: [{ format: 'messages', path: () => '/v1/messages' }],
 *   }),
 * )
 */
export function defineProvider<S extends z.ZodType>(
  meta: ProviderMeta<S>,
  build: (config: z.output<S>) => Provider,
): ProviderAdapter<S> {
  const create = (config: z.input<S>): ProviderInstance => {
    const provider: ProviderInstance = {
      name: meta.id,
      claims: meta.claims ?? [],
      genAiName: meta.genAiName ?? meta.id,
      ...built(meta.config, config, build),
    }
    checkMembers(`The description of ${meta.id}`, meta, META)
    checkMembers(`The provider ${meta.id}`, provider, PROVIDER)
    checkSupports(meta.id, provider)
    if (provider.limitHeaders) checkLimitHeaders(meta.id, provider.limitHeaders)
    return provider
  }
  return Object.assign(create, {
    enable: 'configured' as const,
    ...meta,
    kind: 'provider' as const,
    contract: CONTRACT,
  } as const)
}
