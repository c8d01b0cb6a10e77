import type { ProviderAdapter } from '@headgate/core/provider'
import type { SinkAdapter } from '@headgate/core/sink'
import { families as FAMILIES, type SearchOptions } from '@headgate/gateway'
import { type FoundAdapter, isBackend, isProvider, isSink, type LoadedAdapter } from './adapter.ts'
import { chooseAdapters } from './choice.ts'
import { runsFromSource } from './entry.ts'
import type { Environment } from './environment.ts'
import {
  BACKENDS,
  type BackendState,
  type Families,
  PROVIDERS,
  type ProviderConfig,
  type ProviderState,
  type SearchConfig,
} from './kinds.ts'
import type { AdapterKind, AdapterPackage } from './manifest.ts'
import { type MissingPackage, missingPackages } from './missing.ts'
import { findAdapterPackages, type OnSkipped } from './packages.ts'
import { probeUpstream } from './probe.ts'
import { everyOf } from './problems.ts'
import { findAdapters, outdated } from './registry.ts'
import { searchOptions } from './search.ts'
import { type ConfiguredSink, configureSinks, type SinkConfig } from './sinks.ts'

/** Location and configuration of adapters. */
export interface DiscoveryOptions {
  /** Folder whose nearest package.json, there or above, names the adapters. Default: the working directory. */
  readonly folder?: string | undefined
  /** Folder of a package whose own dependencies count as well. */
  readonly program?: string | undefined
  /** Default: the environment of the process. */
  readonly environment?: Environment | undefined
  /** Ids or package names of the allowed adapters. Default: all. */
  readonly adapters?: readonly string[] | undefined
  /** Providers by name, in addition to providers from the environment. */
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined
  readonly search?: SearchConfig | undefined
  /** Sinks by name. */
  readonly sinks?: Readonly<Record<string, SinkConfig>> | undefined
  /** Families of the gateway. Default: all. */
  readonly families?: Families | undefined
}

/** Adapters with their state. */
export interface Discovered {
  readonly providers: readonly ProviderState[]
  readonly backends: readonly BackendState[]
  readonly families: Families
  /** Enabled backends and engines; undefined without any. */
  readonly search?: SearchOptions | undefined
  /** Enabled sinks, to load in another thread. */
  readonly sinks: readonly ConfiguredSink[]
  /** Adapters of sinks, used or not. */
  readonly sinkAdapters: readonly FoundAdapter<SinkAdapter>[]
  /** Packages that look like adapters but are ignored, one sentence with advice each. */
  readonly skipped: readonly string[]
  /** Packages that would be enabled if they were installed; empty if `adapters` restricts them. */
  readonly missing: readonly MissingPackage[]
  /** Packages with another installed version than the loaded one, one sentence each. */
  readonly outdated: readonly string[]
}

/**
 * Finds the installed adapters, and configures the ones enabled by the options or the environment. Adapters that their
 * package.json excludes are not loaded.
 * @throws HeadgateError that lists all problems.
 */
export async function discoverAdapters(options: DiscoveryOptions = {}): Promise<Discovered> {
  const { environment = process.env, families = FAMILIES, providers: configured = {}, search: searching = {} } = options
  const skipped: string[] = []
  const { adapters, packages } = await installed(options, (sentence) => skipped.push(sentence))
  const given = { environment, families, probe: probeUpstream }
  const choice = { adapters: adapters.filter(isBackend), configured: searching.backends ?? {}, ...given }
  const searched = chooseAdapters(BACKENDS, choice)
  const [providers, backends, search, sinks] = await everyOf([
    chooseAdapters(PROVIDERS, { adapters: adapters.filter(isProvider), configured, ...given }),
    searched,
    // Invalid backends are reported only once.
    searched.then(
      (states) => searchOptions(searching, states, choice),
      () => undefined,
    ),
    configureSinks({ adapters: adapters.filter(isSink), configured: options.sinks ?? {}, environment }),
  ])
  const sinkAdapters = adapters.filter(isSink)
  const missing = options.adapters ? [] : missingPackages(adapters, environment)
  return { providers, backends, families, search, sinks, sinkAdapters, skipped, missing, outdated: outdated(packages) }
}

/** Installed provider adapters, loaded but not configured. */
export async function loadProviders(
  options: Pick<DiscoveryOptions, 'folder' | 'program' | 'environment'> = {},
): Promise<LoadedAdapter<ProviderAdapter>[]> {
  const { adapters } = await installed(options)
  return Promise.all(adapters.filter(isProvider).map((one) => one.load()))
}

export interface InstalledAdapters {
  readonly packages: readonly AdapterPackage[]
  readonly adapters: readonly FoundAdapter[]
}

/** Packages of allowed adapters, and their adapters. */
export async function installed(
  { folder = process.cwd(), program, environment = process.env, adapters: only }: DiscoveryOptions,
  onSkipped?: OnSkipped,
  kind?: AdapterKind,
): Promise<InstalledAdapters> {
  const all = findAdapterPackages({ folder, program, environment }, onSkipped)
  const packages = kind ? all.filter((one) => one.kind === kind) : all
  return { packages, adapters: await findAdapters(packages, { only, fromSource: runsFromSource() }) }
}
