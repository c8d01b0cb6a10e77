import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { code, table } from './markdown.ts'

/** Results of the tests of failed requests. They write the file, and fail if it differs. */
const MATRIX = resolve(import.meta.dirname, '../../docs/data/failure-matrix.json')

type Outcome = { readonly settled: string; readonly held: string } | { readonly impossible: string }

interface FailureMatrix {
  readonly modes: readonly string[]
  readonly cells: readonly ({ readonly kind: string; readonly when: string } & (
    | { readonly impossible: string }
    | { readonly cause: string; readonly modes: Readonly<Record<string, Outcome>> }
  ))[]
}

const NOTHING = 'nothing'

function wordOf(outcome: Outcome | undefined): string {
  if (!outcome) return ''
  if ('impossible' in outcome) return `not possible: ${outcome.impossible}`
  const { settled, held } = outcome
  if (held === NOTHING) return settled
  return settled === NOTHING ? `**held:** ${held}` : `${settled}; **held:** ${held}`
}

/** Settled and held amounts of each kind of failure. */
export function failureMatrix({ modes, cells }: FailureMatrix = JSON.parse(readFileSync(MATRIX, 'utf8'))): string {
  const rows = cells.map((cell) => {
    const { kind, when } = cell
    if ('impossible' in cell) return [code(kind), when, `not possible: ${cell.impossible}`, ...modes.map(() => '')]
    return [code(kind), when, cell.cause, ...modes.map((mode) => wordOf(cell.modes[mode]))]
  })
  return table(['kind', 'sent', 'cause', ...modes], rows)
}
