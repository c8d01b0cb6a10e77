/** Installed adapters of Headgate, and their selection for a gateway. */
export { type AdapterState, type FoundAdapter, isBackend, isProvider, type LoadedAdapter } from './adapter.ts'
export { enabledEntries } from './choice.ts'
export { type Discovered, type DiscoveryOptions, discoverAdapters, loadProviders } from './discover.ts'
export { type DocumentIndex, findDocumentIndex } from './document-index.ts'
export { type Environment, environmentConfig, isGiven, variableNames, variablesSet } from './environment.ts'
export {
  BACKENDS,
  type BackendConfig,
  type BackendState,
  type EndpointConfig,
  type EngineConfig,
  type Families,
  PROVIDERS,
  type ProviderConfig,
  type ProviderState,
  type SearchConfig,
} from './kinds.ts'
export type { AdapterPackage } from './manifest.ts'
export { installCommand, isPublished, type MissingPackage } from './missing.ts'
export { checkAddresses, type OwnAddress } from './own-address.ts'
export type { ConfiguredSink, SinkConfig } from './sinks.ts'
