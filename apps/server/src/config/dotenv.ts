import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadEnvFile } from 'node:process'
import { parseEnv } from 'node:util'
import { createOwnership } from '@headgate/discovery/config'

/** A file `.env` that was found. */
export interface Dotenv {
  readonly file: string
  /** How many variables of the environment are those of the file. */
  readonly count: number
  /** Why it does not count; absent = it does. */
  readonly refusal?: string
}

/** Adds what `.env` in a folder says to the environment of the process. What is set there already stays. */
export function loadDotenv(folder: string): Dotenv | undefined {
  const file = join(folder, '.env')
  try {
    const variables = Object.entries(parseEnv(readFileSync(file, 'utf8')))
    const refusal = createOwnership(folder).againstOwn(file)
    if (refusal) return { file, count: 0, refusal: `${refusal}, in a folder that everybody may write into` }
    loadEnvFile(file)
    // A worker has them from its primary process, and counts as that does.
    return { file, count: variables.filter(([name, value]) => process.env[name] === value).length }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return code === 'ENOENT' || code === 'EISDIR'
      ? undefined
      : { file, count: 0, refusal: `it can not be read: ${code}` }
  }
}
