import { families as FAMILIES, type SearchOptions } from '@headgate/gateway'
import { everyOf } from '../config/problem.ts'
import type { Settings, Surroundings } from '../config/settings.ts'
import { outdatedProgram, programFolder } from '../program.ts'
import { isBackend, isProvider } from './adapter.ts'
import { BACKENDS, type BackendState } from './backends.ts'
import { chooseAdapters } from './choice.ts'
import { findAdapterPackages } from './discovery.ts'
import { runsFromSource } from './entry.ts'
import type { Families } from './kind.ts'
import { probeUpstream } from './probe.ts'
import { PROVIDERS, type ProviderState } from './providers.ts'
import { installableText } from './published.ts'
import { findAdapters, outdated } from './registry.ts'
import { searchOptions } from './search.ts'

/** Everything that could be used here, and whether it is. */
export interface Inventory {
  readonly providers: readonly ProviderState[]
  readonly backends: readonly BackendState[]
  /** What they can be asked for: each thing that is told of families is told of these. */
  readonly families: Families
  /** The backends that are used and the engines; absent where nothing can be searched. */
  readonly search?: SearchOptions
  /** What looks like an adapter and is not used: a sentence each, with what to do. */
  readonly skipped: readonly string[]
  /** Packages that are not installed and would be used, and the command that installs them; absent = none. */
  readonly installable?: string
  /** Code that runs and is no longer what is installed: a sentence each. */
  readonly outdated: readonly string[]
}

/** Finds and configures the adapters, as a start does; for core's families, or others. */
export async function takeInventory(
  { config }: Settings,
  { folder, environment }: Surroundings,
  families: Families = FAMILIES,
): Promise<Inventory> {
  const skipped: string[] = []
  const packages = findAdapterPackages({ folder, environment, program: programFolder }, (sentence) =>
    skipped.push(sentence),
  )
  const adapters = await findAdapters(packages, { only: config.adapters, fromSource: runsFromSource() })
  const { providers: configured = {}, search: searching = {} } = config
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
  // Whoever says which adapters may be used does not miss others.
  const installable = config.adapters ? undefined : installableText(adapters, { folder, environment })
  return {
    providers,
    backends,
    families,
    skipped,
    outdated: [...outdatedProgram(), ...outdated(packages)],
    ...(search && { search }),
    ...(installable !== undefined && { installable }),
  }
}
