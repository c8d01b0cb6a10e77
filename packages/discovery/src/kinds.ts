import type {
  BackendEntry,
  BackendInstance,
  EndpointEntry,
  EndpointLimits,
  families,
  ProviderEntry,
  ProviderInstance,
} from '@headgate/gateway'
import type { AdapterInstance, AdapterState } from './adapter.ts'

/** Families of the gateway. */
export type Families = typeof families

/** Entry of the configuration with the settings of its adapter. */
export interface EntryConfig {
  readonly [field: string]: unknown
  /** Id of the adapter. Default: the name of the entry. */
  readonly adapter?: string | undefined
  readonly enabled?: boolean | undefined
}

/** Entry of `providers`. A list in `apiKey` is short for endpoints that differ only in their `apiKey`. */
export interface ProviderConfig extends EntryConfig {
  readonly models?: ProviderEntry['models'] | undefined
  readonly waiting?: number | undefined
  readonly tracing?: boolean | undefined
  /** Endpoints. Fields of the entry are defaults of each. Default: one endpoint, the entry. */
  readonly endpoints?: readonly EndpointConfig[] | undefined
}

/** Entry of `endpoints`. Other fields are the adapter's configuration. */
export interface EndpointConfig {
  readonly [field: string]: unknown
  /** Default: `region` in lower case, else the position, from 1. */
  readonly name?: string | undefined
  readonly weight?: number | undefined
  readonly priority?: number | undefined
  /** The label `region`. Adapters with a field `region` get it as well. */
  readonly region?: string | undefined
  readonly labels?: Readonly<Record<string, string | boolean>> | undefined
  readonly group?: string | undefined
  readonly models?: readonly string[] | undefined
  readonly limits?: EndpointLimits | undefined
}

/** Entry of `search.backends`. */
export interface BackendConfig extends EntryConfig {
  /** US dollars per 1,000 searches. */
  readonly price?: number | undefined
}

/** Entry of `search.engines`, with settings of its backend for this engine only. */
export interface EngineConfig {
  readonly [field: string]: unknown
  /** Name of a backend. */
  readonly backend: string
  readonly title?: string | undefined
  readonly sites?: readonly string[] | undefined
}

/** Section `search` of a configuration. */
export interface SearchConfig {
  /** Engine or backend of a search without `cx`. */
  readonly default?: string | undefined
  readonly backends?: Readonly<Record<string, BackendConfig>> | undefined
  /** Engines by `cx`. */
  readonly engines?: Readonly<Record<string, EngineConfig>> | undefined
  readonly cache?: { readonly seconds?: number | undefined } | undefined
}

/** Differences between the kinds of adapters, as data. */
export interface AdapterKindSpec<I extends AdapterInstance, C extends EntryConfig, E> {
  /** Path of the entries in the configuration. */
  readonly at: readonly string[]
  /** Name prefix of Headgate's own packages. */
  readonly packages: string
  /** Protocol of servers for adapters with only a base URL; absent = no adapter of this kind. */
  readonly general?: string
  /** Fields of an entry that do not belong to the adapter. */
  readonly own: readonly string[]
  /** Endpoints of an entry. Absent: entries of this kind are single endpoints. */
  endpointsOf?(config: Partial<C>): EndpointList
  /** Creates the entry for the gateway. */
  entry(instance: I, name: string, config: Partial<C>, endpoints?: readonly ConfiguredEndpoint<I>[]): E
  /**
   * Families that the entry supports. A last-resort adapter is enabled only if no other entry has one of its families.
   */
  families(entry: E, all: Families): readonly string[]
  /** Description of what an unconfigured last-resort adapter offers. */
  offers?(entry: E): string | undefined
}

/** Endpoints of an entry as configured. */
export interface EndpointList {
  readonly endpoints: readonly EndpointConfig[] | undefined
  /** A list is short for endpoints that differ only in this field. */
  readonly apiKey: unknown
}

/** Endpoint with its configured adapter. */
export type ConfiguredEndpoint<I> = Omit<EndpointEntry, 'provider'> & { readonly provider: I }

/** Entry without the fields that do not belong to the adapter. */
export function adapterConfig(
  config: Readonly<Record<string, unknown>>,
  own: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([field]) => !own.includes(field)))
}

/** State of a provider adapter, with the reason. */
export type ProviderState = AdapterState<ProviderInstance, ProviderEntry>

export const PROVIDERS: AdapterKindSpec<ProviderInstance, ProviderConfig, ProviderEntry> = {
  at: ['providers'],
  packages: '@headgate/provider-',
  general: 'chat completions',
  own: ['adapter', 'enabled', 'models', 'waiting', 'tracing', 'endpoints'],
  endpointsOf: ({ endpoints, apiKey }) => ({ endpoints, apiKey }),
  entry: (provider, name, { models, waiting, tracing }, endpoints) => ({
    provider,
    name,
    ...(models && { models }),
    ...(endpoints && { endpoints }),
    ...(waiting !== undefined && { waiting }),
    ...(tracing !== undefined && { tracing }),
  }),
  families: ({ provider }, all) =>
    all.filter(({ kind, has }) => kind === 'provider' && has?.(provider)).map(({ id }) => id),
}

/** State of a search adapter, with the reason. */
export type BackendState = AdapterState<BackendInstance, BackendEntry>

/** Nano-dollars per million searches for one US dollar per 1,000 searches. */
const PER_MILLION = 1e12

export const BACKENDS: AdapterKindSpec<BackendInstance, BackendConfig, BackendEntry> = {
  at: ['search', 'backends'],
  packages: '@headgate/search-',
  own: ['adapter', 'enabled', 'price'],
  entry: (backend, name, { price: dollars }) => ({
    backend,
    name,
    ...(dollars !== undefined && { price: Math.round(dollars * PER_MILLION) }),
  }),
  families: (_, all) => all.filter(({ kind }) => kind === 'backend').map(({ id }) => id),
  offers: ({ backend }) => (backend.corpus === 'own' ? "Headgate's own documentation" : undefined),
}
