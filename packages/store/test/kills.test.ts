import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { repeated } from '../../../tools/long-runs.ts'
import { createRandom } from '../../gateway/test/faults/random.ts'
import { readBooks, type Served, SOUND } from './books.ts'
import { temporaryFolder } from './journal/journals.ts'

const SETTLER = join(import.meta.dirname, 'settler.ts')
/** What was compiled once is kept. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/compiled')
/** Processes at once, each with a data directory of its own that it comes back to after every kill. */
const LANES = 4
/** Rows after which a kill comes at the latest. */
const ROWS = 4_000

describe('Rows that a store has settled', () => {
  const afterKills = async (kills: number): Promise<void> => {
    const seed = Date.now() % 1e6
    const lanes = Array.from({ length: Math.min(LANES, kills) }, (_, lane) =>
      killInTurn(Math.ceil(kills / LANES), seed * LANES + lane),
    )
    for (const found of await Promise.all(lanes)) expect({ seed, ...found }).toEqual({ seed, ...SOUND, problems: '' })
  }
  const name = 'are there once, and their sums are right, after %i times kill -9 at any moment'
  it.each([repeated(16, 40)])(name, { timeout: 600_000, tags: ['full'] }, afterKills)
})

async function killInTurn(kills: number, seed: number) {
  const random = createRandom(seed)
  const dataDir = temporaryFolder()
  const served: Served[] = []
  const problems: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, ['--conditions=@headgate/source', SETTLER, dataDir, `kill${kill}`], {
      env: { NODE_COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [gone, said] = [once(child, 'close'), text(child.stderr)]
    const last = 1 + random.below(ROWS)
    let settled = 0
    child.stdout.on('data', (bytes: Buffer) => {
      settled += bytes.length
      if (settled >= last) child.kill('SIGKILL')
    })
    await gone
    problems.push(await said)
    for (let row = 0; row < settled; row++) served.push({ id: `kill${kill}_${row}`, input: row, output: 1 })
  }
  return { ...(await readBooks({ dataDir }, served)), problems: problems.join('') }
}
