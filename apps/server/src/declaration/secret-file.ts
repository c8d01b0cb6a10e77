import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { declarationError } from './change.ts'

/** New file for a secret that the gateway shows once. */
export interface SecretFile {
  /** Writes the secret of a result. Removes the file if the function rejects. */
  keep<Result>(make: () => Promise<{ readonly secret: string; readonly result: Result }>): Promise<Result>
}

/**
 * Creates the file before the secret exists, so that a secret is never lost because it cannot be written. Only the user
 * of the process can read it. @throws HeadgateError if the file exists or cannot be created
 */
export function createSecretFile(path: string, folder: string): SecretFile {
  const file = resolve(folder, path)
  const descriptor = open(file)
  return {
    async keep(make) {
      try {
        const { secret, result } = await make()
        writeSync(descriptor, `${secret}\n`)
        fsyncSync(descriptor)
        return result
      } catch (error) {
        rmSync(file, { force: true })
        throw error
      } finally {
        closeSync(descriptor)
      }
    },
  }
}

function open(file: string): number {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw declarationError(
      code === 'EEXIST' ? `${file} already exists. Name a new file.` : `${file} cannot be created: ${code}`,
    )
  }
}
