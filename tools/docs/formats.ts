import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CLIENTS } from '../../apps/server/test/sdk/clients.ts'
import type { Cell } from '../../apps/server/test/sdk/pairs.ts'
import { code, table } from './markdown.ts'

/** Results of the SDK tests. They write the file, and fail if it differs. */
const PAIRS = resolve(import.meta.dirname, '../../docs/data/pairs.json')

/** Used parts of the file. */
export interface Pairs {
  readonly callers: readonly string[]
  readonly providers: readonly string[]
  readonly cells: readonly Cell[]
}

/** Callers of each format with providers of each format. */
export function formatsTable(pairs: Pairs = JSON.parse(readFileSync(PAIRS, 'utf8'))): string {
  return table(
    ['caller’s format', 'SDKs', ...pairs.providers.map((provider) => `provider of ${provider}`)],
    pairs.callers.map((caller) => [
      caller,
      sdksOf(caller),
      ...pairs.providers.map((provider) =>
        shown(pairs.cells.filter((cell) => cell.caller === caller && cell.provider === provider)),
      ),
    ]),
  )
}

/** Correct responses to callers of each format, by scenario. */
export function scenariosTable(pairs: Pairs = JSON.parse(readFileSync(PAIRS, 'utf8'))): string {
  const scenarios = [...new Set(pairs.cells.map(({ scenario }) => scenario))]
  return table(
    ['', ...pairs.callers],
    scenarios.map((scenario) => [
      MEANINGS[scenario] ?? scenario.replaceAll('-', ' '),
      ...pairs.callers.map((caller) =>
        shown(pairs.cells.filter((cell) => cell.caller === caller && cell.scenario === scenario)),
      ),
    ]),
  )
}

const MEANINGS: Readonly<Record<string, string>> = {
  text: 'text',
  tools: 'a tool call',
  'parallel-tools': 'parallel tool calls',
  'tool-result': 'a tool result',
  image: 'an image',
  pdf: 'a PDF',
  amended: 'normalized input',
}

/** SDKs of a format, without their modes. */
function sdksOf(format: string): string {
  const names = CLIENTS.filter((client) => client.format === format).map(({ name }) => name.replace(/ \(.*/, ''))
  return [...new Set(names)].map((name) => name.split(' with ').map(code).join(' with ')).join(', ')
}

function shown(cells: readonly Cell[]): string {
  if (cells.length === 0) return ''
  const count = (how: 'unary' | 'stream') => cells.filter((cell) => cell[how]).length
  const text = (name: string, passed: number) =>
    passed === cells.length ? name : `${name}: ${passed} of ${cells.length}`
  return [text('whole', count('unary')), text('streamed', count('stream'))].join(', ')
}
