import type { ModelItem, ModelProvider } from '../../api/models.ts'
import type { ModelFilters } from './search.ts'

/** Model with the best values of its providers. Undefined = unknown. */
export interface ModelRow {
  readonly id: string
  readonly model: ModelItem
  readonly providers: readonly string[]
  readonly families: readonly string[]
  /** Nano-dollars per million tokens at the cheapest provider. */
  readonly input: number | undefined
  readonly output: number | undefined
  readonly cached: number | undefined
  /** True if a provider has no price. */
  readonly isUnpriced: boolean
  /** Tokens. */
  readonly context: number | undefined
  readonly longest: number | undefined
  /** Input types other than text. */
  readonly takes: readonly string[] | undefined
  readonly tools: boolean | undefined
  readonly reasoning: boolean | undefined
  readonly formats: readonly string[]
  /** Observed requests to all providers together. */
  readonly requests: number
  readonly failures: number
  /** Median time to first byte in milliseconds, of the first provider with a known value. */
  readonly firstByte: number | undefined
}

export function rowOf(model: ModelItem): ModelRow {
  const { id, providers } = model
  const takes = providers.map(({ inputs }) => inputs).filter((inputs) => inputs !== undefined)
  return {
    id,
    model,
    providers: unique(providers.map(({ provider }) => provider)),
    families: unique(providers.flatMap(({ families }) => families ?? [])),
    input: least(providers.map(({ price }) => price?.input)),
    output: least(providers.map(({ price }) => price?.output)),
    isUnpriced: providers.some(({ price }) => price === null),
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

/** Returns whether a model matches the filters. An unknown value does not match. */
export function isWanted(row: ModelRow, filters: ModelFilters): boolean {
  const { find, family, provider, takes, can, fits, below, price } = filters
  const words = (find ?? '').toLowerCase().split(/\s+/)
  const text = [row.id, ...row.providers].join(' ').toLowerCase()
  return (
    words.every((word) => text.includes(word)) &&
    (family === undefined || row.families.includes(family)) &&
    (provider === undefined || row.providers.includes(provider)) &&
    (takes === undefined || row.takes?.includes(takes) === true) &&
    (can === undefined || row[can] === true) &&
    (fits === undefined || (row.context ?? 0) >= fits) &&
    (price === undefined || row.isUnpriced === (price === 'unknown')) &&
    (below === undefined || (row.input !== undefined && row.input <= below * CENT))
  )
}

/** A cent in nano-dollars. */
const CENT = 10_000_000

/** Failure rate of a provider; undefined = too few requests. */
export function failureShare({
  requests,
  failures,
}: Pick<NonNullable<ModelProvider['observed']>, 'requests' | 'failures'>): number | undefined {
  return requests < ENOUGH ? undefined : failures / requests
}

/** Minimum number of requests for a failure rate. */
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

/** Returns whether any value is true; undefined = all are unknown. */
function any(all: readonly (boolean | undefined)[]): boolean | undefined {
  return all.includes(true) ? true : all.includes(false) ? false : undefined
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0)
}
