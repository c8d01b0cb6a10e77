import type { ProviderAdapter } from '@headgate/core/provider'
import { families as FAMILIES, type SearchOptions } from '@headgate/gateway'
import { type FoundAdapter, isBackend, isProvider, type LoadedAdapter } from './adapter.ts'
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

/** Where adapters are looked for, and how they are configured. */
export interface DiscoveryOptions {
  /** The nearest package.json at or above this folder names the adapters. Default: the working directory. */
  readonly folder?: string | undefined
  /** Folder of a package whose own dependencies count as well. */
  readonly program?: string | undefined
  /** Default: that of the process. */
  readonly environment?: Environment | undefined
  /** Ids or package names of the only adapters that may be used. Default: all. */
  readonly adapters?: readonly string[] | undefined
  /** Providers by name. Beside them those are used that the environment configures. */
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined
  readonly search?: SearchConfig | undefined
  /** Families of the gateway. Default: all of them. */
  readonly families?: Families | undefined
}

/** Every adapter that was found, and whether it is used. */
export interface Discovered {
  readonly providers: readonly ProviderState[]
  readonly backends: readonly BackendState[]
  readonly families: Families
  /** Backends that are used, and engines; undefined without any. */
  readonly search?: SearchOptions | undefined
  /** What looks like an adapter and is not used: a sentence each, with what to do. */
  readonly skipped: readonly string[]
  /** Packages that would be used if they were installed; empty where `adapters` limits them. */
  readonly missing: readonly MissingPackage[]
  /** Packages of which this process runs another version than the installed one: a sentence each. */
  readonly outdated: readonly string[]
}

/**
 * Finds the adapters that are installed, and configures those that the options or the environment enable. Loads no
 * adapter that its package.json shows to be unused.
 * @throws HeadgateError that lists all problems.
 */
export async function discoverAdapters(options: DiscoveryOptions = {}): Promise<Discovered> {
  const { environment = process.env, families = FAMILIES, providers: configured = {}, search: searching = {} } = options
  const skipped: string[] = []
  const { adapters, packages } = await installed(options, (sentence) => skipped.push(sentence))
  const given = { environment, families, probe: probeUpstream }
  const choice = { adapters: adapters.filter(isBackend), configured: searching.backends ?? {}, ...given }
  const searched = chooseAdapters(BACKENDS, choice)
  const [providers, backends, search] = await everyOf([
    chooseAdapters(PROVIDERS, { adapters: adapters.filter(isProvider), configured, ...given }),
    searched,
    // Backends that cannot be used are reported once.
    searched.then(
      (states) => searchOptions(searching, states, choice),
      () => undefined,
    ),
  ])
  const missing = options.adapters ? [] : missingPackages(adapters, environment)
  return { providers, backends, families, search, skipped, missing, outdated: outdated(packages) }
}

/** The adapters of all providers that are installed, loaded and not configured. */
export async function loadProviders(
  options: Pick<DiscoveryOptions, 'folder' | 'program' | 'environment'> = {},
): Promise<LoadedAdapter<ProviderAdapter>[]> {
  const { adapters } = await installed(options)
  return Promise.all(adapters.filter(isProvider).map((one) => one.load()))
}

export interface Installed {
  readonly packages: readonly AdapterPackage[]
  readonly adapters: readonly FoundAdapter[]
}

/** The packages of adapters that may be used, and the adapters in them. */
export async function installed(
  { folder = process.cwd(), program, environment = process.env, adapters: only }: DiscoveryOptions,
  onSkipped?: OnSkipped,
  kind?: AdapterKind,
): Promise<Installed> {
  const all = findAdapterPackages({ folder, program, environment }, onSkipped)
  const packages = kind ? all.filter((one) => one.kind === kind) : all
  return { packages, adapters: await findAdapters(packages, { only, fromSource: runsFromSource() }) }
}
