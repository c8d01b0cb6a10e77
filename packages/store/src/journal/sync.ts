import { close, closeSync, fdatasync, fdatasyncSync, fsync, fsyncSync, open, openSync } from 'node:fs'

/**
 * When what was written is made safe from a loss of power: `interval`, a second after it was written, beside the main
 * thread; `always`, before anybody is told; `never`, when the kernel likes. The death of the process loses nothing in
 * any of them.
 */
export type Fsync = 'interval' | 'always' | 'never'

/** The calls of `fdatasync`, which tests watch. */
export interface Disk {
  /** @throws when it fails. */
  syncNow(file: number): void
  syncSoon(file: number, done: (error: Error | null) => void): void
}

/** A file whose bytes are made safe in time. It closes the descriptor. */
export interface Synced {
  wrote(): void
  /** Nothing more is written: what there is is made safe, then it is closed. */
  retire(): void
  /** The same, before it returns. */
  close(): void
}

interface Syncing {
  readonly fsync: Fsync
  /** The folder whose entry the file is. */
  readonly folder: string
  readonly onError: (error: unknown) => void
  readonly disk?: Disk | undefined
}

const INTERVAL = 1_000
const CAN_SYNC_FOLDERS = process.platform !== 'win32'
const DISK: Disk = { syncNow: fdatasyncSync, syncSoon: fdatasync }

export function synced(file: number, { fsync, folder, onError, disk = DISK }: Syncing): Synced {
  const attempt = (sync: () => void) => {
    try {
      sync()
    } catch (error) {
      onError(error)
    }
  }
  if (fsync === 'never') {
    const end = () => closeSync(file)
    return { wrote: () => {}, retire: end, close: end }
  }
  if (fsync === 'always') {
    attempt(() => syncFolder(folder))
    const end = () => closeSync(file)
    return { wrote: () => attempt(() => disk.syncNow(file)), retire: end, close: end }
  }

  let isDirty = false
  let isEntered = false
  let isRunning = false
  let isRetired = false
  let timer: NodeJS.Timeout | undefined

  const run = () => {
    timer = undefined
    if (isRunning) return
    if (!isDirty) {
      if (isRetired) closeSync(file)
      return
    }
    isDirty = false
    isRunning = true
    disk.syncSoon(file, (error) => {
      isRunning = false
      if (error) onError(error)
      else if (!isEntered) syncFolderSoon(folder, onError)
      isEntered = true
      if (isRetired) run()
      else if (isDirty) wait()
    })
  }

  const wait = () => {
    timer ??= setTimeout(run, INTERVAL).unref()
  }

  return {
    wrote: () => {
      isDirty = true
      if (!isRunning) wait()
    },
    retire: () => {
      isRetired = true
      clearTimeout(timer)
      run()
    },
    close: () => {
      isRetired = true
      clearTimeout(timer)
      if (isDirty || isRunning) attempt(() => disk.syncNow(file))
      isDirty = false
      run()
    },
  }
}

/** Makes the names in a folder safe. @throws what the file system says. */
export function syncFolder(folder: string): void {
  if (!CAN_SYNC_FOLDERS) return
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncFolderSoon(folder: string, onError: (error: unknown) => void): void {
  if (!CAN_SYNC_FOLDERS) return
  open(folder, 'r', (failed, file) => {
    if (failed) {
      // A life that is over, taken in by now, has no folder.
      if (failed.code !== 'ENOENT') onError(failed)
      return
    }
    fsync(file, (error) => {
      close(file)
      if (error) onError(error)
    })
  })
}
