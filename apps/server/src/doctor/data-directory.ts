import { accessSync, constants, existsSync, rmSync, type Stats, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DoctorFinding } from './finding.ts'

const MEGABYTE = 1_000_000
/** Free bytes below which the store may fill the disk within a day. */
const SCARCE = 1_000 * MEGABYTE
/** Free bytes below which the disk counts as full. */
const TOO_LITTLE = 100 * MEGABYTE

const ELSEWHERE = 'or choose another folder with --data-dir or HEADGATE_DATA_DIR'

/** Checks that a folder can be used for the store: writable, enough free space, and private. Leaves no files behind. */
export function checkDataDirectory(dataDir: string): DoctorFinding[] {
  const folder = nearestFolder(dataDir)
  const stats = statSync(folder)
  if (!stats.isDirectory()) return [finding('wrong', `${folder} is not a folder`, `Remove it, ${ELSEWHERE}.`)]
  const isThere = folder === dataDir
  const refusal = isThere ? refusalOf(dataDir) : refusalAbove(folder)
  if (refusal)
    return [
      finding(
        'wrong',
        `${folder} cannot be written: ${refusal}`,
        `Make the user that runs headgate its owner, ${ELSEWHERE}.`,
      ),
    ]
  const state = isThere ? 'can be written' : 'will be created at the first start'
  const problems = [...spaceProblems(folder), ...(isThere ? permissionProblems(dataDir, stats) : [])]
  return problems.length > 0 ? problems : [finding('ok', `${dataDir} ${state}, ${sizeText(freeSpace(folder))} free`)]
}

function finding(state: DoctorFinding['state'], text: string, advice?: string): DoctorFinding {
  return { state, about: 'data', text, ...(advice && { advice }) }
}

/** Nearest existing folder of a path. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path))
}

/**
 * Reason why a folder cannot be written; undefined = it can. A file shows more than permissions: full disks and
 * read-only file systems.
 */
function refusalOf(folder: string): string | undefined {
  const file = join(folder, `doctor-${process.pid}`)
  try {
    writeFileSync(file, 'x', { flag: 'wx', mode: 0o600 })
    rmSync(file)
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}

function refusalAbove(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

function freeSpace(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function spaceProblems(folder: string): DoctorFinding[] {
  const free = freeSpace(folder)
  if (free >= SCARCE) return []
  const state = free < TOO_LITTLE ? 'wrong' : 'note'
  return [
    finding(
      state,
      `only ${sizeText(free)} are free at ${folder}`,
      `Free some disk space, or usage cannot be recorded.`,
    ),
  ]
}

function sizeText(bytes: number): string {
  return bytes < SCARCE ? `${Math.floor(bytes / MEGABYTE)} MB` : `${(bytes / SCARCE).toFixed(1)} GB`
}

/**
 * Problems with the permissions of the data directory, which contains usage and key hashes. Windows has no such
 * permissions.
 */
function permissionProblems(dataDir: string, { mode }: Stats): DoctorFinding[] {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return []
  const found = (mode & 0o777).toString(8)
  const state = (mode & 0o022) === 0 ? 'note' : 'wrong'
  const who = state === 'note' ? 'read' : 'change'
  return [
    finding(
      state,
      `other users of this machine can ${who} files in ${dataDir} (mode ${found})`,
      `Run: chmod 700 ${dataDir}`,
    ),
  ]
}
