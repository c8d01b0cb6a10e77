import { type Stats, statSync, unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../config/settings.ts'

/** How often it is looked at, in milliseconds. */
const INTERVAL = 1_000

export interface DataWatch {
  /** What the program has opened is no longer what lies there. */
  isGone(): boolean
  close(): void
}

/**
 * Notices when the store is removed or replaced under the program, which goes on writing what nobody finds. `onGone` is
 * called once.
 */
export function watchData(
  { dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>,
  onGone: () => void,
): DataWatch {
  const path = databaseUrl === undefined ? join(dataDir, 'headgate.db') : dataDir
  const { ino } = statSync(path)
  let gone = false
  const look = (found: Stats) => {
    if (gone || found.ino === ino) return
    gone = true
    onGone()
  }
  watchFile(path, { interval: INTERVAL, persistent: false }, look)
  return { isGone: () => gone, close: () => unwatchFile(path, look) }
}
