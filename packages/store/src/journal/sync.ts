import { close, closeSync, fdatasync, fdatasyncSync, fsync, fsyncSync, open, openSync } from 'node:fs'

/**
 * Policy for syncing writes to the disk: `interval`, one second after a write, without blocking the main thread;
 * `always`, before a write is acknowledged; `never`, by the kernel. The end of the process loses nothing under any
 * policy, only a power loss can.
 */
export type Fsync = 'interval' | 'always' | 'never'

/** Calls of `fdatasync`, replaceable in tests. */
export interface Disk {
  /** Syncs before it returns. @throws if it fails */
  syncNow(file: number): void
  syncSoon(file: number, done: (error: Error | null) => void): void
}

/** File that is synced according to the policy. It closes the descriptor. */
export interface SyncedFile {
  wrote(): void
  /** Ends writing: syncs the file, then closes it. */
  retire(): void
  /** Syncs and closes the file before it returns. */
  close(): void
}

interface SyncOptions {
  readonly fsync: Fsync
  /** Folder of the file. */
  readonly folder: string
  readonly onError: (error: unknown) => void
  readonly disk?: Disk | undefined
}

const INTERVAL = 1_000
const CAN_SYNC_FOLDERS = process.platform !== 'win32'
const DISK: Disk = { syncNow: fdatasyncSync, syncSoon: fdatasync }

export function synced(file: number, { fsync, folder, onError, disk = DISK }: SyncOptions): SyncedFile {
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

/** Syncs the entries of a folder. @throws the error of the file system */
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
      // The folder of an ended and ingested process run is gone.
      if (failed.code !== 'ENOENT') onError(failed)
      return
    }
    fsync(file, (error) => {
      close(file)
      if (error) onError(error)
    })
  })
}
