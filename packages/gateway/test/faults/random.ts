/** Choices that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 up to, but without, `below`. */
  below(below: number): number
  pick<T>(from: readonly T[]): T
  /** True so often of 100. */
  chance(percent: number): boolean
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = (seed * 0x9e3779b1) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick(from) {
      const found = from[below(from.length)]
      if (found === undefined) throw new RangeError('There is nothing to pick from.')
      return found
    },
    chance: (percent) => below(100) < percent,
  }
}
