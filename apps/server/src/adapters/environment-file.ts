import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { HeadgateError } from '@headgate/gateway'
import type { Environment } from '../config/substitution.ts'

/** Most bytes of a file that stands for a field. */
const MOST_BYTES = 1024 * 1024

/** The file of a path that begins with `~/`, where there is one. */
export function fileAt(path: string, environment: Environment): string | undefined {
  const file = path.startsWith('~/') ? join(environment['HOME'] || homedir(), path.slice(2)) : path
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

/**
 * The text of a file, without space around it. `what` says in an error which file it is. @throws HeadgateError, which
 * never holds the text.
 */
export function textOf(file: string, what: string): string {
  try {
    const found = statSync(file)
    if (!found.isFile()) throw unusable(what, 'something that is no file')
    if (found.size > MOST_BYTES) throw unusable(what, `a file of ${found.size} bytes; at most ${MOST_BYTES} are read`)
    const text = readFileSync(file, 'utf8').trim()
    if (text === '') throw unusable(what, 'an empty file')
    return text
  } catch (cause) {
    if (HeadgateError.is(cause)) throw cause
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    throw unusable(what, `a file that can not be read${code}`)
  }
}

function unusable(what: string, why: string): HeadgateError {
  return new HeadgateError('invalid-request', `The environment: ${what} ${why}.`)
}
