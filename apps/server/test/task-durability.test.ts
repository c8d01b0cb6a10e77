import { describe, expect, it } from 'vitest'
import { SOUND } from '../../../packages/store/test/books.ts'
import { repeated } from '../../../tools/long-runs.ts'
import { killVideos, NO_FAULTS } from './kills/videos.ts'

describe('The video tasks of a gateway', () => {
  // `pnpm bench kills` repeats these 200 times.
  const kills = repeated(6, 12)
  // Each run mostly waits until the leases of killed processes end.
  it.concurrent.each([
    [kills, 'of one process', 1],
    [kills, 'of one of three workers and of all in turn', 3],
  ] as const)(
    'are all there, made once, ended and accounted for, after %i times kill -9 %s',
    {
      timeout: 600_000,
      tags: ['full'],
    },
    async (kills, _, workers) => {
      const seed = Date.now() % 1e6
      const { accepted, cut, unknown, ...found } = await killVideos({ kills, workers, videos: 50, seed })
      expect({ seed, ...found }).toEqual({ seed, kills, ...NO_FAULTS, ...SOUND })
      expect([accepted >= 50, cut + unknown > 0]).toEqual([true, true])
    },
  )
})
