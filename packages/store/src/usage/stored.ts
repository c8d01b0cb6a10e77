import type { Row } from '../schema/tables.ts'

/** A row of `usage` as it can be sent anywhere: money is a decimal string of nano-dollars, null is unknown. */
export interface StoredUsage {
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
  readonly requestId: string
  readonly principal: string
  readonly family: string
  readonly format: string
  readonly model: string
  readonly provider: string
  readonly providerModel: string
  readonly stream: boolean
  readonly translated: boolean
  readonly status: number
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly cacheWriteLong: number | null
  readonly reasoning: number | null
  readonly audioInput: number | null
  readonly audioOutput: number | null
  readonly units: Readonly<Record<string, number>> | null
  readonly estimated: boolean
  readonly cost: string | null
  readonly charged: string | null
  readonly held: string | null
  readonly priceId: string | null
  readonly billed: boolean
  readonly why: string
  readonly finish: string | null
  readonly failure: string | null
  readonly losses: readonly unknown[]
  readonly corrects: string | null
  readonly firstByteMs: number | null
  readonly durationMs: number
  /** What the caller said of it, by name; null = nothing. */
  readonly tags: Readonly<Record<string, string>> | null
}

export interface StoredAttempt {
  readonly provider: string
  readonly model: string
  readonly startedAt: number
  readonly durationMs: number
  readonly status: number | null
  readonly failure: string | null
  readonly cost: string | null
  readonly priceId: string | null
}

export function storedUsage(row: Row<'usage'>): StoredUsage {
  return {
    id: row.id,
    at: Number(row.at),
    requestId: row.request_id,
    principal: row.principal,
    family: row.family,
    format: row.format,
    model: row.model,
    provider: row.provider,
    providerModel: row.provider_model,
    stream: row.stream !== 0n,
    translated: row.translated !== 0n,
    status: Number(row.status),
    input: count(row.input),
    output: count(row.output),
    cacheRead: count(row.cache_read),
    cacheWrite: count(row.cache_write),
    cacheWriteLong: count(row.cache_write_long),
    reasoning: count(row.reasoning),
    audioInput: count(row.audio_input),
    audioOutput: count(row.audio_output),
    units: json(row.units, null),
    estimated: row.estimated !== 0n,
    cost: money(row.cost),
    charged: money(row.charged),
    held: money(row.held),
    priceId: row.price_id,
    billed: row.billed !== 0n,
    why: row.why,
    finish: row.finish,
    failure: row.failure,
    losses: json(row.losses, []),
    corrects: row.corrects,
    firstByteMs: count(row.first_byte_ms),
    durationMs: Number(row.duration_ms),
    tags: json(row.tags, null),
  }
}

export function storedAttempt(row: Row<'usage_attempts'>): StoredAttempt {
  return {
    provider: row.provider,
    model: row.model,
    startedAt: Number(row.started_at),
    durationMs: Number(row.duration_ms),
    status: count(row.status),
    failure: row.failure,
    cost: money(row.cost),
    priceId: row.price_id,
  }
}

function count(value: bigint | null): number | null {
  return value === null ? null : Number(value)
}

function money(value: bigint | null): string | null {
  return value === null ? null : String(value)
}

/** What was written as JSON; none where an earlier program has written something else. */
function json<Value>(text: string | null, none: Value): Value {
  if (text === null) return none
  try {
    return JSON.parse(text)
  } catch {
    return none
  }
}
