import { type Discovered, discoverAdapters, type Families, installCommand } from '@headgate/discovery'
import type { Settings, Surroundings } from '../config/settings.ts'
import { outdatedProgram, programFolder } from '../program.ts'

/** Adapters of the program with their state. */
export interface Inventory extends Omit<Discovered, 'missing'> {
  /** Install command for packages whose API keys are set in the environment, if any. */
  readonly installable?: string | undefined
  /** Credentials that owners have entered; absent = not read. */
  readonly credentials?: InventoryCredentials | undefined
}

export interface InventoryCredentials {
  /** State of the stored credentials. */
  readonly version: string
  /** Names of the providers that use one. */
  readonly used: readonly string[]
  /** Origins of these providers that are connected to only at public addresses. */
  readonly publicOrigins: readonly string[]
}

/** Finds and configures the adapters. Default: for all families of the gateway. */
export async function takeInventory(
  { config: { adapters, providers, search, sinks } }: Settings,
  { folder, environment }: Surroundings,
  families?: Families,
): Promise<Inventory> {
  const options = { folder, program: programFolder, environment, adapters, providers, search, sinks, families }
  const { missing, outdated, ...found } = await discoverAdapters(options)
  return { ...found, outdated: [...outdatedProgram(), ...outdated], installable: installCommand(missing, folder) }
}
