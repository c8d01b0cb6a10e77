import { wrong } from '../database/input.ts'

/** Length of passwords in characters (code points). */
const LENGTH = { least: 12, most: 128 }

/**
 * Validated new password: 12 to 128 characters of any kind. @throws HeadgateError `invalid-request`, which does not
 * show it.
 */
export function newPassword(value: unknown, param = 'password'): string {
  const length = typeof value === 'string' && value.length <= LENGTH.most * 4 ? [...value].length : Number.NaN
  if (typeof value === 'string' && length >= LENGTH.least && length <= LENGTH.most) return value
  throw wrong(param, `\`${param}\` must have ${LENGTH.least} to ${LENGTH.most} characters.`)
}

/** Password for verification. Impossible ones are hashed too, so that the time does not differ. */
export function givenPassword(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, LENGTH.most * 4) : ''
}
