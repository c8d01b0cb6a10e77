import { takeInventory } from '../adapters/inventory.ts'
import { loadSettings, type Settings } from '../config/settings.ts'
import { version } from '../program.ts'
import { banner } from '../service/banner.ts'
import { createEnding } from '../service/ending.ts'
import { firstKey } from '../service/first-key.ts'
import { createLog } from '../service/log.ts'
import { createReload } from '../service/reload.ts'
import { startService } from '../service/service.ts'
import { handleSignals } from '../service/signals.ts'
import { type Command, type CommandContext, configOption, dataDirOption, flagsOf } from './command.ts'

export const start: Command = {
  name: 'start',
  summary: 'starts the gateway (what happens without a command)',
  options: {
    port: { type: 'string', value: 'number', help: 'port (PORT; 8787; 0 takes a free one)' },
    host: { type: 'string', value: 'address', help: 'address to listen on (HOST; 127.0.0.1)' },
    workers: { type: 'string', value: 'number', help: 'processes that serve the port, or auto for one a core (HEADGATE_WORKERS; 1)' },
    config: configOption,
    'data-dir': dataDirOption,
    'log-level': { type: 'string', value: 'level', help: 'trace, debug, info, warn, error, fatal or silent (LOG_LEVEL; info)' },
    'no-print-key': { type: 'boolean', help: 'write the first API key to a file of the data directory instead of printing it' },
  },
  async run(context) {
    if (process.send && context.environment['HEADGATE_WORKER']) return (await import('../cluster/worker.ts')).serveAsWorker(context)
    const settings = await loadSettings(flagsOf(context.values), context)
    if (settings.workers === 1) return serve(settings, context)
    await (await import('../cluster/primary.ts')).serveWithWorkers(settings, context)
  },
}

/** The program as one process. */
async function serve(settings: Settings, context: CommandContext): Promise<void> {
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
