import { closeSync, mkdirSync, openSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from '@headgate/gateway/ports'
import { LOCK_FILE, type Lock, lockLife } from './lock.ts'
import { namesIn, removeSegment, segmentsOf } from './segment.ts'

/** One run of one process. */
export interface Life {
  /** UUIDv7. */
  readonly id: string
  readonly folder: string
  readonly lock: Lock
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Whoever looks for lives that are over may take a new one before its owner does. */
const TRIES = 10

/** Where the journals of a data directory are. */
export function journalFolder(dataDir: string): string {
  return join(dataDir, 'journal')
}

/** Ids of the lives that have a folder, oldest first: of those that are over, and of those that are not. */
export function livesIn(journals: string): string[] {
  return namesIn(journals).filter((name) => ID.test(name))
}

/** Makes the folder of a new life, and takes its lock. @throws what the file system says. */
export function beginLife(journals: string): Life {
  mkdirSync(journals, { recursive: true, mode: 0o700 })
  for (let tried = 0; tried < TRIES; tried++) {
    const id = uuidv7()
    const folder = join(journals, id)
    mkdirSync(folder, { mode: 0o700 })
    const lock = isMine(join(folder, LOCK_FILE)) ? lockLife(folder) : undefined
    if (lock) return { id, folder, lock }
  }
  throw new Error(`another process takes each new folder in ${journals}`)
}

/** Removes what is left of a life, segments in their order. Only with its lock in hand, which is released after it. */
export function removeLife(folder: string): void {
  for (const segment of segmentsOf(folder)) removeSegment(folder, segment)
  rmSync(join(folder, LOCK_FILE), { force: true })
  try {
    rmdirSync(folder)
  } catch (error) {
    // Somebody has put something else there, or looks for the lock at this moment: the next one finds an empty life.
    if (!hasCode(error, 'ENOTEMPTY', 'ENOENT')) throw error
  }
}

/** Id of the machine's run since its last start; empty where the system has none. A loss of power changes it. */
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
