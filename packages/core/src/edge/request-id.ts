import { randomBytes } from 'node:crypto'

/** Digits of one id. */
const LENGTH = 32
/** Digits are drawn in bulk: one draw costs as much as a hundred ids. */
const DRAWN = 128 * LENGTH

let digits = ''
let taken = 0

/** An id for one request: `req_` and 32 hexadecimal digits. A caller's own is never used. */
export function requestId(): string {
  if (taken === digits.length) {
    digits = randomBytes(DRAWN / 2).toString('hex')
    taken = 0
  }
  taken += LENGTH
  return `req_${digits.slice(taken - LENGTH, taken)}`
}
