import { checkAddresses } from '@headgate/discovery'
import { HeadgateError } from '@headgate/gateway'
import { type CommandContext, flagsOf } from '../commands/command.ts'
import { dataDirectory, loadSettings, placeSettings, type Settings, type Surroundings } from '../config/settings.ts'
import { type Inventory, takeInventory } from '../service/inventory.ts'
import { checkClock } from './clock.ts'
import { checkDataDirectory } from './data-directory.ts'
import { type DoctorFinding, findingsText } from './finding.ts'
import { checkProviders } from './providers.ts'
import { checkRedis } from './redis.ts'
import { checkSearch } from './search.ts'
import { checkSecret } from './secret.ts'
import { checkStore } from './store.ts'

/** Checks everything that a start needs, and prints the findings. @throws HeadgateError if something is wrong. */
export async function checkAll(context: CommandContext): Promise<void> {
  const { finding, inventory } = await checkConfiguration(context)
  const flags = flagsOf(context.values)
  const place = { ...placeSettings(flags, context), dataDir: dataDirectory(flags, context) }
  const all = [finding, ...(await checkPlaces({ place, environment: context.environment, inventory }))]
  context.print(findingsText(all))
  const wrong = all.filter(({ state }) => state === 'wrong').length
  if (wrong > 0) throw new HeadgateError('invalid-request', `${wrong} of ${all.length} checks failed.`)
}

/** Findings about a running program and its current settings. */
export async function checkRunning({
  settings,
  inventory,
  environment,
}: RunningFacts): Promise<readonly DoctorFinding[]> {
  const config: DoctorFinding = { state: 'ok', about: 'config', text: settings.file ?? NO_FILE }
  const outdated = inventory.outdated.map((text): DoctorFinding => ({ state: 'note', about: 'adapters', text }))
  return [config, ...outdated, ...(await checkPlaces({ place: settings, environment, inventory }))]
}

export interface RunningFacts extends Pick<Surroundings, 'environment'> {
  readonly settings: Settings
  readonly inventory: Inventory
}

interface CheckedPlaces extends Pick<Surroundings, 'environment'> {
  readonly place: Pick<Settings, 'dataDir' | 'databaseUrl'>
  readonly inventory: Inventory | undefined
}

async function checkPlaces({ place, environment, inventory }: CheckedPlaces): Promise<readonly DoctorFinding[]> {
  const { dataDir, databaseUrl } = place
  const data = [
    ...checkDataDirectory(dataDir),
    ...(await checkStore({ dataDir, ...(databaseUrl !== undefined && { databaseUrl }) })),
    ...(await checkRedis(environment)),
    checkSecret(environment, dataDir),
  ]
  const { findings, readings } = inventory
    ? await checkProviders(inventory, environment)
    : { findings: [], readings: [] }
  const skipped = (inventory?.skipped ?? []).map((text): DoctorFinding => ({ state: 'note', about: 'adapters', text }))
  const installable: DoctorFinding[] =
    inventory?.installable === undefined
      ? []
      : [{ state: 'note', about: 'adapters', text: `Not installed: ${inventory.installable}` }]
  const searching = inventory ? checkSearch(inventory) : []
  return [...skipped, ...installable, ...data, ...findings, ...searching, checkClock(readings)]
}

const NO_FILE = 'no file: environment and defaults'

/**
 * Configuration and inventory of a start. If they are invalid, providers are unknown and the other checks still run.
 */
async function checkConfiguration(context: CommandContext): Promise<{ finding: DoctorFinding; inventory?: Inventory }> {
  const about = 'config'
  try {
    const settings = await loadSettings(flagsOf(context.values), context)
    const inventory = await takeInventory(settings, context)
    checkAddresses(settings, inventory, context.environment)
    return { finding: { state: 'ok', about, text: settings.file ?? NO_FILE }, inventory }
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
    return {
      finding: {
        state: 'wrong',
        about,
        text: error.message,
        advice: 'Fix the configuration first: providers are checked only afterwards.',
      },
    }
  }
}
