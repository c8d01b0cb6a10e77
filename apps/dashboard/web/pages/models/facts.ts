import type { Model, Server } from '../../api/models.ts'
import type { ModelFilters } from './search.ts'

/** A model with what the list says of it: the best of what those who serve it say. Undefined = nobody knows. */
export interface ModelRow {
  readonly id: string
  readonly model: Model
  readonly providers: readonly string[]
  readonly families: readonly string[]
  /** Nano-dollars per million tokens, of the cheapest. */
  readonly input: number | undefined
  readonly output: number | undefined
  readonly cached: number | undefined
  /** Tokens. */
  readonly context: number | undefined
  readonly longest: number | undefined
  /** What it takes beside text. */
  readonly takes: readonly string[] | undefined
  readonly tools: boolean | undefined
  readonly reasoning: boolean | undefined
  readonly formats: readonly string[]
  /** What was observed, of all who serve it together. */
  readonly requests: number
  readonly failures: number
  /** Milliseconds to the first byte, at the median, of the one that is asked first of those that are known. */
  readonly firstByte: number | undefined
}

export function rowOf(model: Model): ModelRow {
  const { id, providers } = model
  const takes = providers.map(({ inputs }) => inputs).filter((inputs) => inputs !== undefined)
  return {
    id,
    model,
    providers: unique(providers.map(({ provider }) => provider)),
    families: unique(providers.flatMap(({ families }) => families ?? [])),
    input: least(providers.map(({ price }) => price?.input)),
    output: least(providers.map(({ price }) => price?.output)),
    cached: least(providers.map(({ price }) => price?.cacheRead)),
    context: most(providers.map(({ context }) => context)),
    longest: most(providers.map(({ output }) => output)),
    takes: takes.length > 0 ? unique(takes.flat()).filter((one) => one !== 'text') : undefined,
    tools: any(providers.map(({ tools }) => tools)),
    reasoning: any(providers.map(({ reasoning }) => reasoning)),
    formats: unique(providers.flatMap(({ formats }) => formats ?? [])),
    requests: sum(providers.map(({ observed }) => observed?.requests ?? 0)),
    failures: sum(providers.map(({ observed }) => observed?.failures ?? 0)),
    firstByte: providers.map(({ observed }) => observed?.firstByteMs?.p50).find((ms) => ms !== undefined),
  }
}

/** Whether a model is what somebody looks for. What is not known of it does not fit. */
export function isWanted(row: ModelRow, { find, family, provider, takes, can, fits, below }: ModelFilters): boolean {
  const words = (find ?? '').toLowerCase().split(/\s+/)
  const said = [row.id, ...row.providers].join(' ').toLowerCase()
  return (
    words.every((word) => said.includes(word)) &&
    (family === undefined || row.families.includes(family)) &&
    (provider === undefined || row.providers.includes(provider)) &&
    (takes === undefined || row.takes?.includes(takes) === true) &&
    (can === undefined || row[can] === true) &&
    (fits === undefined || (row.context ?? 0) >= fits) &&
    (below === undefined || (row.input !== undefined && row.input <= below * CENT))
  )
}

/** A cent in nano-dollars. */
const CENT = 10_000_000

/** Share of requests that a server has failed; undefined where it was asked for too few. */
export function failureShare({
  requests,
  failures,
}: Pick<NonNullable<Server['observed']>, 'requests' | 'failures'>): number | undefined {
  return requests < ENOUGH ? undefined : failures / requests
}

/** From how many requests on a share says something. */
export const ENOUGH = 20

function unique(all: readonly string[]): readonly string[] {
  return [...new Set(all)]
}

function known(all: readonly (number | undefined)[]): number[] {
  return all.filter((one) => one !== undefined)
}

function least(all: readonly (number | undefined)[]): number | undefined {
  const numbers = known(all)
  return numbers.length > 0 ? Math.min(...numbers) : undefined
}

function most(all: readonly (number | undefined)[]): number | undefined {
  const numbers = known(all)
  return numbers.length > 0 ? Math.max(...numbers) : undefined
}

/** Whether one can; undefined where nobody says anything. */
function any(all: readonly (boolean | undefined)[]): boolean | undefined {
  return all.includes(true) ? true : all.includes(false) ? false : undefined
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0)
}
