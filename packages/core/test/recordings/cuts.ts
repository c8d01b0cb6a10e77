import { hash } from './hash.ts'

/** How a body is cut into the chunks that come over the network. */
export const CUTS = ['whole', 'byte by byte', 'around line ends', 'within characters', 'at random'] as const
export type Cut = (typeof CUTS)[number]

/** Bodies above this size, in bytes, are not cut byte by byte, but into so many pieces. */
const SMALL = 2048

const LF = 10
const CR = 13

/** The chunks of a body. The same `seed` always cuts alike. */
export function cut(body: Uint8Array, how: Cut, seed: string): Uint8Array[] {
  return slices(body, placesOf(body, how, seed))
}

function placesOf(body: Uint8Array, how: Cut, seed: string): Iterable<number> {
  switch (how) {
    case 'whole':
      return []
    case 'byte by byte':
      return body.length > SMALL ? randomPlaces(body.length, Math.ceil((2 * body.length) / SMALL), seed) : body.keys()
    case 'around line ends':
      return lineEnds(body)
    case 'within characters':
      return [...body.keys()].filter((at) => isContinuation(body[at] ?? 0))
    case 'at random':
      return randomPlaces(body.length, 400, seed)
  }
}

/** Before and after each byte of each line end: within CR LF, and between the two that make a blank line. */
function lineEnds(body: Uint8Array): number[] {
  return [...body.keys()].filter((at) => [body[at], body[at - 1]].some((byte) => byte === LF || byte === CR))
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

/** Places that are at most `most` bytes apart. */
function* randomPlaces(length: number, most: number, seed: string): Generator<number> {
  const next = numbers(seed)
  for (let at = 1 + (next() % most); at < length; at += 1 + (next() % most)) yield at
}

function numbers(seed: string): () => number {
  let state = hash(seed)
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}

function slices(body: Uint8Array, places: Iterable<number>): Uint8Array[] {
  const out: Uint8Array[] = []
  let start = 0
  for (const place of places) {
    if (place > start) out.push(body.subarray(start, place))
    start = place
  }
  out.push(body.subarray(start))
  return out
}

/** All ways to cut a stream, dealt out to so many hands: together they have each of them. */
export function share(id: string, hand: number, hands: number): Cut[] {
  return CUTS.filter((_, index) => (index + hash(id)) % hands === hand)
}
