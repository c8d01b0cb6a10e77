import { type CommandContext, flagsOf } from '../commands/command.ts'
import { loadSettings, type Settings } from '../config/settings.ts'
import { version } from '../program.ts'
import { banner } from './banner.ts'
import { firstKey } from './first-key.ts'
import { takeInventory } from './inventory.ts'
import { createLog } from './log.ts'
import { createReload } from './reload.ts'
import { startService } from './service.ts'
import { createProcessExit, endMessage, handleSignals } from './shutdown.ts'

/** Runs the gateway in a single process. */
export async function serveSingleProcess(settings: Settings, context: CommandContext): Promise<void> {
  const { values, note, environment } = context
  const inventory = await takeInventory(settings, context)
  const log = createLog(settings.logLevel)
  const { logger } = log
  for (const one of inventory.skipped) logger.warn(one)
  const take = (next: Settings) => takeInventory(next, context)
  const service = await startService({ settings, inventory, log, environment, take })
  const processExit = createProcessExit(service, log)
  const { reload, close } = createReload({
    settings,
    logger,
    load: () => loadSettings(flagsOf(values), context),
    apply: async (next) => {
      const inventory = await takeInventory(next, context)
      const successor = await service.prepare(next, inventory)
      for (const one of inventory.outdated) logger.warn(one)
      successor.takeOver()
    },
  })
  handleSignals({
    onEnd: (signal, code) => {
      close()
      const drainMs = signal === 'SIGTERM' ? service.drainMs() : 0
      logger.info(endMessage(signal, drainMs))
      processExit.end(code, drainMs)
    },
    onReload: reload,
  })

  const { url, metricsUrl, healthUrl, dashboardUrl, gateway, store, management } = service
  const urls = { url, metricsUrl, healthUrl, dashboardUrl }
  note(banner({ version, ...urls, settings, inventory: service.inventory, dotenv: context.dotenv }))
  const shows = values['no-print-key'] !== true
  try {
    note(await firstKey({ settings, keys: store.keys, gateway, inventory, url, management, print: shows }))
  } catch (error) {
    // The gateway serves without a first key. If it is already stopping, no key is needed.
    if (!processExit.hasBegun()) logger.error(`The first API key could not be created: ${String(error)}`)
  }
}
