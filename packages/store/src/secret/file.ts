import { randomBytes, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Path of the secret if none is configured. */
export function secretFile(dataDir: string): string {
  return join(dataDir, 'secret')
}

/**
 * File mode of the secret if other users of the machine can access it; undefined if they cannot, or the file does not
 * exist.
 */
export function openMode(file: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
  return (mode & 0o077) === 0 ? undefined : mode.toString(8)
}

/**
 * Contents of the secret's file, created if missing. If several processes start at the same time, one creates it and
 * all read it.
 */
export function readOrCreate(file: string): string {
  return read(file) ?? create(file)
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function create(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}-${randomUUID()}`
  try {
    writeDraft(draft, `${randomBytes(32).toString('base64')}\n`)
    place(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(file, 'utf8')
}

function writeDraft(draft: string, text: string): void {
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Creates the file atomically with a link, which never replaces an existing file. Some file systems do not support
 * links.
 */
function place(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    copyFileSync(draft, file, constants.COPYFILE_EXCL)
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
