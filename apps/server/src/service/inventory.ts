import { type Discovered, discoverAdapters, type Families, installCommand } from '@headgate/discovery'
import type { Settings, Surroundings } from '../config/settings.ts'
import { outdatedProgram, programFolder } from '../program.ts'

/** The adapters of the program, and whether each is used. */
export interface Inventory extends Omit<Discovered, 'missing'> {
  /** The command that installs packages for whose keys the environment has a value; undefined without any. */
  readonly installable?: string | undefined
}

/** Finds and configures the adapters, as a start does. Default: for all families of the gateway. */
export async function takeInventory(
  { config: { adapters, providers, search } }: Settings,
  { folder, environment }: Surroundings,
  families?: Families,
): Promise<Inventory> {
  const options = { folder, program: programFolder, environment, adapters, providers, search, families }
  const { missing, outdated, ...found } = await discoverAdapters(options)
  return { ...found, outdated: [...outdatedProgram(), ...outdated], installable: installCommand(missing, folder) }
}
