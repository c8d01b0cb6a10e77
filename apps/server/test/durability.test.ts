import { describe, expect, it } from 'vitest'
import { SOUND } from '../../../packages/store/test/books.ts'
import { repeated } from '../../../tools/long-runs.ts'
import { killAndCount, type Moment } from './kills/rounds.ts'

describe('The usage rows of a gateway', () => {
  const afterKills = async (kills: number, moment: Moment, workers: number): Promise<void> => {
    const seed = Date.now() % 1e6
    const { answers, ...found } = await killAndCount({ kills, moment, workers, seed })
    expect({ seed, ...found }).toEqual({ seed, kills, ...SOUND })
    expect(answers).toBeGreaterThan(0)
  }
  const run = (kills: number, moment: Moment, _: string, workers: number): Promise<void> =>
    afterKills(kills, moment, workers)

  const name = 'are all there once, and their sums are right, after %i times kill -9 (%s), %s'
  const one = 'of one process'
  const three = 'of one of three workers and of all in turn'
  it.each([[2, 'last byte', one, 1]] as const)(name, run)
  // `pnpm bench kills` repeats these 200 times.
  const kills = repeated(4, 12)
  it.each([
    [kills, 'last byte', one, 1],
    [kills, 'random', one, 1],
    [kills, 'last byte', three, 3],
    [kills, 'random', three, 3],
  ] as const)(name, { timeout: 600_000, tags: ['full'] }, run)
})
