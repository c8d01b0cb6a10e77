import { randomFillSync } from 'node:crypto'

/** Random bytes are drawn in bulk: one draw costs as much as a hundred ids. */
const POOL = new Uint8Array(8_192)
/** Random bytes per id: two for the start of the counter, eight for the unpredictable part. */
const BYTES_PER_ID = 10
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
/** Number of ids per millisecond: the counter has the 12 bits after the version. */
const IDS_PER_MS = 0x1000

let taken = POOL.length
/** Time of the last id that was created for the current time. */
let lastMs = 0
let counted = 0
let prefixMs = -1
let prefix = ''

function byte(offset: number): number {
  return POOL[taken + offset] ?? 0
}

function hex(offset: number): string {
  return HEX[byte(offset)] ?? ''
}

/** The 48 bits of the time, formatted, with the version. */
function timeText(ms: number): string {
  if (ms !== prefixMs) {
    const text = ms.toString(16).padStart(12, '0')
    prefix = `${text.slice(0, 8)}-${text.slice(8)}-7`
    prefixMs = ms
  }
  return prefix
}

/**
 * Creates a UUID of version 7 (RFC 9562). Ids of the current time increase within a process, even if its clock goes
 * back, so that they sort by time.
 *
 * @param at Unix time in milliseconds; default: the current time. Ids with an explicit time have no order within it.
 * @example
 * ```ts
 * uuidv7() // '01932c07-209c-7a6b-93d1-5b1c3d6fa0c4'
 * ```
 */
export function uuidv7(at?: number): string {
  if (taken + BYTES_PER_ID > POOL.length) {
    randomFillSync(POOL)
    taken = 0
  }
  // The upper half of the range is left for counting.
  const start = ((byte(0) & 0x07) << 8) | byte(1)
  let ms: number
  let count = start
  if (at === undefined) {
    ms = Math.floor(Date.now())
    if (ms > lastMs) counted = start
    else {
      ms = lastMs
      counted++
      if (counted === IDS_PER_MS) {
        ms++
        counted = start
      }
    }
    lastMs = ms
    count = counted
  } else ms = Math.max(0, Math.floor(at))
  const middle = count.toString(16).padStart(3, '0')
  const id = `${timeText(ms)}${middle}-${HEX[0x80 | (byte(2) & 0x3f)]}${hex(3)}-${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
  taken += BYTES_PER_ID
  return id
}
