import { describe, expect, it } from 'vitest'
import { FAULTS } from './kinds/index.ts'
import { leftovers } from './leftovers.ts'
import { explainReport, playSeeds } from './run.ts'

/** `pnpm bench faults` plays twenty times as many; `pnpm bench faults --seed N` plays one of them alone. */
const SEEDS = Array.from({ length: 500 }, (_, seed) => seed)
/** Seeds in a row go through all faults of upstreams: each of them comes first once. */
const ONCE = FAULTS.length

async function play(seeds: readonly number[]): Promise<void> {
  const before = process.getActiveResourcesInfo()
  const { failed } = await playSeeds(seeds)
  // Their times are short: where the machine stood still, a sequence that failed beside others is right by itself.
  const { failed: alone } = await playSeeds(
    failed.map(({ seed }) => seed),
    { concurrency: 1 },
  )
  expect(alone.map(explainReport)).toEqual([])
  expect(await leftovers(before)).toEqual([])
}

describe('A gateway in front of providers and callers that fail in every way', () => {
  it('ends as it should after each fault and whatever follows, with one row, and leaves nothing behind', () =>
    play(SEEDS.slice(0, ONCE)))

  it('ends each of 500 sequences of faults as it should', { timeout: 300_000, tags: ['full'] }, () =>
    play(SEEDS.slice(ONCE)),
  )
})
