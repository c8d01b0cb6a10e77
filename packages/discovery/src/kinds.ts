import type { BackendEntry, BackendInstance, families, ProviderEntry, ProviderInstance } from '@headgate/gateway'
import type { AdapterState, Instance } from './adapter.ts'

/** What a gateway can be asked for. */
export type Families = typeof families

/** An entry of the configuration: what the fields below say, and the settings of its adapter. */
export interface EntryConfig {
  readonly [field: string]: unknown
  /** Id of the adapter; default: the name of the entry. */
  readonly adapter?: string | undefined
  readonly enabled?: boolean | undefined
}

/** An entry of `providers`. */
export interface ProviderConfig extends EntryConfig {
  readonly models?: ProviderEntry['models'] | undefined
  readonly waiting?: number | undefined
}

/** An entry of `search.backends`. */
export interface BackendConfig extends EntryConfig {
  /** US dollars per 1,000 searches. */
  readonly price?: number | undefined
}

/** An entry of `search.engines`: what the fields below say, and settings of its backend for this engine alone. */
export interface EngineConfig {
  readonly [field: string]: unknown
  /** Name of a backend. */
  readonly backend: string
  readonly title?: string | undefined
  readonly sites?: readonly string[] | undefined
}

/** The part `search` of a configuration. */
export interface SearchConfig {
  /** Engine or backend of a search that names no `cx`. */
  readonly default?: string | undefined
  readonly backends?: Readonly<Record<string, BackendConfig>> | undefined
  /** Engines by `cx`. */
  readonly engines?: Readonly<Record<string, EngineConfig>> | undefined
  readonly cache?: { readonly seconds?: number | undefined } | undefined
}

/** What is different about the adapters of one kind, as data for what is the same. */
export interface Kind<I extends Instance, C extends EntryConfig, E> {
  /** Where the configuration has its entries. */
  readonly at: readonly string[]
  /** What the names of Headgate's own packages begin with. */
  readonly packages: string
  /**
   * What a server has to speak so that an adapter that asks for nothing but a base URL serves it; absent = there is
   * none such.
   */
  readonly general?: string
  /** Fields of an entry that are not the adapter's. */
  readonly own: readonly string[]
  /** What the gateway is given. */
  entry(instance: I, name: string, config: Partial<C>): E
  /**
   * Which of all families it can be asked for: an adapter of last resort is not used while another can be asked for the
   * same.
   */
  families(entry: E, all: Families): readonly string[]
  /** What an adapter of last resort that was given nothing has to offer. */
  offers?(entry: E): string | undefined
}

/** An entry without the fields that are not the adapter's. */
export function adapterConfig(config: EntryConfig, own: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([field]) => !own.includes(field)))
}

/** Whether a provider of an adapter is used, and why. */
export type ProviderState = AdapterState<ProviderInstance, ProviderEntry>

export const PROVIDERS: Kind<ProviderInstance, ProviderConfig, ProviderEntry> = {
  at: ['providers'],
  packages: '@headgate/provider-',
  general: 'chat completions',
  own: ['adapter', 'enabled', 'models', 'waiting'],
  entry: (provider, name, { models, waiting }) => ({
    provider,
    name,
    ...(models && { models }),
    ...(waiting !== undefined && { waiting }),
  }),
  families: ({ provider }, all) =>
    all.filter(({ kind, has }) => kind === 'provider' && has?.(provider)).map(({ id }) => id),
}

/** Whether a search backend of an adapter is used, and why. */
export type BackendState = AdapterState<BackendInstance, BackendEntry>

/** From US dollars per 1,000 searches to integer nano-dollars of one. */
const NANO_OF_A_THOUSANDTH = 1e6

export const BACKENDS: Kind<BackendInstance, BackendConfig, BackendEntry> = {
  at: ['search', 'backends'],
  packages: '@headgate/search-',
  own: ['adapter', 'enabled', 'price'],
  entry: (backend, name, { price: dollars }) => ({
    backend,
    name,
    ...(dollars !== undefined && { price: Math.round(dollars * NANO_OF_A_THOUSANDTH) }),
  }),
  families: (_, all) => all.filter(({ kind }) => kind === 'backend').map(({ id }) => id),
  offers: ({ backend }) => (backend.corpus === 'own' ? "Headgate's own documentation" : undefined),
}
