import type { AccessRecord, MemoryBudgets, UsageRow } from '../../../src/index.ts'
import type { Seen } from '../caller.ts'
import type { Fate } from '../fault.ts'
import { isTimed, type Sequence } from '../sequence.ts'

/** One call as it came to an upstream, and what was done to it. */
export interface Played {
  /** Name of its request. */
  readonly request: string
  /** Name of the provider, and of the endpoint if it has one: `<provider>/<endpoint>`. */
  readonly provider: string
  readonly fault: string
  readonly fate: Fate | undefined
  /** It came over a connection that was used before, and ends before a byte of the answer: it may come again. */
  readonly again: boolean
  /** See `Fault`. */
  readonly alters: boolean
  readonly junk: boolean
}

/** Records of one request. */
export interface Books {
  readonly rows: readonly UsageRow[]
  readonly access: readonly AccessRecord[]
  readonly played: readonly Played[]
  /** Endpoints without a listener. */
  readonly refused: ReadonlySet<string>
}

/** Endpoint of an attempt or of a row, as in {@link Played}. */
function placeOf({ provider, endpoint }: Pick<UsageRow, 'provider' | 'endpoint'>): string {
  return endpoint === undefined ? provider : `${provider}/${endpoint}`
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
  const providers = new Set([...row.attempts.map(placeOf), ...books.played.map(({ provider }) => provider)])
  for (const provider of providers) {
    const attempts = row.attempts.filter((attempt) => placeOf(attempt) === provider)
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

/** At most one attempt is served, and the row names its endpoint and the policy of the request. */
function checkRouting({ routing, caller }: Sequence, row: UsageRow): string[] {
  const served = row.attempts.filter(({ failure }) => failure === undefined)
  const problems = served.length > 1 ? [`${served.length} attempts were served`] : []
  const [one] = served
  if (one && placeOf(one) !== placeOf(row)) problems.push(`${placeOf(one)} served, the row has ${placeOf(row)}`)
  if (routing && caller.refused === undefined && row.policy !== routing.policy)
    problems.push(`the policy ${routing.policy} was selected, the row has ${row.policy}`)
  if (row.charged !== null && row.cost !== null && row.charged > row.cost)
    problems.push(`${row.charged} are charged, ${row.cost} were spent`)
  return problems
}

/** Nothing stays reserved, and the budget counts each cost once. */
export function checkBudget(budgets: MemoryBudgets | undefined, rows: readonly UsageRow[]): string[] {
  const [state] = budgets?.state() ?? []
  if (!state) return []
  const problems = state.held === 0n ? [] : [`${state.held} stay reserved`]
  const attempts = rows.flatMap((row) => (row.principal === 'key-1' ? row.attempts : []))
  // An unknown cost counts with the maximum.
  const isExact = attempts.every(({ cost, estimated }) => cost !== null && !estimated)
  const spent = attempts.reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n)
  if (isExact ? state.spent !== spent : state.spent < spent)
    problems.push(`the budget has spent ${state.spent}, the attempts ${spent}`)
  return problems
}

/** Maximum attempts of a request: each endpoint once, and three retries. */
function mostAttempts({ candidates, routing }: Sequence): number {
  const retries = 3
  if (!routing) return candidates.length + retries
  const fallbacks = routing.fallback ? 1 : 0
  return routing.endpoints.reduce((sum, each) => sum + Math.max(1, each.length), fallbacks + retries)
}

/** What the ledger and the log have of a request, beside what happened. */
export function checkBooks(sequence: Sequence, seen: Seen, books: Books): string[] {
  const { rows, access, played, refused } = books
  const [row] = rows
  const problems: string[] = []
  const { caller } = sequence
  const isSure = seen.end === 'whole' && !caller.hurries && caller.leave === undefined
  // The second call of a slow one may end before it arrives.
  const isHurried = !isSure || isTimed(sequence) || sequence.routing?.isHedged === true
  if (rows.length > 1) problems.push(`${rows.length} rows`)
  if (access.length !== 1) problems.push(`${access.length} lines in the access log`)
  if (!row && played.length > 0) problems.push(`no row after ${played.length} calls`)
  if (caller.refused !== undefined && (rows.length > 0 || played.length > 0))
    problems.push('a refused request reached a provider')
  if (caller.refused !== undefined && seen.status !== caller.refused)
    problems.push(`status ${seen.status} instead of ${caller.refused}`)
  if (!row)
    return caller.refused === undefined && isSure && refused.size > 0 && seen.status !== 400 && !sequence.routing
      ? [...problems, 'no row']
      : problems
  problems.push(...checkNumbers(row), ...checkAttempts(row, books, isHurried), ...checkRouting(sequence, row))
  if (row.attempts.length === 0) problems.push('a row without attempts')
  if (row.attempts.length > mostAttempts(sequence)) problems.push(`${row.attempts.length} attempts`)
  if (seen.end === 'whole' && row.status !== seen.status)
    problems.push(`the row says ${row.status}, the caller got ${seen.status}`)
  return problems
}
