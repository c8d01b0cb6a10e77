/** Call that began at the upstream. Times are milliseconds of one monotonic clock, shared by the whole run. */
export interface UpstreamCall {
  /** Number of the caller's request. Retries of a request have the same number. */
  readonly number: number
  /** Name of the key. */
  readonly key: string
  readonly at: number
  /** End of its response, or of its connection; undefined = still open. */
  readonly endAt: number | undefined
  /** Input and output tokens that the upstream counted. */
  readonly tokens: number
  /** Charge of the upstream in nano-dollars. */
  readonly charged: number
}

/** Answer that a caller received. */
export interface CallerAnswer {
  readonly number: number
  readonly key: string
  /** Position of the node. */
  readonly node: number
  /** Start of the request. */
  readonly at: number
  readonly ms: number
  /** HTTP status; 0 = the connection broke, or the caller's time was over. */
  readonly status: number
  /** Message of an error response. */
  readonly message?: string | undefined
}

/** Usage row in the store, after all journals were ingested. */
export interface StoredCall {
  /** Number of the caller's request, from its tag. */
  readonly number: number
  readonly why: string
}

/** Restrictions of a key. Absent = none. */
export interface CheckedKey {
  readonly name: string
  readonly requestsPerMinute?: number | undefined
  readonly tokensPerMinute?: number | undefined
  readonly concurrent?: number | undefined
  /** Nano-dollars. */
  readonly budget?: number | undefined
}

/** Death of processes of a node. */
export interface NodeKill {
  readonly node: number
  readonly at: number
  /** True if its data directory was removed. */
  readonly isDiskLost: boolean
}

/** Parts of limits that may be exceeded while nodes cannot reach the shared counts, such as 0.5. */
export interface LimitAllowance {
  /** Part of limits on requests and tokens in any 60 s. */
  readonly windows: number
  /** Part of limits on requests at the same time. */
  readonly places: number
}

export const NO_ALLOWANCE: LimitAllowance = { windows: 0, places: 0 }

/** Observations of a run, of the upstream, the callers and the store. Metrics of the gateways do not count as evidence. */
export interface Evidence {
  readonly keys: readonly CheckedKey[]
  readonly calls: readonly UpstreamCall[]
  readonly answers: readonly CallerAnswer[]
  readonly rows: readonly StoredCall[]
  readonly kills: readonly NodeKill[]
  /** Key that was revoked, and when; absent = none. */
  readonly revoked?: { readonly key: string; readonly at: number } | undefined
  readonly allowance: LimitAllowance
  /** False if nodes count limits separately. */
  readonly isShared: boolean
}

/** Maximum amounts at the upstream, of one key. */
export interface KeyFigures {
  readonly name: string
  /** Maximum number of calls that were certainly admitted within 60 s. */
  readonly requests: number
  readonly tokens: number
  readonly concurrent: number
  readonly charged: number
}

export const MINUTE = 60_000
/** Maximum time until a revoked key is refused everywhere, and maximum age of rows that a lost disk takes along. */
const SECOND = 1_000

/** Maximum time from a caller to the upstream that is taken into account, in milliseconds. */
const MOST_WAY = 5_000

/** Maximum sum of amounts within any period of `ms`, 60 s by default. */
export function maximumInWindow(
  items: readonly { readonly at: number; readonly amount: number }[],
  ms = MINUTE,
): number {
  const sorted = items.toSorted((a, b) => a.at - b.at)
  let first = 0
  let sum = 0
  let most = 0
  for (const { at, amount } of sorted) {
    sum += amount
    for (let oldest = sorted[first]; oldest && oldest.at <= at - ms; oldest = sorted[++first]) sum -= oldest.amount
    most = Math.max(most, sum)
  }
  return most
}

/** Maximum number of calls that were open at the same time. */
export function maximumOpen(calls: readonly Pick<UpstreamCall, 'at' | 'endAt'>[]): number {
  const events = calls.flatMap(({ at, endAt = Number.POSITIVE_INFINITY }) => [
    { at, change: 1 },
    { at: endAt, change: -1 },
  ])
  // Ends come first, so that a call is not concurrent with its successor.
  events.sort((a, b) => a.at - b.at || a.change - b.change)
  let open = 0
  let most = 0
  for (const { change } of events) {
    open += change
    most = Math.max(most, open)
  }
  return most
}

/** Mean use of a limit over all periods of 60 s that lie within a run, as a part of the limit. */
export function meanUse(
  items: readonly { readonly at: number; readonly amount: number }[],
  limit: number,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const length = Math.max(0, Math.floor((to - from - MINUTE) / SECOND))
  const starts = Array.from({ length }, (_, n) => from + n * SECOND)
  if (starts.length === 0) return Number.NaN
  const used = starts.map((start) =>
    items.reduce((sum, { at, amount }) => (at >= start && at < start + MINUTE ? sum + amount : sum), 0),
  )
  return used.reduce((sum, one) => sum + one, 0) / used.length / limit
}

/** Value below which so many hundredths of the values are. */
export function percentileOf(values: readonly number[], hundredths: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * hundredths) / 100))] ?? Number.NaN
}

/** Amounts of each key. */
export function figuresOf({ keys, calls, answers }: Evidence): readonly KeyFigures[] {
  const answered = new Map(answers.map((answer) => [answer.number, answer]))
  return keys.map(({ name }) => {
    const own = calls.filter(({ key }) => key === name)
    // Requests are admitted after they were sent and before the upstream is called: what arrives within a period that
    // is shorter by this time was admitted within 60 s.
    const ways = own.map(({ number, at }) => at - (answered.get(number)?.at ?? at))
    const ms = MINUTE - Math.min(MOST_WAY, Math.max(0, ...ways))
    return {
      name,
      requests: maximumInWindow(
        own.map(({ at }) => ({ at, amount: 1 })),
        ms,
      ),
      tokens: maximumInWindow(
        own.map(({ at, tokens }) => ({ at, amount: tokens })),
        ms,
      ),
      concurrent: maximumOpen(own),
      charged: own.reduce((sum, { charged }) => sum + charged, 0),
    }
  })
}

/** Violations, one sentence each; empty = none. */
export function violationsOf(evidence: Evidence): readonly string[] {
  return [...overLimits(evidence), ...wrongRows(evidence), ...lateRevocation(evidence)]
}

function overLimits(evidence: Evidence): string[] {
  const { keys, allowance, isShared } = evidence
  const figures = new Map(figuresOf(evidence).map((one) => [one.name, one]))
  return keys.flatMap((key) => {
    const found = figures.get(key.name)
    if (!found) return []
    const over = (unit: string, used: number, limit: number | undefined, allowed: number): string[] =>
      limit !== undefined && used > Math.ceil(limit * (1 + allowed))
        ? [`${key.name}: ${used} ${unit}, the limit is ${limit}${allowed > 0 ? ` and ${allowed * 100} %` : ''}`]
        : []
    const shared = isShared
      ? [
          ...over('requests in 60 s', found.requests, key.requestsPerMinute, allowance.windows),
          ...over('tokens in 60 s', found.tokens, key.tokensPerMinute, allowance.windows),
          ...over('calls at the same time', found.concurrent, key.concurrent, allowance.places),
        ]
      : []
    return [...shared, ...over('nano-dollars', found.charged, key.budget, 0)]
  })
}

function wrongRows({ calls, answers, rows, kills }: Evidence): string[] {
  const sent = new Map(answers.map((answer) => [answer.number, answer]))
  const called = Map.groupBy(calls, ({ number }) => number)
  const stored = Map.groupBy(rows, ({ number }) => number)
  const missing = calls.filter((call) => !stored.has(call.number) && !mayBeLost(call, sent.get(call.number), kills))
  const lost = new Map(missing.map((call) => [call.number, ageOf(call, sent.get(call.number)?.node, kills)]))
  const doubled = [...stored].filter(([, own]) => own.length > 1).map(([number]) => number)
  const invented = rows.filter(({ number, why }) => why === 'served' && !called.has(number)).map(({ number }) => number)
  return [
    ...[...lost].map(([number, age]) => `request ${number}: the upstream was called, and there is no row${age}`),
    ...doubled.map((number) => `request ${number}: there are several rows`),
    ...invented.map((number) => `request ${number}: the row is of a call that the upstream does not know`),
  ]
}

/** Time from the end of a call to the next loss of its node's disk, as a part of a message. */
function ageOf({ at, endAt = at }: UpstreamCall, node: number | undefined, kills: readonly NodeKill[]): string {
  const kill = kills.find((one) => one.isDiskLost && one.node === node && one.at >= endAt)
  return kill ? `; it ended ${Math.round(kill.at - endAt)} ms before its disk was lost` : ''
}

/**
 * True if the row was on a lost disk only: its call ended within the last second of its node. A call can arrive at the
 * upstream after the death of its node, but its request was sent before.
 */
function mayBeLost(
  { endAt }: UpstreamCall,
  sent: Pick<CallerAnswer, 'node' | 'at'> | undefined,
  kills: readonly NodeKill[],
): boolean {
  return kills.some(
    ({ isDiskLost, node, at }) => isDiskLost && node === sent?.node && sent.at <= at && (endAt ?? at) >= at - SECOND,
  )
}

function lateRevocation({ revoked, calls, answers }: Evidence): string[] {
  if (!revoked) return []
  const sentAt = new Map(answers.map(({ number, at }) => [number, at]))
  /** A request that was accepted in time may call the upstream later. */
  const isLate = ({ key, number, at }: Pick<UpstreamCall, 'key' | 'number' | 'at'>): boolean =>
    key === revoked.key && (sentAt.get(number) ?? at) > revoked.at + SECOND
  const after = answers.filter(isLate)
  const late = [
    ...after.filter(({ status }) => status === 200).map(({ node, at }) => ({ at, what: `node ${node} served` })),
    ...calls.filter(isLate).map(({ at }) => ({ at, what: 'the upstream was called' })),
  ]
  if (!after.some(({ status }) => status === 401)) return ['the revoked key was never refused']
  return late.map(({ at, what }) => `${what} ${Math.round(at - revoked.at)} ms after the revocation`)
}

/** Answers that no fault explains, one sentence per node, key and status. */
export function unexpectedAnswers(
  answers: readonly CallerAnswer[],
  isExpected: (answer: CallerAnswer) => boolean,
): readonly string[] {
  const wrong = Map.groupBy(
    answers.filter((answer) => !isExpected(answer)),
    ({ key, node, status, message }) =>
      `${key}: node ${node} answered ${status === 0 ? 'nothing' : status}${message ? ` (${message})` : ''}`,
  )
  return [...wrong].map(([text, own]) => `${text}, ${own.length} times`)
}
