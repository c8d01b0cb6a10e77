import { PROVIDER_FAULTS } from '@headgate/gateway/ports'
import type { StoreConnection } from '../database/connection.ts'

/** Statistics of a model at a provider, from requests that it served or failed last. */
export interface ObservedModel {
  readonly provider: string
  /** Model name at the provider. */
  readonly model: string
  readonly requests: number
  /** Failures of the provider, without errors of the request. */
  readonly failures: number
  /** Milliseconds until the first byte of streamed responses; null without streamed responses. */
  readonly firstByteMs: { readonly p50: number; readonly p95: number } | null
}

export interface ObservedModels {
  /** Start of the oldest counted request, Unix milliseconds; null without requests. */
  readonly since: number | null
  readonly models: readonly ObservedModel[]
}

export interface ObservedQuery {
  /** Start in whole Unix milliseconds, inclusive. */
  readonly from: number
  /** Maximum number of requests; the newest count. */
  readonly limit: number
}

interface Seen {
  requests: number
  failures: number
  readonly firstBytes: number[]
}

/** Statistics of models from the newest requests. */
export async function observedModels({ db }: StoreConnection, { from, limit }: ObservedQuery): Promise<ObservedModels> {
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
    if (failure !== null && PROVIDER_FAULTS.has(failure)) one.failures += 1
    else if (stream !== 0n && first_byte_ms !== null) one.firstBytes.push(Number(first_byte_ms))
  }
  const models = [...seen].map(([key, { requests, failures, firstBytes }]): ObservedModel => {
    const [provider = '', model = ''] = JSON.parse(key)
    return { provider, model, requests, failures, firstByteMs: quantiles(firstBytes) }
  })
  const last = rows.at(-1)
  return { since: last ? Number(last.at) : null, models }
}

/** Quantiles by the nearest-rank method. */
function quantiles(values: readonly number[]): ObservedModel['firstByteMs'] {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
  return sorted.length > 0 ? { p50: at(0.5), p95: at(0.95) } : null
}
