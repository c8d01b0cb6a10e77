import type { UsageRow } from '@headgate/gateway'
import { uuidv7 } from '@headgate/gateway/ports'
import { hashApiKey, openStore } from '@headgate/store'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAYS = 60

/** A model that was used. */
export interface UsedModel {
  readonly provider: string
  readonly model: string
  /** Dollars a million tokens; absent = nobody knows. */
  readonly price?: { readonly input: number; readonly output: number }
  /** Of how many requests one is of it, and how long its first token takes, in milliseconds. */
  readonly share: number
  readonly firstByteMs: number
  /** True if its provider is too busy since 13 minutes. */
  readonly hasTrouble?: true
}

export interface History {
  /** Of the program: its store may be open. */
  readonly dataDir: string
  /** The busiest first. */
  readonly keys: readonly { readonly id: string; readonly secret: string }[]
  readonly models: readonly UsedModel[]
}

/** Writes what was used in the last 60 days, until the last full hour: alike each time but for its dates. */
export async function writeHistory({ dataDir, keys, models }: History): Promise<void> {
  const store = await openStore({ dataDir, onProblem: (message) => process.stderr.write(`${message}\n`) })
  // Budgets are known of keys that were looked up.
  for (const { secret } of keys) {
    const holder = await store.keys.findByHash(hashApiKey(secret))
    if (holder) store.budgets.bounds(holder)
  }
  const random = randomOf(20_260_101)
  const end = Math.floor(Date.now() / HOUR) * HOUR
  const running: Promise<void>[] = []
  for (let at = end - DAYS * 24 * HOUR; at < end; at += HOUR) {
    const hour = new Date(at).getUTCHours()
    const isWeekend = [0, 6].includes(new Date(at).getUTCDay())
    // Busy from nine to five, and more so from week to week.
    const busy =
      (hour >= 8 && hour < 18 ? 14 : 3) * (isWeekend ? 0.3 : 1) * (0.4 + 0.5 * ((at - end) / (DAYS * 24 * HOUR) + 1))
    const count = Math.round(busy * (0.6 + 0.8 * random()))
    for (let nth = 0; nth < count; nth += 1) {
      const key = keys[Math.floor(random() ** 2 * keys.length)]?.id ?? ''
      running.push(store.ledger.settle(rowOf(pick(models, random()), key, at + Math.floor(random() * HOUR), random)))
    }
  }
  for (const { at, model, isOverloaded } of lastHour(models, random)) {
    const row = rowOf(model, keys[Math.floor(random() ** 2 * keys.length)]?.id ?? '', at, random)
    running.push(store.ledger.settle(isOverloaded ? overloaded(row) : row))
  }
  // Prices are known since the program has started.
  for (const model of models.filter(({ price }) => price)) {
    const row = rowOf(model, keys[0]?.id ?? '', Date.now(), () => 0.2)
    running.push(store.ledger.settle(row))
  }
  await Promise.all(running)
  await store.ledger.ingest()
  await store.close()
}

const LOSSES = [
  { path: 'top_k', kind: 'dropped', reason: 'the provider has no such parameter' },
  { path: 'messages[0].content[0].cache_control', kind: 'dropped', reason: 'the provider caches by itself' },
  { path: 'response_format.json_schema', kind: 'changed', reason: 'sent as a tool' },
] as const

const SELF_HOSTED = 'eu-vllm'

/** A call that another provider made up for. */
function failedCall(at: number): UsageRow['attempts'][number] {
  const facts = { startedAt: at, durationMs: 90, status: 503, failure: 'overloaded', cost: 0, priceId: null } as const
  return { provider: SELF_HOSTED, model: 'llama-4', ...facts }
}

/** The last hour, busy until now, in which a provider has trouble since 13 minutes. */
function lastHour(models: readonly UsedModel[], random: () => number) {
  const now = Date.now()
  return Array.from({ length: 60 }, (_, minute) =>
    Array.from({ length: 6 + Math.round(random() * 8) }, () => {
      const at = now - (60 - minute) * MINUTE + Math.floor(random() * 50_000)
      const model = pick(models, random())
      return { at, model, isOverloaded: model.hasTrouble === true && minute >= 47 }
    }),
  ).flat()
}

/** A row of a request that the provider was too busy for. */
function overloaded(row: UsageRow): UsageRow {
  const { usage: _, finish: __, firstByteMs: ___, ...rest } = row
  const failed = { status: 503, failure: 'overloaded', durationMs: 420, cost: 0, priceId: null } as const
  const attempts = row.attempts.map((attempt) => ({ ...attempt, ...failed }))
  return { ...rest, ...failed, charged: 0, billed: false, why: 'failed', attempts }
}

function pick(models: readonly UsedModel[], random: number): UsedModel {
  let left = random * models.reduce((sum, { share }) => sum + share, 0)
  for (const model of models) {
    left -= model.share
    if (left < 0) return model
  }
  throw new Error('No model was used.')
}

function rowOf(
  { provider, model, price, firstByteMs }: UsedModel,
  principal: string,
  at: number,
  random: () => number,
): UsageRow {
  const hasFailed = random() < 0.02
  const input = 200 + Math.floor(random() ** 3 * 12_000)
  const output = 40 + Math.floor(random() ** 2 * 1_400)
  // What no price is known of has no savings either.
  const cacheRead = price && random() < 0.3 ? Math.floor(input * 0.6) : 0
  const first = Math.round(firstByteMs * (0.6 + random() ** 4 * 4))
  const durationMs = hasFailed ? 310 : first + output * 8
  // A dollar a million is a thousand nano-dollars each.
  const cost = hasFailed ? 0 : price ? Math.round((input * price.input + output * price.output) * 1_000) : null
  const priceId = price && !hasFailed ? `catalog:${provider}/${model}@2026-09-01` : null
  const failure = hasFailed ? ({ failure: 'rate-limited' } as const) : {}
  return {
    id: uuidv7(at),
    requestId: `req_${uuidv7(at).replaceAll('-', '')}`,
    principal,
    family: 'chat',
    format: 'chat-completions',
    model,
    provider,
    providerModel: model,
    stream: random() < 0.6,
    translated: provider !== 'openai',
    status: hasFailed ? 429 : 200,
    cost,
    charged: cost,
    priceId,
    billed: cost !== null && !hasFailed,
    ...(hasFailed ? failure : { usage: { input, output, cacheRead }, finish: 'stop' as const, firstByteMs: first }),
    why: hasFailed ? 'failed' : cost === null ? 'price-unknown' : 'served',
    ...(random() < 0.4 && { tags: { team: ['search', 'support', 'growth'][Math.floor(random() * 3)] ?? 'search' } }),
    losses: random() < 0.08 ? [LOSSES[Math.floor(random() ** 2 * LOSSES.length)] ?? LOSSES[0]] : [],
    startedAt: at,
    durationMs,
    attempts: [
      ...(!hasFailed && provider !== SELF_HOSTED && random() < 0.03 ? [failedCall(at)] : []),
      { provider, model, startedAt: at, durationMs, status: hasFailed ? 429 : 200, ...failure, cost, priceId },
    ],
  }
}

/** Numbers from 0 to 1, the same each time. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
