import { entriesOf, installEntries, runEntries } from './clients/run.ts'
import { isIsolated, runIsolated } from './isolation.ts'
import { runPython } from './python.ts'

/**
 * `pnpm e2e [clients [name…]]`: clients and coding agents ask through the built program, with models of each format
 * behind it. Installs them first, and keeps in clients/results.json what came of it. Nothing they do leaves this
 * machine.
 * `pnpm e2e python`: the clients that this machine's Python has, as they are, the SDK that makes videos among them.
 */
async function main([what = 'clients', ...names]: readonly string[]): Promise<number> {
  if (what === 'python') return runPython()
  const entries = entriesOf(names)
  if (what !== 'clients' || entries.length === 0) {
    console.error(
      `There is nothing called ${[what, ...names].join(' ')}: \`pnpm e2e clients [name…]\` or \`pnpm e2e python\`.`,
    )
    return 1
  }
  if (isIsolated()) return runEntries(entries)
  installEntries(entries)
  const code = runIsolated()
  if (code !== undefined) return code
  console.log(
    'No network namespace can be made here (`unshare -n`): that the clients talk to no one else rests on their settings.',
  )
  return runEntries(entries)
}

process.exitCode = (await main(process.argv.slice(2))) > 0 ? 1 : 0
