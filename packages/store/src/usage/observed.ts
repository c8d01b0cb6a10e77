import type { Connection } from '../database/connection.ts'

/** How a model at a provider has been, by requests that it was the last to be asked for. */
export interface Observed {
  readonly provider: string
  /** The provider's own name of the model. */
  readonly model: string
  readonly requests: number
  /** Those that it failed; what was wrong with the request is no failure of it. */
  readonly failures: number
  /** Milliseconds until the first byte of streamed answers went out; null where there was none. */
  readonly firstByteMs: { readonly p50: number; readonly p95: number } | null
}

export interface ObservedModels {
  /** The oldest request that counts began then, Unix milliseconds; null = there is none. */
  readonly since: number | null
  readonly models: readonly Observed[]
}

export interface ObservedQuery {
  /** From this instant on, in whole Unix milliseconds. */
  readonly from: number
  /** Most requests that count: the newest. */
  readonly limit: number
}

/** Failures that are the provider's. */
const FAILURES = new Set(['our-credential', 'our-quota', 'rate-limited', 'overloaded', 'upstream', 'timeout', 'cut'])

interface Seen {
  requests: number
  failures: number
  readonly firstBytes: number[]
}

/** How models have been lately, by the newest requests. */
export async function observedModels({ db }: Connection, { from, limit }: ObservedQuery): Promise<ObservedModels> {
  const rows = await db
    .selectFrom('usage')
    .select(['at', 'provider', 'provider_model', 'stream', 'failure', 'first_byte_ms'])
    .where('at', '>=', BigInt(from))
    .where('corrects', 'is', null)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  const seen = new Map<string, Seen>()
  for (const { provider, provider_model, stream, failure, first_byte_ms } of rows) {
    const key = JSON.stringify([provider, provider_model])
    const one = seen.get(key) ?? { requests: 0, failures: 0, firstBytes: [] }
    seen.set(key, one)
    one.requests += 1
    if (failure !== null && FAILURES.has(failure)) one.failures += 1
    else if (stream !== 0n && first_byte_ms !== null) one.firstBytes.push(Number(first_byte_ms))
  }
  const models = [...seen].map(([key, { requests, failures, firstBytes }]): Observed => {
    const [provider = '', model = ''] = JSON.parse(key)
    return { provider, model, requests, failures, firstByteMs: quantiles(firstBytes) }
  })
  const last = rows.at(-1)
  return { since: last ? Number(last.at) : null, models }
}

/** The least value that so many are not above. */
function quantiles(values: readonly number[]): Observed['firstByteMs'] {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
  return sorted.length > 0 ? { p50: at(0.5), p95: at(0.95) } : null
}
