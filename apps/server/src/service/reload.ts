import { HeadgateError } from '@headgate/gateway'
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'

export interface ReloadParts {
  /** By which the program was started. */
  readonly settings: Settings
  readonly logger: Logger
  /** Reads everything that is configured anew. @throws when it is wrong. */
  load(): Promise<Settings>
  /** Serves by other settings. @throws when that can not be: then nothing has changed. */
  apply(settings: Settings): Promise<void>
}

/** A configuration that is code. */
const MODULE = /\.(ts|mjs|js)$/

/** Reads the configuration anew when it is called. Calls while it does are one more reading, after it. */
export function createReload({ settings: first, logger, load, apply }: ReloadParts): () => void {
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
          `${settings.file} was read anew, but not what it imports: that, and new code of any kind, needs a restart`,
        )
      logger.info(`the configuration was read anew: ${settings.file ?? 'no file'}`)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const told = HeadgateError.is(error) ? [] : [error]
      logger.error(
        { ...(told[0] instanceof Error && { err: told[0] }) },
        `the configuration is not used, the one before goes on: ${reason}`,
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
  return () => {
    isWanted = true
    if (!isRunning) void run()
  }
}

/** What the port, the processes and the store of a program hang on stays as it is, and is said. */
function keepFixed(before: Settings, next: Settings): { settings: Settings; unchanged: readonly string[] } {
  const stays = (what: string, old: unknown, found: unknown): string[] =>
    same(old, found)
      ? []
      : [`${what} stays ${JSON.stringify(old)} until the program is started anew; found ${JSON.stringify(found)}`]
  const { port, host, workers, dataDir, publicUrl } = before
  const metrics = before.config.metrics ?? true
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
      config: { ...config, metrics, ...(accounts !== undefined && { accounts }) },
    },
    unchanged: [
      ...stays('server.port', port, next.port),
      ...stays('server.host', host, next.host),
      ...stays('server.workers', workers, next.workers),
      ...stays('the data directory', dataDir, next.dataDir),
      ...stays('metrics', metrics, next.config.metrics ?? true),
      ...stays('the public URL', publicUrl ?? null, next.publicUrl ?? null),
      // It has secrets.
      ...(same(accounts, next.config.accounts)
        ? []
        : ['accounts stay as they were configured until the program is started anew']),
    ],
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
