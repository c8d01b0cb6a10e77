import type { Settings, Surroundings } from '../config/settings.ts'
import { programFolder } from '../program.ts'
import { findAdapterPackages } from './discovery.ts'
import { runsFromSource } from './entry.ts'
import { probeUpstream } from './probe.ts'
import { chooseProviders, type ProviderState } from './providers.ts'
import { loadAdapters } from './registry.ts'

/** Every provider that could be used here, and whether it is. */
export async function takeInventory({ config }: Settings, { folder, environment }: Surroundings): Promise<ProviderState[]> {
  const packages = findAdapterPackages(folder, programFolder).filter(({ kind }) => kind === 'provider')
  const adapters = await loadAdapters(packages, { only: config.adapters, fromSource: runsFromSource() })
  return chooseProviders({ adapters, configured: config.providers ?? {}, environment, probe: probeUpstream })
}
