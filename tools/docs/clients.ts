import { CHECKS } from '../../e2e/clients/client.ts'
import { type Kind, PASSED, type Results, readResults, UNSIGNED, type Verdicts } from '../../e2e/clients/results.ts'
import type { Packages } from '../../e2e/installation.ts'
import { code, table } from './markdown.ts'

const HEADINGS = ['client', 'version', 'tested', 'format']

/** Libraries of a language, with the results of their checks. */
export function librariesTable(kind: Exclude<Kind, 'agents'>): string {
  return table([...HEADINGS, ...CHECKS], libraryRows(readResults()[kind]))
}

/** Coding agents, with the formats of the models that they work with. */
export function agentsTable(): string {
  return table([...HEADINGS, 'works with models of', 'web search with models of'], agentRows(readResults().agents))
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

/** Formats of models with a successful web search by the gateway; – if it was not tested. */
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

/** Packages in the client's name, or its first package. */
function versionOf(name: string, packages: Packages): string {
  const entries = Object.entries(packages)
  const called = entries.filter(([one]) => name.split(' ').includes(one))
  if (called.length > 1) return called.map(([one, version]) => `${code(one)} ${version}`).join(', ')
  return entries[0]?.[1] ?? ''
}

/** Result of a check, with the formats of providers that failed. */
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
