import { HeadgateError } from '@headgate/core'
import { type Inventory, takeInventory } from '../adapters/inventory.ts'
import { checkAddresses } from '../adapters/own-address.ts'
import { type CommandContext, flagsOf } from '../commands/command.ts'
import { dataDirectory, loadSettings, placeSettings } from '../config/settings.ts'
import { checkClock } from './clock.ts'
import { checkDataDirectory } from './data-directory.ts'
import { type Finding, findingsText } from './finding.ts'
import { checkProviders } from './providers.ts'
import { checkSearch } from './search.ts'
import { checkSecret } from './secret.ts'
import { checkStore } from './store.ts'

/** Checks all that a start needs, and prints what is found. @throws HeadgateError where something is wrong. */
export async function checkAll(context: CommandContext): Promise<void> {
  const { finding, inventory } = await checkConfiguration(context)
  const flags = flagsOf(context.values)
  const dataDir = dataDirectory(flags, context)
  const data = [
    ...checkDataDirectory(dataDir),
    ...(await checkStore(placeSettings(flags, context))),
    checkSecret(context.environment, dataDir),
  ]
  const { findings, readings } = inventory ? await checkProviders(inventory, context.environment) : { findings: [], readings: [] }
  const skipped = (inventory?.skipped ?? []).map((text): Finding => ({ state: 'note', about: 'adapters', text }))
  const searching = inventory ? checkSearch(inventory) : []
  const all = [finding, ...skipped, ...data, ...findings, ...searching, checkClock(readings)]
  context.print(findingsText(all))
  const wrong = all.filter(({ state }) => state === 'wrong').length
  if (wrong > 0) throw new HeadgateError('invalid-request', `${wrong} of ${all.length} checks found something wrong.`)
}

/** What a start would read; without it no provider is known, and the rest is checked all the same. */
async function checkConfiguration(context: CommandContext): Promise<{ finding: Finding; inventory?: Inventory }> {
  const about = 'config'
  try {
    const settings = await loadSettings(flagsOf(context.values), context)
    const inventory = await takeInventory(settings, context)
    checkAddresses(settings, inventory, context.environment)
    return { finding: { state: 'ok', about, text: settings.file ?? 'no file: environment and defaults' }, inventory }
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
    return { finding: { state: 'wrong', about, text: error.message, advice: 'Mend it first: providers are not asked before.' } }
  }
}
