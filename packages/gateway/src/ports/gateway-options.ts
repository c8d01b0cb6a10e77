import type { Price } from '@headgate/core/canonical'
import type { BackendInstance, ProviderInstance } from '@headgate/core/contract'
import type { AnswerOptions } from './answers.ts'
import type { Budgets } from './budgets.ts'
import type { KeyInfoOf } from './key-info.ts'
import type { Ledger, Principal, UsageRow } from './ledger.ts'
import type { ListStore } from './list-store.ts'
import type { RateLimits } from './rates.ts'
import type { TaskOptions } from './tasks.ts'
import type { Traces } from './traces.ts'

/** A request of which nobody knows yet who sent it. */
export interface Unauthenticated {
  readonly path: string
  /** The IP address at the other end of its socket; undefined where there is none, as for what comes by `fetch`. */
  readonly address: string | undefined
}

/**
 * The credential that a caller sent: the value of `Authorization: Bearer`, `x-api-key`, `x-goog-api-key` or `api-key`.
 * Undefined is answered with 401, and so is a HeadgateError `bad-key`, in its own words.
 */
export type Authenticate = (
  credential: string,
  request: Unauthenticated,
) => Principal | undefined | Promise<Principal | undefined>

/** A model that is served under a name of the operator's choice. */
export interface Deployment {
  /** The provider's own name for it; default the public id. */
  readonly upstream?: string
  /** The model that it is: what the provider knows of that one, its price too, counts for this. */
  readonly is?: string
  /** Maximum output tokens of a response. Default: what the provider knows of the model. */
  readonly output?: number
}

/** A provider as the gateway uses it: a configured adapter, maybe under another name and with models of its own. */
export interface ProviderEntry {
  readonly provider: ProviderInstance
  /** By default the provider's own name. */
  readonly name?: string
  /** The only models it serves here: ids, or public id → upstream name or deployment. A closed list. */
  readonly models?: readonly string[] | Readonly<Record<string, string | Deployment>>
  /** Maximum requests that wait for the first byte of a response; default {@link Limits.waiting}. */
  readonly waiting?: number
}

/** A search backend as the gateway uses it: a configured adapter, maybe under another name. */
export interface BackendEntry {
  readonly backend: BackendInstance
  /** By default the backend's own name. */
  readonly name?: string
  /** What one call of it costs, where the backend does not know or it is other: nano-dollars. */
  readonly price?: number
}

/** What a `cx` stands for. */
export interface Engine {
  /** Name of one of the backends, or one of its own with other settings. */
  readonly backend: string | BackendInstance | BackendEntry
  /** What answers call it in `context.title`; default its name. */
  readonly title?: string
  /**
   * The only sites that it finds things on, where the caller names none: hosts with their subdomains,
   * `example.com/docs`.
   */
  readonly sites?: readonly string[]
}

export interface SearchOptions {
  /** In order of preference. */
  readonly backends: readonly (BackendInstance | BackendEntry)[]
  /** What a search without `cx` is for: an engine or a backend, by name. Default: the backends in their order. */
  readonly default?: string
  /** By `cx`: any text. */
  readonly engines?: Readonly<Record<string, Engine>>
  /** How long an answer is given again to an identical search, in milliseconds; default 0 = never. */
  readonly cacheMs?: number
}

/** Times in milliseconds, with their defaults. */
export interface Times {
  /** 10,000: until an upstream accepts the connection. */
  readonly connect: number
  /** 600,000: until its answer begins. */
  readonly firstByte: number
  /** 120,000: silence within a stream. */
  readonly silence: number
  /** 900,000: the whole request, all attempts; `headgate-timeout-ms` lowers it. */
  readonly whole: number
  /** 60,000: silence while the body of a request arrives. */
  readonly body: number
  /** 300,000: until the whole body of a request has arrived. */
  readonly upload: number
  /** 60,000: silence while the caller reads its answer. */
  readonly write: number
  /** 15,000: after so much silence a translated stream gets a ping of the caller's format. */
  readonly ping: number
  /** 1,000: the first wait before a candidate is asked again; doubles each time. */
  readonly backoff: number
}

export interface Limits {
  /** 33,554,432: most bytes of a request body, inflated. */
  readonly body: number
  /** 1,000,000: most values of a request body, those within others counted. */
  readonly values: number
  /**
   * 100,000: maximum members of the objects in a request body, nested ones included; elements of lists do not count.
   */
  readonly members: number
  /**
   * Maximum bytes that all requests hold together: their bodies (64 more for each value), the responses that are read
   * whole, and what callers have not received yet. Default: an eighth of the process's memory (its heap limit, or its
   * container's memory if that is less), at least four times `body`. Beyond it requests get 429.
   */
  readonly memory: number
  /**
   * Maximum bytes of `memory` that the requests of one key hold together; default half. A key never gets more than is
   * free.
   */
  readonly keyMemory: number
  /**
   * Maximum requests that wait for the first byte of a response of one provider; default one for each 64 KiB of
   * `memory`, at least 2,000. Beyond it the next candidate is tried, then the request gets 429.
   */
  readonly waiting: number
  /** 67,108,864: most bytes of an upstream's whole answer. */
  readonly answer: number
  /** 20,971,520: most bytes of an image or PDF that is fetched; all those of one request may have as many as `body`. */
  readonly media: number
}

/**
 * How often a provider is asked again, beyond the first pass over the candidates, within about ten seconds: the greater
 * of the two counts. So an outage is not made worse by those who wait for its end.
 */
export interface Retries {
  /** 0.2: so many times for each call that is nobody's second. */
  readonly share: number
  /** 3: so many times however little it is asked. */
  readonly least: number
}

/** What happened, for metrics and the access log: no bodies, no credentials, no query strings. */
export interface AccessRecord {
  readonly requestId: string
  readonly method: string
  /** Without its query. */
  readonly path: string
  readonly status: number
  readonly durationMs: number
  readonly principal?: string
  /** Present when a provider was asked. */
  readonly usage?: UsageRow
  /** Tokens by which the output exceeded the limit that the upstream was given; absent = it did not. */
  readonly overrun?: number
  /**
   * Kind of a failure, and the status and code of the upstream's response, if it has any. Its message may quote the
   * prompt.
   */
  readonly error?: { readonly kind: string; readonly upstreamStatus?: number; readonly code?: string }
}

/** A part of an OpenAPI document. */
export interface OpenApiPart {
  readonly paths: Readonly<Record<string, unknown>>
  /** By kind: `schemas`, `securitySchemes`. A name that the gateway has itself is the gateway's. */
  readonly components: Readonly<Record<string, unknown>>
}

/** Prices that change. What it says of a moment that has passed stays so. */
export interface PriceBook {
  /**
   * @param provider name of the instance.
   * @param model the provider's own name of the model.
   * @param at Unix time in milliseconds.
   * @returns the price that holds then; undefined = the book has none.
   */
  priceOf(provider: string, model: string, at: number): Price | undefined
}

/** How requests that budgets bound are served. */
export interface SpendingOptions {
  /**
   * Minimum output tokens that a response must have; default 1,024. A request without an output limit, whose model may
   * write more than the budget pays for, is sent with the limit that the budget pays for, down to this number. If the
   * model's limit is unknown, at most 8,192 tokens are sent.
   */
  readonly leastOutput?: number
  /**
   * What becomes of a request of which nobody knows what it can cost: `refuse` (default), or `allow`, where nothing is
   * reserved for it.
   */
  readonly unknownPrice?: 'refuse' | 'allow'
}

/** Who answers tools that are run for the model, rather than by the caller. */
export interface HostedToolsOptions {
  /**
   * Who searches the web where a request has it done. `provider` (default): the provider, where it does that, else the
   * gateway's own search, in the chat family's formats alike; `own`: the gateway's own search, whoever is asked; `off`:
   * never the gateway. Its own search are the backends of `search` that search the web, or what `search.default` names;
   * without any it is as if it were off.
   */
  readonly webSearch?: 'own' | 'provider' | 'off'
}

export interface GatewayOptions {
  readonly providers: readonly (ProviderInstance | ProviderEntry)[]
  /** Search backends and engines. Without it the path of search answers 404. */
  readonly search?: SearchOptions
  /** Without it every request is refused with 401. */
  readonly authenticate?: Authenticate
  /** Without it usage is counted and forgotten. */
  readonly ledger?: Ledger
  /** What may be spent. Without it nothing is bounded. */
  readonly budgets?: Budgets
  /** How requests that budgets bound are served. */
  readonly spending?: SpendingOptions
  /** How much may be asked in a minute, and at a time: `memoryRateLimits()`. Without it nothing is bounded. */
  readonly rateLimits?: RateLimits
  /** What `GET /v1/key` tells of the key that asks, beside what it is and may do. Without it the rest is null. */
  readonly keyInfo?: KeyInfoOf
  /** Aliases: public name → models in order of preference. */
  readonly models?: Readonly<Record<string, readonly string[]>>
  /**
   * Prices by model where the provider's facts have none, or other ones: `provider/model` → price, or a book of prices
   * that change. A request is priced by what held when it began.
   */
  readonly prices?: Readonly<Record<string, Price>> | PriceBook
  /** A prefix of every path, `/ai`. */
  readonly basePath?: string
  readonly times?: Partial<Times>
  readonly limits?: Partial<Limits>
  /** How often providers are asked again; default a fifth of what they are asked, or three times in ten seconds. */
  readonly retries?: Partial<Retries>
  /**
   * Hosts from which images and PDFs are fetched although their addresses are not public. Dangerous: whoever holds a
   * key can make the gateway read what these hosts serve, on every port. For tests, and for networks that hold nothing
   * else.
   */
  readonly allowPrivateMedia?: readonly string[]
  /** Origins of pages, desktop apps and extensions that may call, exactly as they send them; all others are refused. */
  readonly origins?: readonly string[]
  /**
   * Addresses and networks of proxies in front of the gateway. Only of their connections do `Forwarded` and
   * `X-Forwarded-For` name the caller. For requests over Node's `http`.
   */
  readonly trustedProxies?: readonly string[]
  /**
   * The gateway that this one takes the place of: what it knows of the lists and the health of providers that stay the
   * same goes on.
   */
  readonly after?: object
  /** A folder in which backends of this process may keep what they have indexed; absent = nothing is kept. */
  readonly dataDir?: string
  /** Where the providers' lists of models outlive the process. */
  readonly lists?: ListStore
  /** Where tasks are kept. Without it the paths of families of tasks answer 404. */
  readonly tasks?: TaskOptions
  /** Where it is kept what goes over the wire, of principals that have a `tracedUntil`. Without it nothing is. */
  readonly traces?: Traces
  /** Who answers tools that models of a provider have run by it. */
  readonly hostedTools?: HostedToolsOptions
  /**
   * How answers of the responses format are kept, for later requests to name them. Default: in this process, for a day.
   */
  readonly answers?: AnswerOptions
  /** Counts the tokens of a text where the provider can not. Default: one token for four characters. */
  readonly estimateTokens?: (text: string) => number | Promise<number>
  /** What else answers at the same address, for `/openapi.json` to have it too. Asked each time. */
  readonly openapi?: () => OpenApiPart
  /** Called once a request, after its answer. */
  readonly onAccess?: (record: AccessRecord) => void
  /** Called with what an operator should know: a list of models that can not be read, a provider that fails. */
  readonly onWarning?: (message: string) => void
}
