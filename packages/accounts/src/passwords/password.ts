import { wrong } from '../database/input.ts'

/** In characters, as people count them. */
const LENGTH = { least: 12, most: 128 }

/**
 * A password that somebody chooses: 12 to 128 characters of any kind. @throws HeadgateError `invalid-request`, which
 * does not show it.
 */
export function newPassword(value: unknown, param = 'password'): string {
  const length = typeof value === 'string' && value.length <= LENGTH.most * 4 ? [...value].length : Number.NaN
  if (typeof value === 'string' && length >= LENGTH.least && length <= LENGTH.most) return value
  throw wrong(param, `\`${param}\` has ${LENGTH.least} to ${LENGTH.most} characters.`)
}

/** A password that somebody says they have: one that can be none is hashed as another one is. */
export function givenPassword(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, LENGTH.most * 4) : ''
}
