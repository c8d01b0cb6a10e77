import { takeInventory } from '../adapters/inventory.ts'
import { type CommandContext, flagsOf } from '../commands/command.ts'
import { loadSettings, type Settings } from '../config/settings.ts'
import { version } from '../program.ts'
import { banner } from './banner.ts'
import { createEnding } from './ending.ts'
import { firstKey } from './first-key.ts'
import { createLog } from './log.ts'
import { createReload } from './reload.ts'
import { startService } from './service.ts'
import { handleSignals } from './signals.ts'

/** The program as one process. */
export async function serveAlone(settings: Settings, context: CommandContext): Promise<void> {
  const { values, print, environment } = context
  const inventory = await takeInventory(settings, context)
  const log = createLog(settings.logLevel)
  const { logger } = log
  for (const one of inventory.skipped) logger.warn(one)
  const service = await startService({ settings, inventory, log, environment })
  const ending = createEnding(service, log)
  const reload = createReload({
    settings,
    logger,
    load: () => loadSettings(flagsOf(values), context),
    apply: async (next) => (await service.prepare(next, await takeInventory(next, context))).takeOver(),
  })
  handleSignals({
    onEnd: (signal, code) => {
      logger.info(`${signal}: finishing what is open`)
      ending.end(code)
    },
    onReload: reload,
  })

  const { url, metricsUrl, gateway, store } = service
  print(banner({ version, url, metricsUrl, settings, inventory }))
  const key = await firstKey({ settings, keys: store.keys, gateway, inventory, url, print: values['no-print-key'] !== true })
  if (key) print(key)
}
