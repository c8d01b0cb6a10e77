import { type Stats, statSync, unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../config/settings.ts'

/** Interval between checks in milliseconds. */
const INTERVAL = 1_000

export interface DataWatch {
  /** True if the files opened by the program were removed or replaced. */
  isGone(): boolean
  close(): void
}

/**
 * Detects that the store was removed or replaced. The program would otherwise keep writing to a deleted file. `onGone`
 * is called once.
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
