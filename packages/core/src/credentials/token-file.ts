import { readFileSync } from 'node:fs'
import { HeadgateError } from '../errors.ts'

/** Maximum size of a token in bytes. */
const MAX_BYTES = 65_536

/**
 * Token of a workload identity in a file. It is read for each exchange, since the platform replaces it before it ends.
 * @param path absolute path.
 * @throws HeadgateError `our-credential` if the file cannot be read or is empty
 * @example const token = tokenFile('/var/run/secrets/eks.amazonaws.com/serviceaccount/token')
 */
export function tokenFile(path: string): string {
  const token = contentOf(path).trim()
  if (token !== '' && token.length <= MAX_BYTES) return token
  throw new HeadgateError('our-credential', `The token file ${path} is empty or too large.`)
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new HeadgateError('our-credential', `The token file ${path} cannot be read: ${code}.`)
  }
}
