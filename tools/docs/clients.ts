import { CHECKS } from '../../e2e/clients/client.ts'
import { type Kind, PASSED, type Results, readResults, UNSIGNED, type Verdicts } from '../../e2e/clients/results.ts'
import type { Packages } from '../../e2e/installation.ts'
import { code, table } from './markdown.ts'

const HEADINGS = ['client', 'version', 'tried', 'speaks']

/** Libraries of a language, with what each was asked. */
export function librariesTable(kind: Exclude<Kind, 'agents'>): string {
  return table([...HEADINGS, ...CHECKS], libraryRows(readResults()[kind]))
}

/** Coding agents, with the formats of the models that they worked with. */
export function agentsTable(): string {
  return table([...HEADINGS, 'works with models behind', 'searches the web'], agentRows(readResults().agents))
}

export function libraryRows(results: Results[Kind]): string[][] {
  return Object.entries(results).map(([name, { packages, date, format, behind }]) => {
    return [name, versionOf(name, packages), date, code(format), ...CHECKS.map((check) => cellOf(behind, check))]
  })
}

export function agentRows(results: Results[Kind]): string[][] {
  return Object.entries(results).map(([name, { packages, date, format, behind }]) => {
    const words = Object.entries(behind).map(([provider, { task = '' }]) => agentWord(provider, task))
    return [name, versionOf(name, packages), date, code(format), words.join(', '), searchOf(behind)]
  })
}

/** Behind which formats it had a search that the gateway made; – where it was not asked to. */
function searchOf(behind: Verdicts): string {
  const words = Object.entries(behind).flatMap(([provider, { search }]) =>
    search === undefined ? [] : [agentWord(provider, search)],
  )
  return words.join(', ') || '–'
}

function agentWord(provider: string, task: string): string {
  if (task === PASSED) return code(provider)
  return task === UNSIGNED ? `${code(provider)} ¹` : `not ${code(provider)}`
}

/** The packages that the client is called by, or else its own. */
function versionOf(name: string, packages: Packages): string {
  const entries = Object.entries(packages)
  const called = entries.filter(([one]) => name.split(' ').includes(one))
  if (called.length > 1) return called.map(([one, version]) => `${code(one)} ${version}`).join(', ')
  return entries[0]?.[1] ?? ''
}

/** Formats of providers with which it did not work are named. */
function cellOf(behind: Verdicts, check: string): string {
  const verdicts = Object.entries(behind).flatMap(([format, checks]) => {
    const verdict = checks[check]
    return verdict === undefined ? [] : [{ format, verdict }]
  })
  if (verdicts.length === 0) return '–'
  const failed = verdicts.filter(({ verdict }) => verdict !== PASSED && verdict !== UNSIGNED)
  if (failed.length > 0) return `not from ${failed.map(({ format }) => code(format)).join(', ')}`
  return verdicts.some(({ verdict }) => verdict === UNSIGNED) ? 'yes ¹' : 'yes'
}
