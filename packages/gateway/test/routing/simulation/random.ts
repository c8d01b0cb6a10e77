/** Deterministic random numbers from 0 up to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A random number between two numbers. */
export function between(random: () => number, least: number, most: number): number {
  return least + (most - least) * random()
}

/** A random number between two numbers whose logarithm is evenly distributed. */
export function spread(random: () => number, least: number, most: number): number {
  return least * (most / least) ** random()
}
