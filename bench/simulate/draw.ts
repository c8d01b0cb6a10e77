import type { Random } from '../../packages/gateway/test/faults/random.ts'

/** Random numbers of a simulation. */
export interface Draw {
  /** Number from 0 up to, but without, 1. */
  fraction(): number
  /** Time until the next event of a Poisson process with so many events per second, in milliseconds. */
  gap(perSecond: number): number
  /** Latency in milliseconds: mostly near the median, sometimes a multiple of it. */
  latency(median: number): number
}

const PRECISION = 2 ** 24

export function createDraw(random: Random): Draw {
  const fraction = (): number => random.below(PRECISION) / PRECISION
  return {
    fraction,
    gap: (perSecond) => (-Math.log(1 - fraction()) / perSecond) * 1_000,
    // Log-normal with a sigma of 0.5: 1 % of all take more than 3.2 times the median.
    latency: (median) => median * Math.exp(0.5 * normal(fraction)),
  }
}

/** Box-Muller transform. */
function normal(fraction: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - fraction())) * Math.cos(2 * Math.PI * fraction())
}

/** Picks an index by Zipf's law: index `n` is `n + 1` times rarer than the first. */
export function createZipf(count: number): (fraction: number) => number {
  const sums = new Float64Array(count)
  let sum = 0
  for (let index = 0; index < count; index += 1) {
    sum += 1 / (index + 1)
    sums[index] = sum
  }
  return (fraction) => {
    const wanted = fraction * sum
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] as number) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}
