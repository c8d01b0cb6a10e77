/** CPU time of this thread in milliseconds; of the process where the runtime does not tell threads apart. */
function spent(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1000
}

/** CPU time of one run in milliseconds, the least of several: others use the machine, and code gets faster. */
export function cpuOf(run: () => void, rounds = 3): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = spent()
    run()
    least = Math.min(least, spent() - before)
  }
  return least
}

/** Less is not told apart from the noise of a busy machine, in milliseconds. */
const NOISE = 25
const TRIES = 4
/** Runs whose mean is taken where one run is too short for a clock that may tick every 4 ms. */
const RUNS = 12

/** CPU time of one run in milliseconds, the mean of several. */
function meanOf(run: () => void): number {
  const before = spent()
  for (let index = 0; index < RUNS; index++) run()
  return (spent() - before) / RUNS
}

/**
 * Whether work that is `times` as large takes at most three times as much longer. What seems to take more is measured
 * again.
 * @returns what was measured where it does not; undefined where it does.
 */
export function slowdown(small: () => void, large: () => void, times: number): string | undefined {
  let [a, b] = [0, Number.POSITIVE_INFINITY]
  for (let attempt = 0; attempt < TRIES; attempt++) {
    b = Math.min(b, cpuOf(large, attempt === 0 ? 1 : 3))
    if (b <= NOISE) return undefined
    a = Math.max(a, meanOf(small))
    if (b <= Math.max(NOISE, 3 * times * a)) return undefined
  }
  return `${a.toFixed(1)} ms, of ${times.toFixed(1)} times as much ${b.toFixed(1)} ms`
}
