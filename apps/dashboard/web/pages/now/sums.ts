import type { NowMinute, NowReport } from '../../api/now.ts'
import type { Series } from '../../charts/series.ts'
import { OUTCOMES, type OutcomeName } from '../../labels.ts'
import type { ProviderStatus } from '../providers/providers.ts'

/** Outcomes that count as failures. */
const FAILED: readonly OutcomeName[] = ['failed', 'cut']

export interface NowTotals {
  readonly requests: number
  /** Requests that failed or broke off. */
  readonly failed: number
  /** Requests that another provider served after a failure. */
  readonly failedOver: number
  /** Charged amount in nano-dollars. */
  readonly charged: bigint
}

export function totalsOf(minutes: readonly NowMinute[]): NowTotals {
  return {
    requests: sum(minutes, ({ requests }) => requests),
    failed: sum(minutes, failedIn),
    failedOver: sum(minutes, ({ byOutcome }) => byOutcome['failed-over'] ?? 0),
    charged: minutes.reduce((total, { charged }) => total + BigInt(charged), 0n),
  }
}

function sum(minutes: readonly NowMinute[], countOf: (minute: NowMinute) => number): number {
  return minutes.reduce((total, minute) => total + countOf(minute), 0)
}

/** Failed requests of a minute. */
export function failedIn({ byOutcome }: NowMinute): number {
  return FAILED.reduce((total, outcome) => total + (byOutcome[outcome] ?? 0), 0)
}

/** Requests by outcome, without outcomes that did not occur. */
export function outcomeSeries(minutes: readonly NowMinute[]): readonly Series[] {
  return Object.entries(OUTCOMES).flatMap(([id, { label }]) => {
    const values = minutes.map(({ byOutcome }) => byOutcome[id] ?? 0)
    return values.some((value) => value > 0) ? [{ id, title: label, values }] : []
  })
}

export interface FailureKind {
  readonly kind: string
  readonly requests: number
  /** Requests by minute, oldest first. */
  readonly line: readonly number[]
}

/** Failures by kind, most frequent first. A caller who leaves is not a failure. */
export function failuresOf(minutes: readonly NowMinute[]): readonly FailureKind[] {
  const kinds = [...new Set(minutes.flatMap(({ byFailure }) => Object.keys(byFailure)))].filter(
    (kind) => kind !== 'canceled',
  )
  return kinds
    .map((kind) => {
      const line = minutes.map(({ byFailure }) => byFailure[kind] ?? 0)
      return { kind, line, requests: line.reduce((total, value) => total + value, 0) }
    })
    .toSorted((one, other) => other.requests - one.requests || one.kind.localeCompare(other.kind))
}

/** Calls of a provider by minute, oldest first. */
export function callsOf(provider: string, minutes: readonly NowMinute[]): NonNullable<ProviderStatus['minutes']> {
  return minutes.map(({ start, byProvider }) => {
    const { calls = 0, failed = 0 } = byProvider[provider] ?? {}
    return { start, calls, failed }
  })
}

/** Name under which calls of a provider are counted. */
export function callName({ kind, name }: Pick<ProviderStatus, 'kind' | 'name'>): string {
  return kind === 'search' ? `search/${name}` : name
}

/** Words for audited actions, by action. */
const CHANGES: Readonly<Record<string, string>> = {
  'budget.change': 'Budget changed',
  'budget.create': 'Budget created',
  'budget.remove': 'Budget removed',
  'budget.reset': 'Budget spend reset',
  'config.reload': 'Configuration reloaded',
  'credential.remove': 'Credential removed',
  'credential.set': 'Credential changed',
  'key.change': 'Key changed',
  'key.create': 'Key created',
  'key.revoke': 'Key revoked',
  'key.rotate': 'Key rotated',
  'key.take-over': 'Key taken over',
  'key.trace': 'Recording of a key changed',
  'price.remove': 'Price removed',
  'price.set': 'Price set',
}

/** Change of a mark in words: `Key revoked: web-prod`. */
export function markText(
  { what, target }: Pick<NowReport['marks'][number], 'what' | 'target'>,
  names: ReadonlyMap<string, string>,
): string {
  const text = CHANGES[what] ?? what.replaceAll(/[.-]/g, ' ')
  const name = target === undefined ? undefined : (names.get(target) ?? (target.includes('_') ? undefined : target))
  return name === undefined ? text : `${text}: ${name}`
}
