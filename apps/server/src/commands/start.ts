import { takeInventory } from '../adapters/inventory.ts'
import { loadSettings } from '../config/settings.ts'
import { version } from '../program.ts'
import { banner } from '../service/banner.ts'
import { firstKey } from '../service/first-key.ts'
import { createLog, type Log } from '../service/log.ts'
import { type Service, startService } from '../service/service.ts'
import { type Command, configOption, dataDirOption, flagsOf } from './command.ts'

export const start: Command = {
  name: 'start',
  summary: 'starts the gateway (what happens without a command)',
  options: {
    port: { type: 'string', value: 'number', help: 'port (PORT; 8787; 0 takes a free one)' },
    host: { type: 'string', value: 'address', help: 'address to listen on (HOST; 127.0.0.1)' },
    config: configOption,
    'data-dir': dataDirOption,
    'log-level': { type: 'string', value: 'level', help: 'trace, debug, info, warn, error, fatal or silent (LOG_LEVEL; info)' },
    'no-print-key': { type: 'boolean', help: 'write the first API key to a file of the data directory instead of printing it' },
  },
  async run(context) {
    const { values, print } = context
    const settings = await loadSettings(flagsOf(values), context)
    const inventory = await takeInventory(settings, context)
    const log = createLog(settings.logLevel)
    for (const one of inventory.skipped) log.logger.warn(one)
    const service = await startService(settings, inventory, log)
    endWithProcess(service, log)

    const { url, metricsUrl, gateway, store } = service
    print(banner({ version, url, metricsUrl, settings, inventory }))
    const key = await firstKey({ settings, keys: store.keys, gateway, inventory, url, print: values['no-print-key'] !== true })
    if (key) print(key)
  },
}

/** Ends the service with the process: in order at the first signal, at once at the second or after a bug. */
function endWithProcess(service: Service, log: Log): void {
  let stopping = false
  const exit = (code: number) => {
    const { ledger } = service.store
    ledger.close()
    log.flush()
    process.exit(code === 0 && ledger.lost() > 0 ? 1 : code)
  }
  const onSignal = (signal: NodeJS.Signals, number: number) => {
    if (stopping) return exit(128 + number)
    stopping = true
    log.logger.info(`${signal}: finishing what is open`)
    service.stop().then(
      () => {
        log.flush()
        log.logger.info('stopped')
        exit(0)
      },
      (error: unknown) => crash(error),
    )
  }
  const crash = (error: unknown) => {
    log.flush()
    log.logger.fatal(error instanceof Error ? error : new Error(String(error)), 'a bug ended the program')
    exit(1)
  }

  process.on('SIGTERM', () => onSignal('SIGTERM', 15))
  process.on('SIGINT', () => onSignal('SIGINT', 2))
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}
