import { describe, expect, it } from 'vitest'
import { leftovers } from './leftovers.ts'
import { explainReport, playSeeds } from './run.ts'

/** `pnpm bench faults` plays twenty times as many; `pnpm bench faults --seed N` plays one of them alone. */
const SEEDS = Array.from({ length: 500 }, (_, seed) => seed)

describe('A gateway in front of providers and callers that fail in every way', () => {
  it('ends each of 500 sequences of faults as it should, with one row, and leaves nothing behind', { timeout: 120_000 }, async () => {
    const before = process.getActiveResourcesInfo()
    const { failed } = await playSeeds(SEEDS)
    expect(failed.map(explainReport)).toEqual([])
    expect(await leftovers(before)).toEqual([])
  })
})
