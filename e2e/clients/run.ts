import { isInstalled, tryInstall } from '../installation.ts'
import { ENTRIES, type Entry } from './entries.ts'
import { openGateway } from './gateway.ts'
import { keepResult, problemsOf } from './results.ts'

/** Entries whose names begin with one of the arguments; all without arguments. */
export function entriesOf(names: readonly string[]): readonly Entry[] {
  const begins = names.map((name) => name.toLowerCase())
  return names.length === 0
    ? ENTRIES
    : ENTRIES.filter(({ name }) => begins.some((begin) => name.toLowerCase().startsWith(begin)))
}

/** Installs missing clients. Failures are reported, and the clients are skipped. */
export function installEntries(entries: readonly Entry[]): void {
  for (const { installation } of entries) if (installation) tryInstall(installation)
}

/** Tests entries one after the other, and stores the results. Resolves with the number of failures. */
export async function runEntries(entries: readonly Entry[]): Promise<number> {
  const gateway = await openGateway()
  try {
    let failed = 0
    for (const entry of entries) if (!(await runEntry(entry, () => entry.try(gateway)))) failed++
    console.log(`${entries.length - failed} passed, ${failed} failed`)
    return failed
  } finally {
    await gateway.close()
  }
}

async function runEntry(
  { kind, name, format, packages, installation }: Entry,
  attempt: () => ReturnType<Entry['try']>,
): Promise<boolean> {
  if (installation && !isInstalled(installation)) {
    console.log(`FAILED  ${name}\n        it is not installed`)
    return false
  }
  const start = performance.now()
  const behind = await attempt()
  const order = ENTRIES.filter((entry) => entry.kind === kind).map((entry) => entry.name)
  keepResult(kind, name, { date: new Date().toISOString().slice(0, 10), format, packages, behind }, order)
  return report(`${name}, ${((performance.now() - start) / 1000).toFixed(1)} s`, problemsOf(behind))
}

/** Prints a result. Returns true if there are no problems. */
export function report(what: string, problems: readonly string[]): boolean {
  console.log(`${problems.length === 0 ? 'passed' : 'FAILED'}  ${what}`)
  for (const problem of problems) console.log(`        ${problem}`)
  return problems.length === 0
}
