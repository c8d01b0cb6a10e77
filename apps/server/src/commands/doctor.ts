import { HeadgateError } from '@headgate/core'
import { type Inventory, takeInventory } from '../adapters/inventory.ts'
import { dataDirectory, loadSettings, placeSettings } from '../config/settings.ts'
import { checkClock } from '../doctor/clock.ts'
import { checkDataDirectory } from '../doctor/data-directory.ts'
import { type Finding, findingsText } from '../doctor/finding.ts'
import { checkProviders } from '../doctor/providers.ts'
import { checkSearch } from '../doctor/search.ts'
import { checkSecret } from '../doctor/secret.ts'
import { checkStore } from '../doctor/store.ts'
import { type Command, type CommandContext, configOption, dataDirOption, flagsOf } from './command.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'checks configuration, data directory, clock and the credentials of providers, and says what to do',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
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
  },
}

/** What a start would read; without it no provider is known, and the rest is checked all the same. */
async function checkConfiguration(context: CommandContext): Promise<{ finding: Finding; inventory?: Inventory }> {
  const about = 'config'
  try {
    const settings = await loadSettings(flagsOf(context.values), context)
    const inventory = await takeInventory(settings, context)
    return { finding: { state: 'ok', about, text: settings.file ?? 'no file: environment and defaults' }, inventory }
  } catch (error) {
    if (!HeadgateError.is(error)) throw error
    return { finding: { state: 'wrong', about, text: error.message, advice: 'Mend it first: providers are not asked before.' } }
  }
}
