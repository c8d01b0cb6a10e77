import type { AccessRecord, UsageRow } from '../../../src/index.ts'
import type { Seen } from '../caller.ts'
import type { Fate } from '../fault.ts'
import { isTimed, type Sequence } from '../sequence.ts'

/** One call as it came to an upstream, and what was done to it. */
export interface Played {
  /** Name of the provider. */
  readonly provider: string
  readonly fault: string
  readonly fate: Fate | undefined
  /** It came over a connection that was used before, and ends before a byte of the answer: it may come again. */
  readonly again: boolean
}

export interface Books {
  readonly rows: readonly UsageRow[]
  readonly access: readonly AccessRecord[]
  readonly played: readonly Played[]
  /** Providers that nobody listens for. */
  readonly refused: ReadonlySet<string>
}

const whole = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Every number of a row is one that a ledger can hold. */
function checkNumbers(row: UsageRow): string[] {
  const usage = Object.entries(row.usage ?? {}).filter(
    ([, count]) => count !== undefined && count !== null && !whole(count),
  )
  const cost = row.cost === null || whole(row.cost) ? [] : [`cost ${row.cost}`]
  const times = [row.durationMs, ...row.attempts.map((attempt) => attempt.durationMs)].filter((ms) => !whole(ms))
  return [
    ...usage.map(([name, count]) => `usage.${name} is ${JSON.stringify(count)}`),
    ...cost,
    ...times.map((ms) => `a duration of ${ms}`),
  ]
}

/** Each attempt of the row is a call that came, and went as such a call goes. */
function checkAttempts(row: UsageRow, books: Books, isHurried: boolean): string[] {
  const problems: string[] = []
  const providers = new Set([
    ...row.attempts.map(({ provider }) => provider),
    ...books.played.map(({ provider }) => provider),
  ])
  for (const provider of providers) {
    const attempts = row.attempts.filter((attempt) => attempt.provider === provider)
    const calls = books.played.filter((call) => call.provider === provider)
    const again = calls.filter((call) => call.again).length
    if (books.refused.has(provider)) continue
    if (calls.length > attempts.length + again || (!isHurried && calls.length < attempts.length))
      problems.push(`${provider} got ${calls.length} calls, the row has ${attempts.length}`)
    if (calls.length !== attempts.length || isHurried) continue
    for (const [index, { failure }] of attempts.entries()) {
      const { fate, fault } = calls[index] ?? {}
      if (fate === undefined) continue
      const served = fate === 'served' || fate === 'cut'
      if (served !== (failure === undefined))
        problems.push(`"${fault}" should be ${fate}, and is ${failure ?? 'served'}`)
    }
  }
  return problems
}

/** What the ledger and the log have of a request, beside what happened. */
export function checkBooks(sequence: Sequence, seen: Seen, books: Books): string[] {
  const { rows, access, played, refused } = books
  const [row] = rows
  const problems: string[] = []
  const { caller } = sequence
  const isSure = seen.end === 'whole' && !caller.hurries && caller.leave === undefined
  const isHurried = !isSure || isTimed(sequence)
  if (rows.length > 1) problems.push(`${rows.length} rows`)
  if (access.length !== 1) problems.push(`${access.length} lines in the access log`)
  if (!row && played.length > 0) problems.push(`no row after ${played.length} calls`)
  if (caller.refused !== undefined && (rows.length > 0 || played.length > 0))
    problems.push('a refused request reached a provider')
  if (caller.refused !== undefined && seen.status !== caller.refused)
    problems.push(`status ${seen.status} instead of ${caller.refused}`)
  if (!row)
    return caller.refused === undefined && isSure && refused.size > 0 && seen.status !== 400
      ? [...problems, 'no row']
      : problems
  problems.push(...checkNumbers(row), ...checkAttempts(row, books, isHurried))
  if (row.attempts.length === 0) problems.push('a row without attempts')
  if (row.attempts.length > sequence.candidates.length + 3) problems.push(`${row.attempts.length} attempts`)
  if (seen.end === 'whole' && row.status !== seen.status)
    problems.push(`the row says ${row.status}, the caller got ${seen.status}`)
  return problems
}
