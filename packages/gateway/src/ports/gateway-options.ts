import type { Price } from '@headgate/core/canonical'
import type { BackendInstance, ProviderInstance } from '@headgate/core/contract'
import type { Budgets } from './budgets.ts'
import type { FileLinkOptions } from './files.ts'
import type { IdempotencyOptions } from './idempotency.ts'
import type { KeyInfoOf } from './key-info.ts'
import type { Ledger, Principal, UsageRow } from './ledger.ts'
import type { ListStore } from './list-store.ts'
import type { RateLimits } from './rates.ts'
import type { RefusalSink } from './refusals.ts'
import type { ResponseOptions } from './responses.ts'
import type { EndpointEntry, ModelAlias, RoutingOptions } from './routing.ts'
import type { ServiceClass } from './service-class.ts'
import type { TaskOptions } from './tasks.ts'
import type { TraceSink } from './traces.ts'
import type { TracePropagation } from './tracing.ts'
import type { Voices } from './voices.ts'

/** A request before its caller is known. */
export interface Unauthenticated {
  readonly path: string
  /** IP address of the caller; undefined if there is no socket, as with `fetch`. */
  readonly address: string | undefined
}

/**
 * Looks up the caller of a credential. The credential is the value of `Authorization: Bearer`, `x-api-key`,
 * `x-goog-api-key` or `api-key`. Undefined results in a 401. A `HeadgateError` of kind `bad-key` results in a 401 with
 * its message.
 */
export type Authenticate = (
  credential: string,
  request: Unauthenticated,
) => Principal | undefined | Promise<Principal | undefined>

/** A model that is served under a public name. */
export interface ModelDeployment {
  /** The provider's name of the model; default: the public id. */
  readonly upstream?: string
  /** Id of the model behind this one. Its facts and its price apply. */
  readonly is?: string
  /** Maximum output tokens of a response. Default: the provider's fact about the model. */
  readonly output?: number
}

/** A provider of the gateway: a configured adapter, optionally with another name and other models. */
export interface ProviderEntry {
  readonly provider: ProviderInstance
  /** Default: the provider's name. */
  readonly name?: string
  /** The only models that are served: ids, or public id → upstream name or deployment. Other models are rejected. */
  readonly models?: readonly string[] | Readonly<Record<string, string | ModelDeployment>>
  /** Endpoints, each with its own credential or base URL. Default: one endpoint, which is `provider`. */
  readonly endpoints?: readonly EndpointEntry[] | undefined
  /** Maximum requests that wait for the first byte of a response; default {@link GatewayLimits.waiting}. */
  readonly waiting?: number
  /** True if the provider gets `traceparent`, false if it never does; default {@link GatewayOptions.propagation}. */
  readonly tracing?: boolean | undefined
}

/** A search backend of the gateway: a configured adapter, optionally with another name. */
export interface BackendEntry {
  readonly backend: BackendInstance
  /** Default: the backend's name. */
  readonly name?: string
  /** Price of a million calls in nano-dollars, if the backend has no price or a different one. */
  readonly price?: number
}

/** Search engine that a `cx` selects. */
export interface SearchEngine {
  /** Name of a configured backend, or a separate backend with other settings. */
  readonly backend: string | BackendInstance | BackendEntry
  /** `context.title` in responses; default: the engine's name. */
  readonly title?: string
  /**
   * The only sites in its results, if the caller names none: hosts with their subdomains, or paths such as
   * `example.com/docs`.
   */
  readonly sites?: readonly string[]
}

export interface SearchOptions {
  /** Backends in order of preference. */
  readonly backends: readonly (BackendInstance | BackendEntry)[]
  /** Engine or backend of a search without `cx`, by name. Default: the backends in order. */
  readonly default?: string
  /** Engines by `cx`, which can be any string. */
  readonly engines?: Readonly<Record<string, SearchEngine>>
  /** Time for which identical searches get a cached response, in milliseconds; default 0 = no cache. */
  readonly cacheMs?: number
}

/** Timeouts in milliseconds. */
export interface Times {
  /** Until an upstream accepts the connection; default 10,000. */
  readonly connect: number
  /** Until the upstream's response begins; default 600,000. */
  readonly firstByte: number
  /** Silence within an upstream's stream; default 120,000. */
  readonly silence: number
  /** The whole request with all attempts; default 900,000. The header `headgate-timeout-ms` lowers it. */
  readonly whole: number
  /** Maximum wait of a request while the gateway or each endpoint has its maximum number; default 10,000. */
  readonly queue: number
  /** Silence while a request body arrives; default 60,000. */
  readonly body: number
  /** Until the whole request body has arrived; default 300,000. */
  readonly upload: number
  /** Silence while the caller reads the response; default 60,000. */
  readonly write: number
  /** Silence in a translated stream after which the caller gets a ping in its format; default 15,000. */
  readonly ping: number
  /** First wait before a candidate is tried again; default 1,000. It doubles with each retry. */
  readonly backoff: number
}

export interface GatewayLimits {
  /** Maximum bytes of a request body after decompression; default 33,554,432. */
  readonly body: number
  /** Maximum JSON values in a request body, nested ones included; default 1,000,000. */
  readonly values: number
  /**
   * Maximum members of the objects in a request body, nested ones included; elements of lists do not count. Default
   * 100,000.
   */
  readonly members: number
  /**
   * Maximum bytes of all requests together: their bodies (and 64 bytes per value), responses that are read whole, and
   * bytes that callers have not received yet. Default: an eighth of the process's memory (its heap limit, or its
   * container's memory if that is less), at least four times `body`. Beyond it, requests get a 429.
   */
  readonly memory: number
  /** Maximum bytes of `memory` for the requests of one key; default: half of it. A key never gets more than is free. */
  readonly keyMemory: number
  /**
   * Maximum requests that wait for the first byte of a response of one provider; default: one for each 64 KiB of
   * `memory`, at least 2,000. Beyond it, the next candidate is tried; without one, the request gets a 429.
   */
  readonly waiting: number
  /** Maximum requests in progress; further ones wait in fair order. Default: unlimited. */
  readonly concurrent?: number | undefined
  /**
   * Maximum requests that wait for `concurrent`, and maximum requests that wait for endpoints with their maximum number
   * of calls; default 1,000. Beyond it, requests get a 429. One endpoint can have half of it.
   */
  readonly queue: number
  /**
   * Delay of the event loop in milliseconds above which requests are refused with a 429: the class `batch`
   * first, `normal` above twice as much, `interactive` above four times as much; requests with more than 1 MiB at half
   * of it. With it, the class `batch` is also refused above half of `memory`, and requests of the class `normal` with
   * more than 1 MiB above three quarters. Default: none are refused.
   */
  readonly eventLoopDelay?: number | undefined
  /** Maximum bytes of an upstream's response that is read whole; default 67,108,864. */
  readonly answer: number
  /**
   * Maximum bytes of a fetched image or PDF; default 20,971,520. All fetched media of one request can have as many as
   * `body`.
   */
  readonly media: number
  /** Maximum bytes of an uploaded form; default 536,870,912. */
  readonly upload: number
  /** Maximum bytes of all forms that are being served; default 8,589,934,592. Beyond it, uploads get a 429. */
  readonly uploads: number
  /** Maximum bytes of `uploads` for the forms of one key; default: half of it, at least `upload`. */
  readonly keyUploads: number
}

/**
 * Limits on retries of a provider beyond the first pass over the candidates, within two minutes. The greater of the
 * two counts applies. They keep retries from prolonging an outage.
 */
export interface Retries {
  /** Retries per first attempt; default 0.2. */
  readonly share: number
  /** Minimum number of retries, independent of the traffic; default 10. */
  readonly least: number
}

/** Reason for which a request was refused because the gateway, or each endpoint, had too much to do. */
export type ShedReason = 'event-loop-delay' | 'memory' | 'queue-full' | 'queue-timeout'

/** Request that was refused because the gateway, or each endpoint, had too much to do. */
export interface ShedRequest {
  readonly reason: ShedReason
  readonly serviceClass: ServiceClass
}

/** Time that the gateway added to a request, in milliseconds with fractions. */
export interface GatewayOverhead {
  /** Time from the arrival of the request's head to the start of the first call. It includes waiting for the body. */
  readonly inMs: number
  /** Time from the upstream's bytes to the first byte for the caller; undefined if the response did not begin. */
  readonly outMs: number | undefined
}

/** Access log entry, also for metrics. It has no bodies, no credentials, no query strings. */
export interface AccessRecord {
  readonly requestId: string
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly status: number
  readonly durationMs: number
  readonly principal?: string
  /** Present if a provider was called. */
  readonly usage?: UsageRow
  /** Project of the key; absent if it has none. */
  readonly project?: string | undefined
  /** Time that the gateway added; absent if no provider was called. */
  readonly overhead?: GatewayOverhead | undefined
  /** Number of pieces in which the upstream's stream arrived; absent without a stream. */
  readonly chunks?: number | undefined
  /** Number of output tokens beyond the limit that the upstream got; absent if the limit was respected. */
  readonly overrun?: number
  /** Present if the request was refused because the gateway, or each endpoint, had too much to do. */
  readonly shed?: ShedRequest
  /** Span of the request, in hexadecimal digits; absent unless traces are exported. Not every trace is exported. */
  readonly span?: { readonly traceId: string; readonly id: string } | undefined
  /** Present if the response repeats the one of an earlier request with the same idempotency key. */
  readonly replayed?: true
  /**
   * Kind of the failure, and status and code of the upstream's response, if there is one. The upstream's message is
   * left out because it may quote the prompt.
   */
  readonly error?: { readonly kind: string; readonly upstreamStatus?: number; readonly code?: string }
}

/** Part of an OpenAPI document. */
export interface OpenApiExtension {
  readonly paths: Readonly<Record<string, unknown>>
  /**
   * Components by kind: `schemas`, `securitySchemes`. The gateway's components win over components with the same name.
   */
  readonly components: Readonly<Record<string, unknown>>
}

/** Prices that change over time. The price of a past moment must not change. */
export interface PriceBook {
  /**
   * @param provider name of the instance
   * @param model the provider's name of the model
   * @param at Unix time in milliseconds
   * @returns the price at that time; undefined = the book has none
   */
  priceOf(provider: string, model: string, at: number): Price | undefined
}

/** Handling of requests that budgets limit. */
export interface SpendingOptions {
  /**
   * Minimum output tokens that a response must have; default 1,024. If a request has no output limit and the model may
   * write more than the budget can pay for, the request is sent with the limit that the budget can pay for, down to
   * this number. If the model's limit is unknown, the limit is at most 8,192 tokens.
   */
  readonly leastOutput?: number
  /**
   * Handling of requests with an unknown worst-case cost: `refuse` (default), or `allow`, which reserves nothing for
   * them.
   */
  readonly unknownPrice?: 'refuse' | 'allow'
}

/** Execution of server-side tools: tools that the caller does not run. */
export interface HostedToolsOptions {
  /**
   * Web search of requests that enable it. `provider` (default): the provider, if it supports web search, otherwise the
   * gateway, for all formats of the chat family. `own`: always the gateway. `off`: never the gateway. The gateway uses
   * the backends of `search` that search the web, or `search.default` if it is set. Without a backend, this is the same
   * as `off`.
   */
  readonly webSearch?: 'own' | 'provider' | 'off'
  /**
   * Images of requests with the tool `image_generation`. `provider` (default): the provider, if it runs the tool,
   * otherwise the gateway. `own`: always the gateway. `off`: never the gateway. The gateway uses the model that the tool
   * names, or the alias `image`. Without one of them, this is the same as `off`.
   */
  readonly images?: 'own' | 'provider' | 'off'
}

export interface GatewayOptions {
  readonly providers: readonly (ProviderInstance | ProviderEntry)[]
  /** Search backends and engines. Without it, the search path responds with 404. */
  readonly search?: SearchOptions
  /** Authentication. Without it, every request is rejected with 401. */
  readonly authenticate?: Authenticate
  /** Receiver of usage rows. Without it, usage is not recorded. */
  readonly ledger?: Ledger
  /** Budgets. Without it, spending is unlimited. */
  readonly budgets?: Budgets
  /** Handling of requests that budgets limit. */
  readonly spending?: SpendingOptions
  /** Rate limits, such as `memoryRateLimits()`. Without it, requests are unlimited. */
  readonly rateLimits?: RateLimits
  /** Additional information about a key for `GET /v1/key`. Without it, those fields are null. */
  readonly keyInfo?: KeyInfoOf
  /** Aliases: public name → models in order of preference, optionally with a policy and bounds. */
  readonly models?: Readonly<Record<string, readonly string[] | ModelAlias>>
  /** Voices for speech: the caller's name → the provider's name of the voice, by provider. Default: none. */
  readonly voices?: Voices | undefined
  /** Choice among the endpoints of a model. */
  readonly routing?: RoutingOptions | undefined
  /**
   * Prices of models that replace the provider's prices: `provider/model` → price, or a book of prices that change. A
   * request is billed at the price that is valid when it begins.
   */
  readonly prices?: Readonly<Record<string, Price>> | PriceBook
  /** Prefix of every path, such as `/ai`. */
  readonly basePath?: string
  readonly times?: Partial<Times>
  readonly limits?: Partial<GatewayLimits>
  /** Limits on retries. Default: 20% of the first attempts, or ten in two minutes. */
  readonly retries?: Partial<Retries>
  /**
   * Hosts from which images and PDFs are fetched even if their addresses are not public. Dangerous: anyone with a key
   * can make the gateway read from these hosts, on every port. Use it for tests and isolated networks only.
   */
  readonly allowPrivateMedia?: readonly string[]
  /**
   * Origins of providers that are connected to only at public addresses, such as `https://api.example.com`, because
   * people have entered them. Applies to direct connections in Node. Default: none.
   */
  readonly publicOrigins?: readonly string[]
  /**
   * Allowed origins of pages, desktop apps and extensions, exactly as they send them. All other origins are rejected.
   */
  readonly origins?: readonly string[]
  /**
   * Addresses and networks of proxies in front of the gateway. `Forwarded` and `X-Forwarded-For` count only on their
   * connections. Applies to Node's `http`.
   */
  readonly trustedProxies?: readonly string[]
  /** The gateway that this one replaces. Model lists and the health of unchanged providers are taken over. */
  readonly after?: object
  /** Folder for the indexes of in-process backends. Without it, they store nothing. */
  readonly dataDir?: string
  /**
   * Folder for parts of requests and responses above 1 MiB while they are served. Its files have no names, and end with
   * the process. Default: the system's folder for temporary files.
   */
  readonly spoolFolder?: string | undefined
  /** Receiver of refused requests and of messages of failures. Without it, they are not recorded. */
  readonly refusals?: RefusalSink | undefined
  /** Persistent store of model lists. */
  readonly lists?: ListStore
  /** Task storage. Without it, task families respond with 404. */
  readonly tasks?: TaskOptions
  /**
   * Links to images of responses. The process that received an image has its file, so leave this out if several processes
   * serve one address. Without it, callers get images only as base64.
   */
  readonly files?: FileLinkOptions | undefined
  /** Receiver of wire traces, for principals with `tracedUntil`. Without it, nothing is traced. */
  readonly traces?: TraceSink
  /** Execution of server-side tools. */
  readonly hostedTools?: HostedToolsOptions
  /** Storage of responses that later requests can name. Default: memory of this process, for a day. */
  readonly responses?: ResponseOptions
  /**
   * Handling of requests with the header `idempotency-key`; `false`: the header is ignored. Default: memory of this
   * process, for a day.
   */
  readonly idempotency?: IdempotencyOptions | false | undefined
  /** Token counter for providers that cannot count. Default: one token per four characters. */
  readonly estimateTokens?: (text: string) => number | Promise<number>
  /**
   * Additional parts of `/openapi.json`, for other routes at the same address. Called on every request of the document.
   */
  readonly openapi?: () => OpenApiExtension
  /** True if usage rows have the trace of their request, for exporters of traces. Default: false. */
  readonly rowTraces?: boolean | undefined
  /**
   * Sending of `traceparent` with the span id of the call, and of `tracestate`, to providers. It requires `rowTraces`.
   * Default: only to providers whose entry has `tracing`.
   */
  readonly propagation?: TracePropagation | undefined
  /** Called once per request, after its response. */
  readonly onAccess?: (record: AccessRecord) => void
  /** Called with problems for the operator, such as an unreadable model list or a failing provider. */
  readonly onWarning?: (message: string) => void
}
