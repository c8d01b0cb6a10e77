import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startHeadgate } from './headgate.ts'
import { type Measured, startNode } from './process.ts'
import { compare } from './rounds.ts'
import { scenarios } from './scenarios.ts'

const root = resolve(import.meta.dirname, '..')

/** Measures this checkout beside another one that is built, in turn, and prints what a request costs in shares of what it cost there. */
export async function benchBefore([folder, ...names]: readonly string[]): Promise<void> {
  const before = resolve(folder ?? '')
  if (folder === undefined || !existsSync(join(before, 'apps/server/dist/cli.js')))
    throw new Error('Name the folder of another checkout that is built: pnpm bench before ../headgate-before [scenario ...]')
  const processes: Measured[] = []
  const started = async (starting: Promise<Measured>): Promise<Measured> => {
    const one = await starting
    processes.push(one)
    return one
  }
  try {
    const upstream = await started(startNode([join(root, 'bench/upstream.ts')]))
    const origin = `http://127.0.0.1:${upstream.port}`
    const old = await started(startHeadgate(before, origin))
    const own = await started(startHeadgate(root, origin))
    for (const scenario of scenarios.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)))) {
      const [, figure] = await compare(scenario, [
        { name: 'before', process: old, shot: scenario.headgate },
        { name: 'now', process: own, shot: scenario.headgate },
      ])
      process.stdout.write(`${scenario.name}: main thread ${figure?.mainRatio.toFixed(3)}, process ${figure?.ratio.toFixed(3)} x before\n`)
    }
  } finally {
    await Promise.all(processes.map((one) => one.stop()))
  }
}
