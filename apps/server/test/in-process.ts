import { parseArgs } from 'node:util'
import { onTestFinished, vi } from 'vitest'
import { flagsOf } from '../src/commands/command.ts'
import { start as startCommand } from '../src/commands/start.ts'
import { loadSettings, type Settings } from '../src/config/settings.ts'
import { version } from '../src/program.ts'
import { banner } from '../src/service/banner.ts'
import { firstKey } from '../src/service/first-key.ts'
import { takeInventory } from '../src/service/inventory.ts'
import { createLog } from '../src/service/log.ts'
import { createReload } from '../src/service/reload.ts'
import { startService } from '../src/service/service.ts'
import { logLines, type ProgramOptions, type Started } from './program.ts'

export interface InProcessOptions extends Omit<ProgramOptions, 'program'> {
  /** Flags of `headgate start`, other than `--port` and `--workers`. */
  readonly args?: readonly string[]
}

/** A gateway in the process of the test. */
export interface InProcess extends Started {
  /** Ends it at once: aborts what is open. */
  end(): Promise<void>
}

/**
 * Starts the gateway in this process on a free port, for the length of one test: it has the configuration, the output
 * and the log of a program, and costs less than half as much CPU. Tests of signals, exit codes and workers start a program.
 */
export async function startInProcess(options: InProcessOptions): Promise<InProcess> {
  const gateway = await serveInProcess(options)
  onTestFinished(() => gateway.end())
  return gateway
}

/** Like `startInProcess`, until it is ended. */
export async function serveInProcess({ folder, environment = {}, args = [] }: InProcessOptions): Promise<InProcess> {
  const { values } = parseArgs({ args: ['--port', '0', ...args], options: startCommand.options })
  const context = { folder, environment }
  const settings = await loadSettings(flagsOf(values), context)
  const inventory = await takeInventory(settings, context)
  const written = { out: '', error: '' }
  const log = createLog(settings.logLevel, {
    stream: {
      write: (text) => {
        written.out += text
      },
    },
  })
  for (const one of inventory.skipped) log.logger.warn(one)
  const take = (next: Settings) => takeInventory(next, context)
  const service = await startService({ settings, inventory, log, environment, take })
  const { url, metricsUrl, healthUrl, dashboardUrl, gateway, store, management } = service
  const { reload, close } = createReload({
    settings,
    logger: log.logger,
    load: () => loadSettings(flagsOf(values), context),
    apply: async (next) => {
      const inventory = await takeInventory(next, context)
      const successor = await service.prepare(next, inventory)
      for (const one of inventory.outdated) log.logger.warn(one)
      successor.takeOver()
    },
  })
  written.error += banner({ version, url, metricsUrl, healthUrl, dashboardUrl, settings, inventory })
  const print = values['no-print-key'] !== true
  written.error += await firstKey({ settings, keys: store.keys, gateway, inventory, url, management, print })
  await vi.waitUntil(() => service.notReady().length === 0, { timeout: 60_000, interval: 5 })

  let ended: Promise<number> | undefined
  const stop = (): Promise<number> => {
    close()
    ended ??= service.stop().then(() => {
      log.flush()
      return store.ledger.lost() > 0 ? 1 : 0
    })
    return ended
  }
  return {
    url,
    output: () => written.error + written.out,
    stdout: () => written.out,
    log: () => logLines(written.out),
    reload,
    stop,
    async end() {
      const stopped = stop()
      service.gateway.abort()
      management?.handler.abort()
      await stopped
    },
  }
}
