import { type FSWatcher, watch } from 'node:fs'

/** Maximum number of watched folders. Systems have a limit, often 8,192 for all programs together. */
const MOST_FOLDERS = 4_096

/** Watches folders for changes. */
export interface FolderWatch {
  add(folder: string): void
  close(): void
}

/** Calls `onChange` for each change, and `onLimit` once if not all folders can be watched. */
export function watchFolders(onChange: () => void, onLimit: () => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>()
  let isLimited = false

  const limited = () => {
    if (!isLimited) onLimit()
    isLimited = true
  }
  const forget = (folder: string) => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  return {
    add(folder) {
      if (watchers.has(folder) || isLimited) return
      if (watchers.size >= MOST_FOLDERS) return limited()
      try {
        const watcher = watch(folder, { persistent: false }, (event, name) => {
          // A moved or removed folder reports its own name; a new folder with this name is a different one.
          if (event === 'rename' && name !== null && folder.endsWith(name)) forget(folder)
          onChange()
        })
        watcher.on('error', () => forget(folder))
        watchers.set(folder, watcher)
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (code === 'ENOSPC' || code === 'EMFILE') limited()
      }
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}
