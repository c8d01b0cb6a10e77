import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { table } from './markdown.ts'

/** Results of the feature tests. They write the file, and fail if it differs. */
const MATRIX = resolve(import.meta.dirname, '../../docs/data/matrix.json')

export interface Matrix {
  readonly callers: readonly string[]
  readonly providers: readonly string[]
  readonly features: readonly string[]
  readonly cells: readonly {
    readonly caller: string
    readonly provider: string
    readonly feature: string
    readonly verdict: string
  }[]
}

const WORDS: Readonly<Record<string, string>> = { carried: 'yes', declared: 'declared', absent: '–' }

/** Table of features by provider format, for callers of each format. */
export function matrixTables(
  { callers, providers, features, cells }: Matrix = JSON.parse(readFileSync(MATRIX, 'utf8')),
): string {
  const word = (caller: string, provider: string, feature: string): string => {
    const cell = cells.find((one) => one.caller === caller && one.provider === provider && one.feature === feature)
    return WORDS[cell?.verdict ?? ''] ?? 'no'
  }
  return callers
    .map((caller) => {
      const rows = features.map((feature) => [feature, ...providers.map((provider) => word(caller, provider, feature))])
      return `**callers of ${caller}**\n\n${table(['', ...providers.map((provider) => `provider of ${provider}`)], rows)}`
    })
    .join('\n\n')
}
