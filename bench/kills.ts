import { parseArgs } from 'node:util'
import { killAndCount, type Moment } from '../apps/server/test/kills/rounds.ts'
import { type FoundVideos, killVideos } from '../apps/server/test/kills/videos.ts'

const COUNT = 200
/** Number of programs that run in parallel, each with a separate folder. */
const LANES = 2
const SHOWN = 20
/**
 * Videos per round, kills per video round, and parallel rounds: most of the time, they wait for leases of killed
 * processes.
 */
const VIDEOS = 50
const KILLS_A_ROUND = 10
const ROUNDS = 4

/**
 * Kills the built program repeatedly under load: `pnpm bench kills [200] [--seed N] [--only answers|videos]`. Exits
 * with 1 if a usage row is missing, duplicated or differs from the upstream's usage, if sums differ from the rows, or
 * if a video is lost, created twice, or does not end.
 */
export async function benchKills(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { seed: { type: 'string' }, only: { type: 'string' } },
    allowPositionals: true,
  })
  const kills = Number(positionals[0] ?? COUNT)
  const seed = Number(values.seed ?? Date.now() % 1e6)
  console.log(`seed ${seed}`)
  for (const workers of [1, 3]) {
    for (const moment of values.only === 'videos' ? [] : (['last byte', 'random'] as const))
      if (!(await play({ kills, moment, workers, seed }))) process.exitCode = 1
    if (values.only !== 'answers' && !(await playVideos({ kills, workers, seed }))) process.exitCode = 1
  }
}

/** Returns true if there are no findings. */
async function playVideos({ kills, workers, seed }: Omit<Played, 'moment'>): Promise<boolean> {
  const start = performance.now()
  const found: FoundVideos[] = []
  const rounds = Array.from({ length: Math.ceil(kills / KILLS_A_ROUND) }, (_, nth) => nth)
  const lane = async (): Promise<void> => {
    for (let nth = rounds.shift(); nth !== undefined; nth = rounds.shift())
      found.push(
        await killVideos({
          workers,
          kills: Math.min(KILLS_A_ROUND, kills - nth * KILLS_A_ROUND),
          videos: VIDEOS,
          seed: seed * COUNT + nth,
          built: true,
        }),
      )
  }
  await Promise.all(Array.from({ length: ROUNDS }, lane))
  const total = (of: 'kills' | 'accepted' | 'cut' | 'unknown'): number => found.reduce((sum, one) => sum + one[of], 0)
  const faults = (['lost', 'twice', 'stuck', 'missing', 'doubled', 'wrong', 'unbalanced'] as const).map((name) => ({
    name,
    all: found.flatMap((one) => one[name]),
  }))
  const seconds = ((performance.now() - start) / 1_000).toFixed(0)
  console.log(
    `videos, ${workers === 1 ? 'one process' : `${workers} workers`}: ${total('kills')} kills, ${total('accepted')} videos, ` +
      `${total('cut')} of them interrupted before the caller got a response, ${total('unknown')} that were never sent: ` +
      `${faults.map(({ name, all }) => `${all.length} ${name}`).join(', ')}; ${seconds} s`,
  )
  const shown = faults.flatMap(({ name, all }) => all.map((one) => `${name} ${one}`))
  for (const one of shown.slice(0, SHOWN)) console.log(`  ${one}`)
  return shown.length === 0
}

interface Played {
  readonly kills: number
  readonly moment: Moment
  readonly workers: number
  readonly seed: number
}

/** Returns true if there are no findings. */
async function play({ kills, moment, workers, seed }: Played): Promise<boolean> {
  const start = performance.now()
  const shares = Array.from({ length: LANES }, (_, lane) => Math.floor((kills + lane) / LANES)).filter(Boolean)
  const lanes = shares.map((share, lane) =>
    killAndCount({ moment, workers, kills: share, seed: seed * LANES + lane, built: true }),
  )
  const found = await Promise.all(lanes)
  const total = (of: 'kills' | 'answers'): number => found.reduce((sum, one) => sum + one[of], 0)
  const all = (of: 'missing' | 'doubled' | 'wrong' | 'unbalanced'): string[] => found.flatMap((one) => one[of])
  const [missing, doubled, wrong, unbalanced] = [all('missing'), all('doubled'), all('wrong'), all('unbalanced')]
  const seconds = ((performance.now() - start) / 1_000).toFixed(0)
  const program = workers === 1 ? 'one process' : `${workers} workers`
  console.log(
    `${moment}, ${program}: ${total('kills')} kills, ${total('answers')} whole answers: ${missing.length} missing, ${doubled.length} doubled, ` +
      `${wrong.length} wrong, ${unbalanced.length} sums off; ${seconds} s`,
  )
  const shown = [...missing, ...doubled, ...wrong, ...unbalanced]
  for (const one of shown.slice(0, SHOWN)) console.log(`  ${one}`)
  return shown.length === 0
}
