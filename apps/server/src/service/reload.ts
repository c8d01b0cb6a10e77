import { HeadgateError } from '@headgate/gateway'
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import { watchContent, watchedFiles } from './configuration-watch.ts'

export interface ReloadParts {
  /** Settings at the start of the program. */
  readonly settings: Settings
  readonly logger: Logger
  /** Reads the configuration again. @throws if it is invalid. */
  load(): Promise<Settings>
  /** Serves with other settings. @throws if it cannot; nothing has changed then. */
  apply(settings: Settings): Promise<void>
}

/** File endings of a configuration that is code. */
const MODULE = /\.(ts|mjs|js)$/

/** Reloads of the configuration. */
export interface Reload {
  /** Reloads the configuration. Calls during a reload cause one more reload after it. */
  reload(): void
  /** Ends the watch of the files. */
  close(): void
}

/** Creates reloads by call and, with `server.watch`, by changes of the files. */
export function createReload({ settings: first, logger, load, apply }: ReloadParts): Reload {
  let current = first
  let isRunning = false
  let isWanted = false

  const reload = async () => {
    try {
      const { settings, unchanged } = keepFixed(current, await load())
      await apply(settings)
      current = settings
      for (const sentence of unchanged) logger.warn(sentence)
      if (settings.file && MODULE.test(settings.file))
        logger.warn(
          `${settings.file} was reloaded, but its imports were not; restart to load them and any other new code`,
        )
      logger.info(`reloaded the configuration: ${settings.file ?? 'no file'}`)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const told = HeadgateError.is(error) ? [] : [error]
      logger.error(
        { ...(told[0] instanceof Error && { err: told[0] }) },
        `the new configuration was not applied, the previous one stays in effect: ${reason}`,
      )
    }
  }
  const run = async () => {
    isRunning = true
    while (isWanted) {
      isWanted = false
      await reload()
    }
    isRunning = false
  }
  const request = () => {
    isWanted = true
    if (!isRunning) void run()
  }
  return { reload: request, close: watchContent(() => watchedFiles(current), request) }
}

/** Keeps settings that only a restart can change, and names changed ones. */
function keepFixed(before: Settings, next: Settings): { settings: Settings; unchanged: readonly string[] } {
  const stays = (what: string, old: unknown, found: unknown): string[] =>
    same(old, found) ? [] : [`${what} stays ${JSON.stringify(old)} until a restart; found ${JSON.stringify(found)}`]
  const { port, host, workers, dataDir, publicUrl } = before
  const metrics = before.config.metrics ?? true
  const { tls, healthPort, proxyProtocol } = before.config.server ?? {}
  const found = next.config.server ?? {}
  const { publicUrl: _, ...others } = next
  const { accounts: __, ...config } = next.config
  const { accounts } = before.config
  return {
    settings: {
      ...others,
      port,
      host,
      workers,
      dataDir,
      ...(publicUrl !== undefined && { publicUrl }),
      config: {
        ...config,
        metrics,
        server: {
          ...withoutConnections(found),
          ...(tls && { tls }),
          ...(healthPort !== undefined && { healthPort }),
          ...(proxyProtocol && { proxyProtocol }),
        },
        ...(accounts !== undefined && { accounts }),
      },
    },
    unchanged: [
      ...stays('server.port', port, next.port),
      ...stays('server.host', host, next.host),
      ...stays('server.workers', workers, next.workers),
      ...stays('the data directory', dataDir, next.dataDir),
      ...stays('server.tls', tls ?? null, found.tls ?? null),
      ...stays('server.healthPort', healthPort ?? null, found.healthPort ?? null),
      ...stays('server.proxyProtocol', proxyProtocol ?? null, found.proxyProtocol ?? null),
      ...stays('metrics', metrics, next.config.metrics ?? true),
      ...stays('the public URL', publicUrl ?? null, next.publicUrl ?? null),
      // Values are not printed because they contain secrets.
      ...(same(accounts, next.config.accounts) ? [] : ['accounts keep their previous configuration until a restart']),
    ],
  }
}

type ServerSettings = NonNullable<Settings['config']['server']>

function withoutConnections({ tls: _, healthPort: __, proxyProtocol: ___, ...others }: ServerSettings): ServerSettings {
  return others
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
