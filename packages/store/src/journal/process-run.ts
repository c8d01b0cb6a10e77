import { closeSync, mkdirSync, openSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from '@headgate/gateway/ports'
import { LOCK_FILE, type Lock, lockRun } from './lock.ts'
import { namesIn, removeSegment, segmentsOf } from './segment.ts'

/** Run of a process, with its journal folder. */
export interface JournaledRun {
  /** UUIDv7. */
  readonly id: string
  readonly folder: string
  readonly lock: Lock
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Attempts to create a folder: a search for ended runs may lock a new folder before its owner does. */
const TRIES = 10

/** Folder with the journals of a data directory. */
export function journalFolder(dataDir: string): string {
  return join(dataDir, 'journal')
}

/** Ids of the process runs with a folder, oldest first, whether or not they have ended. */
export function runsIn(journals: string): string[] {
  return namesIn(journals).filter((name) => ID.test(name))
}

/** Creates the folder of a new process run and locks it. @throws the error of the file system */
export function beginRun(journals: string): JournaledRun {
  mkdirSync(journals, { recursive: true, mode: 0o700 })
  for (let tried = 0; tried < TRIES; tried++) {
    const id = uuidv7()
    const folder = join(journals, id)
    mkdirSync(folder, { mode: 0o700 })
    const lock = isMine(join(folder, LOCK_FILE)) ? lockRun(folder) : undefined
    if (lock) return { id, folder, lock }
  }
  throw new Error(`another process locks each new folder in ${journals}`)
}

/**
 * Deletes the folder of a process run, segments in their order. The caller must hold its lock, and release it
 * afterwards.
 */
export function removeRun(folder: string): void {
  for (const segment of segmentsOf(folder)) removeSegment(folder, segment)
  rmSync(join(folder, LOCK_FILE), { force: true })
  try {
    rmdirSync(folder)
  } catch (error) {
    // The folder contains other files, or another process just looks for its lock: the next search finds an empty
    // journal.
    if (!hasCode(error, 'ENOTEMPTY', 'ENOENT')) throw error
  }
}

/** Boot id of the machine, which changes at each start; empty if the system has none. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

function isMine(lockFile: string): boolean {
  try {
    closeSync(openSync(lockFile, 'wx', 0o600))
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST', 'ENOENT')) return false
    throw error
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
