/** Numbers that depend on a seed only. */
export interface Random {
  /** From 0, below 1. */
  next(): number
  /** Integer from 0, below `count`. */
  below(count: number): number
  /** Whether something of this probability happens. */
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
}

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x85ebca6b) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
  }
}
