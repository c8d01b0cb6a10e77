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

/** Where the secret lies when nobody gives one. */
export function secretFile(dataDir: string): string {
  return join(dataDir, 'secret')
}

/**
 * The mode of the secret's file if other users of the machine can access it; undefined if they cannot, or there is no
 * file.
 */
export function openMode(file: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
  return (mode & 0o077) === 0 ? undefined : mode.toString(8)
}

/**
 * What the file of the secret holds; makes it where there is none. Of processes that start at once one makes it, and
 * all read that.
 */
export function readOrMake(file: string): string {
  return read(file) ?? make(file)
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function make(file: string): string {
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

/** A link is there whole or not at all, and never takes the place of another. Some file systems have none. */
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
