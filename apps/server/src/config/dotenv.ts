import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadEnvFile } from 'node:process'
import { parseEnv } from 'node:util'
import { createOwnership } from '@headgate/discovery/config'

/** `.env` file. */
export interface Dotenv {
  readonly file: string
  /** Number of variables that come from the file. */
  readonly count: number
  /** Reason why the file is ignored; absent = it is used. */
  readonly refusal?: string
}

/** Adds the variables of `.env` in a folder to the process environment. Existing variables keep their values. */
export function loadDotenv(folder: string): Dotenv | undefined {
  const file = join(folder, '.env')
  try {
    const variables = Object.entries(parseEnv(readFileSync(file, 'utf8')))
    const refusal = createOwnership(folder).againstOwn(file)
    if (refusal) return { file, count: 0, refusal: `${refusal}, in a folder that all users can write to` }
    loadEnvFile(file)
    // A worker inherits these variables from its primary process, and both report the same count.
    return { file, count: variables.filter(([name, value]) => process.env[name] === value).length }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return code === 'ENOENT' || code === 'EISDIR'
      ? undefined
      : { file, count: 0, refusal: `it cannot be read: ${code}` }
  }
}
