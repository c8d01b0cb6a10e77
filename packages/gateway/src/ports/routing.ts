import type { PromptCacheFacts, ProviderInstance } from '@headgate/core/contract'
import type { ErrorKind } from '@headgate/core/errors'

/** Names of the routing policies, in the order of the documentation. */
export const POLICIES = ['priority', 'weighted', 'cheapest', 'fastest', 'least-busy'] as const

/** Order in which endpoints are tried. */
export type RoutingPolicy = (typeof POLICIES)[number]

/** Kinds of failures that a target of an alias can name in `on`, in the order of the documentation. */
export const FALLBACK_KINDS = [
  'context-too-long',
  'content-policy',
  'rate-limited',
  'overloaded',
  'upstream',
  'timeout',
  'unknown-model',
  'our-quota',
  'our-credential',
] as const satisfies readonly ErrorKind[]

/** Maximum prices in integer nano-dollars per million tokens. */
export interface MaxPrice {
  readonly input?: number | undefined
  readonly output?: number | undefined
}

/** Conditions that an endpoint must meet. An unknown price, context or label does not meet a condition. */
export interface RoutingBounds {
  readonly maxPrice?: MaxPrice | undefined
  /** Minimum context window in tokens. */
  readonly minContext?: number | undefined
  /** Permitted values by label, such as `{ region: ['eu'] }`. */
  readonly labels?: Readonly<Record<string, readonly string[]>> | undefined
}

/** Model of an alias. */
export interface AliasTarget {
  readonly model: string
  /** Kinds of failures after which the model is tried, of {@link FALLBACK_KINDS}. Default: always, in its order. */
  readonly on?: readonly ErrorKind[] | undefined
  /** Weight for the policy `weighted`; default 1. */
  readonly weight?: number | undefined
}

/** Alias with options. */
export interface ModelAlias extends RoutingBounds {
  /** Models in order of preference. */
  readonly targets: readonly (string | AliasTarget)[]
  readonly policy?: RoutingPolicy | undefined
  /** Time until the upstream's response begins, in milliseconds; default: `times.firstByte`. */
  readonly firstByteMs?: number | undefined
  /** True if a slow call may be sent to a second endpoint as well. Default: the gateway's option. */
  readonly hedge?: boolean | undefined
}

/** Models that other providers may serve under their own names. */
export interface SameModels {
  /** True for all models of the catalog, or patterns of their names. */
  readonly models: true | readonly string[]
  /** Additional names by model: `<provider>/<model>`. */
  readonly add?: Readonly<Record<string, readonly string[]>> | undefined
  /** Names that are not the same model, by model: `<provider>/<model>`. */
  readonly remove?: Readonly<Record<string, readonly string[]>> | undefined
}

/** Choice among the endpoints of a model. */
export interface RoutingOptions {
  /** Default: `priority`. */
  readonly policy?: RoutingPolicy | undefined
  /** Default: a model is served only under the requested id. */
  readonly same?: SameModels | undefined
  /** True (default) if requests prefer the endpoint that has the beginning of their conversation in its prompt cache. */
  readonly affinity?: boolean | undefined
  /** True if slow calls may be sent to a second endpoint as well. Default: false. */
  readonly hedge?: boolean | undefined
  /** Secret for hashes of conversations. Default: random for each process. */
  readonly secret?: string | undefined
  /** True if several processes share what they know about prompt caches, see {@link PromptCaches}. Default: false. */
  readonly sharesCaches?: boolean | undefined
}

/** Response of one process whose prompt is in a cache now, for other processes. It can be sent as JSON. */
export interface PromptCacheRecord {
  readonly prefix: { readonly hashes: readonly string[]; readonly bytes: number; readonly hint?: string | undefined }
  readonly target: string
  readonly use: {
    readonly input: number
    readonly cacheRead?: number | undefined
    readonly cacheWrite?: number | undefined
    readonly isLong?: boolean | undefined
  }
  readonly facts: PromptCacheFacts | undefined
  /** Unix time in milliseconds. */
  readonly at: number
}

/** Exchange of known prompt caches among the processes of a program. All of them need the same `routing.secret`. */
export interface PromptCaches {
  /** Records since the last call, at most 256. Empty unless `routing.sharesCaches` is set. */
  drain(): readonly PromptCacheRecord[]
  /** Adds the records of other processes. */
  merge(records: readonly PromptCacheRecord[]): void
}

/** Cooldown that one process began, for other processes. It can be sent as JSON. */
export interface CooldownRecord {
  /** Provider, endpoint and model, or the name of an account. */
  readonly key: string
  readonly kind: ErrorKind
  /** Remaining time in milliseconds. */
  readonly leftMs: number
}

/**
 * Exchange of cooldowns among processes with the same configuration: those requested by an upstream, and cooldowns of an
 * account whose quota is used up. Other failures may have a local cause, such as the network of the process.
 */
export interface Cooldowns {
  /** Cooldowns of at least 5 seconds that began since the last call, at most 256. */
  drain(): readonly CooldownRecord[]
  /** Adds cooldowns of other processes, as advice: until their end, these endpoints are tried last. */
  merge(records: readonly CooldownRecord[]): void
}

/** Limits on the calls of one endpoint: integers of at least 1. Absent = unlimited. */
export interface EndpointLimits {
  /** Calls in progress at a time. */
  readonly concurrent?: number | undefined
  readonly requestsPerMinute?: number | undefined
  readonly tokensPerMinute?: number | undefined
}

/** Endpoint of a provider: one credential, base URL and region. */
export interface EndpointEntry {
  /** Unique within the provider. Lower case: `a-z0-9-`. */
  readonly name: string
  /** Adapter with the configuration of this endpoint. Default: the provider's. */
  readonly provider?: ProviderInstance | undefined
  /** Part of the requests that it gets; default 1. */
  readonly weight?: number | undefined
  /** Lower numbers are tried first; default 0. */
  readonly priority?: number | undefined
  /** Properties such as `region: 'eu'`. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Account of the credential. Endpoints of one account share account failures. Default: a separate account. */
  readonly group?: string | undefined
  /** Patterns of the provider's model names that it serves; default: all. */
  readonly models?: readonly string[] | undefined
  readonly limits?: EndpointLimits | undefined
}

/** Endpoint that was considered for a request. */
export interface ConsideredEndpoint {
  readonly provider: string
  /** Absent if the provider has only one endpoint. */
  readonly endpoint?: string | undefined
  /** The provider's name of the model. */
  readonly model: string
  /** Reason for its place, as a sentence without a full stop. */
  readonly why: string
}

/** Routing decision of a request. */
export interface RoutingDecision {
  readonly policy: RoutingPolicy
  /** Endpoints in the order in which they would be tried, at most 16. */
  readonly considered: readonly ConsideredEndpoint[]
}
