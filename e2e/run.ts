import { entriesOf, installEntries, runEntries } from './clients/run.ts'
import { isIsolated, runIsolated } from './isolation.ts'
import { runMedia } from './media.ts'
import { runPython } from './python.ts'

/**
 * `pnpm e2e [clients [name…]]`: tests clients and coding agents with the built program and models of each format.
 * Installs them first, and stores the results in `clients/results.json`. Nothing leaves this machine. `pnpm e2e
 * python`: tests the installed clients of this machine's Python, and the SDK that creates videos. `pnpm e2e media`: tests
 * images, sound, transcripts and moderations with OpenAI's clients for Python, Java and Go.
 */
async function main([what = 'clients', ...names]: readonly string[]): Promise<number> {
  if (what === 'python') return runPython()
  if (what === 'media') return runMedia()
  const entries = entriesOf(names)
  if (what !== 'clients' || entries.length === 0) {
    console.error(
      `Unknown argument: ${[what, ...names].join(' ')}: \`pnpm e2e clients [name…]\`, \`pnpm e2e python\` or \`pnpm e2e media\`.`,
    )
    return 1
  }
  if (isIsolated()) return runEntries(entries)
  installEntries(entries)
  const code = runIsolated()
  if (code !== undefined) return code
  console.log(
    "Network namespaces are not available (`unshare -n`): only the clients' settings keep them from other hosts.",
  )
  return runEntries(entries)
}

process.exitCode = (await main(process.argv.slice(2))) > 0 ? 1 : 0
