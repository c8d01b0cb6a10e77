import { randomBytes } from 'node:crypto'

/** Random digits of an id. */
const LENGTH = 20
/** Digits are drawn in bulk: one draw costs as much as a hundred ids. */
const DRAWN_DIGITS = 128 * LENGTH
const TIME_DIGITS = 12

let digits = ''
let taken = 0
let prefixAt = -1
let prefix = ''

/**
 * Id of a request: `req_` and 32 hexadecimal digits. The first 12 are the start of the request in Unix milliseconds,
 * which locates its usage row. Ids from callers are never used.
 */
export function requestId(at: number): string {
  if (at !== prefixAt) {
    prefix = `req_${Math.max(0, Math.round(at)).toString(16).padStart(TIME_DIGITS, '0')}`
    prefixAt = at
  }
  if (taken === digits.length) {
    digits = randomBytes(DRAWN_DIGITS / 2).toString('hex')
    taken = 0
  }
  taken += LENGTH
  return prefix + digits.slice(taken - LENGTH, taken)
}

/**
 * Start of a request in Unix milliseconds, from its id; undefined if the gateway did not create the id.
 *
 * @example
 * ```ts
 * beginningOfRequest('req_01932c07209c5f0e9a7b31d2c4e8a6f1') // 1731610484892
 * ```
 */
export function beginningOfRequest(id: string): number | undefined {
  return /^req_[0-9a-f]{32}$/.test(id) ? Number.parseInt(id.slice(4, 4 + TIME_DIGITS), 16) : undefined
}
