import { createRandom, type Random } from '../../../../packages/gateway/test/faults/random.ts'
import { type Books, readBooks, type Served } from '../../../../packages/store/test/books.ts'
import { startVictim, type Victim, victimFolder } from './program.ts'
import { startCountingUpstream, startTraffic } from './traffic.ts'

/** When a kill comes: with the last byte of an answer, or with any byte of any. */
export type Moment = 'last byte' | 'random'

export interface Round {
  readonly moment: Moment
  readonly workers: number
  readonly kills: number
  /** The same seed picks the same bytes and answers; what has arrived by then is up to the machine. */
  readonly seed: number
  readonly built?: boolean
}

/** What was found after the kills. */
export interface Found extends Books {
  readonly kills: number
  /** Answers that came whole. */
  readonly answers: number
}

/** Bytes, or answers of each caller, after which the next kill comes at the latest. */
const BYTES = 24_000
const ANSWERS = 3

/**
 * Starts, asks and kills again and again in one folder. Of a program with workers one of them is killed, then all
 * processes at once, and so on in turn.
 */
export async function killAndCount({ moment, workers, kills, seed, built = false }: Round): Promise<Found> {
  const random = createRandom(seed)
  const upstream = await startCountingUpstream()
  const folder = victimFolder(upstream.origin)
  const served: Served[] = []
  let done = 0
  try {
    while (done < kills) {
      const victim = await startVictim({ folder: folder.path, workers, built })
      const targets = workers > 1 && kills - done > 1 ? [oneOf(victim, random), victim.kill] : [victim.kill]
      try {
        served.push(...(await askAndKill({ victim, moment, random, callers: 2 * workers, targets })))
      } finally {
        await victim.kill()
      }
      done += targets.length
    }
    return { kills: done, answers: served.length, ...(await readBooks(folder, served)) }
  } finally {
    await upstream.close()
    folder.remove()
  }
}

/** Kills any of the workers. */
function oneOf({ workers }: Victim, random: Random): () => void {
  return () => {
    process.kill(random.pick(workers()), 'SIGKILL')
  }
}

interface Killing {
  readonly victim: Victim
  readonly moment: Moment
  readonly random: Random
  readonly callers: number
  /** What is killed, one after the other. The last leaves nobody. */
  readonly targets: readonly (() => unknown)[]
}

/** Resolves with the answers that came whole, once nothing answers any more. */
async function askAndKill({ victim: { url }, moment, random, callers, targets }: Killing): Promise<readonly Served[]> {
  const { promise: killed, resolve } = Promise.withResolvers<void>()
  const left = [...targets]
  const after = (count: number): number => count + 1 + random.below(moment === 'random' ? BYTES : ANSWERS * callers)
  let next = after(0)
  const traffic = startTraffic({
    url,
    callers,
    // Within the event that brings the byte: nothing of the program has had time to follow it.
    onProgress: (bytes, answers) => {
      const count = moment === 'random' ? bytes : answers
      if (count < next) return
      left.shift()?.()
      next = left.length > 0 ? after(count) : Number.POSITIVE_INFINITY
      if (left.length === 0) resolve()
    },
  })
  await killed
  await traffic.stop()
  return traffic.served
}
