import { rollingRestart } from '../apps/server/test/rolling/restart.ts'
import { BUILT } from '../apps/server/test/tested.ts'

const STREAMS = 200
const SECONDS = 60
/** Failures that are printed. */
const SHOWN = 10

/**
 * Restarts three built programs behind HAProxy, one after the other, under streams of one minute and short requests:
 * `pnpm bench rolling [200] [60]`. Exits with 1 if a stream is cut or a request fails.
 */
export async function benchRolling([streams = STREAMS, seconds = SECONDS]: readonly (
  | string
  | number
)[]): Promise<void> {
  const begun = performance.now()
  const at = (): string => `${((performance.now() - begun) / 1_000).toFixed(1)} s`
  const result = await rollingRestart({
    streams: Number(streams),
    streamMs: Number(seconds) * 1_000,
    interval: 1_000,
    program: BUILT,
    onStep: (step) => console.log(`${at()}  ${step}`),
  })
  if (!result) return console.error('HAProxy is not installed. On Debian, install the package `haproxy`.')
  const { cut, failed, codes } = result
  console.log(
    `Rolling restart of 3 programs in ${at()}, with ${streams} streams of ${seconds} s: ${result.streams} whole streams, ` +
      `${cut.length} cut; ${result.requests} other requests, ${failed.length} failed; exit codes ${codes.join(', ')}.`,
  )
  for (const problem of [...cut, ...failed].slice(0, SHOWN)) console.log(`  ${problem}`)
  if (cut.length + failed.length > 0 || codes.some((code) => code !== 0)) process.exitCode = 1
}
