import { randomBytes } from 'node:crypto'

/** Digits of one id that nobody can guess. */
const LENGTH = 20
/** Digits are drawn in bulk: one draw costs as much as a hundred ids. */
const DRAWN = 128 * LENGTH
const TIME_DIGITS = 12

let digits = ''
let taken = 0
let prefixAt = -1
let prefix = ''

/**
 * An id for one request: `req_` and 32 hexadecimal digits, of which the first 12 are when it began: where its usage row
 * lies. A caller's own is never used. `at` is Unix time in milliseconds.
 */
export function requestId(at: number): string {
  if (at !== prefixAt) {
    prefix = `req_${Math.max(0, Math.round(at)).toString(16).padStart(TIME_DIGITS, '0')}`
    prefixAt = at
  }
  if (taken === digits.length) {
    digits = randomBytes(DRAWN / 2).toString('hex')
    taken = 0
  }
  taken += LENGTH
  return prefix + digits.slice(taken - LENGTH, taken)
}

/** When the request of an id began, in Unix milliseconds; undefined of an id that is none of ours. */
export function beginningOfRequest(id: string): number | undefined {
  return /^req_[0-9a-f]{32}$/.test(id) ? Number.parseInt(id.slice(4, 4 + TIME_DIGITS), 16) : undefined
}
