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
  expect(failed.map(explainReport)).toEqual([])
  expect(await leftovers(before)).toEqual([])
}

describe('A gateway in front of providers and callers that fail in every way', () => {
  it('ends as it should after each fault and whatever follows, with one row, and leaves nothing behind', { timeout: 120_000 }, () =>
    play(SEEDS.slice(0, ONCE)),
  )

  it('ends each of 500 sequences of faults as it should', { timeout: 120_000, tags: ['full'] }, () => play(SEEDS.slice(ONCE)))
})
