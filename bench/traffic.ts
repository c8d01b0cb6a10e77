import type { UsageRow } from '../packages/gateway/src/index.ts'
import { uuidv7 } from '../packages/gateway/src/ports.ts'
import { type Dimensions, groupId } from '../packages/store/src/database/group.ts'

/** Number of keys of a gateway that a company of some thousand people has used for a year. */
const KEYS = 400
const MODELS = 60
const PROVIDERS = 8
/** Models per key, in descending order of use. */
const OWN_MODELS = 6
/** Percentage of requests that were served by the second provider of a model. */
const DIVERTED = 10

/** Statuses of requests, with their share in thousandths. */
const STATUSES: readonly (readonly [status: number, share: number])[] = [
  [200, 950],
  [429, 20],
  [400, 15],
  [499, 8],
  [500, 4],
  [529, 3],
]

/** Combination of a request's dimensions: a key, a model and so on. */
export interface Slot extends Dimensions {
  readonly group: bigint
}

export interface Traffic {
  readonly keys?: number
  readonly models?: number
}

/** Equally likely slots. Frequent combinations occur in several slots. Deterministic. */
export function trafficSlots(count: number, { keys = KEYS, models = MODELS }: Traffic = {}): Slot[] {
  const random = seeded(1)
  const groups = new Map<string, Slot>()
  return Array.from({ length: count }, () => {
    const key = Math.floor(keys * random() ** 2.5)
    const model = (key * 13 + Math.floor(OWN_MODELS * random() ** 2)) % models
    const provider = (model + (random() * 100 < DIVERTED ? 1 : 0)) % PROVIDERS
    const dimensions: Dimensions = {
      principal: `key_${String(key).padStart(28, '0')}`,
      model: `vendor-${model % PROVIDERS}/model-${model}`,
      provider: `provider-${provider}`,
      family: model % 10 === 9 ? 'embeddings' : 'chat',
      status: statusOf(random() * 1_000),
    }
    const name = Object.values(dimensions).join(' ')
    const known = groups.get(name)
    if (known) return known
    const slot = { ...dimensions, group: groupId(dimensions) }
    groups.set(name, slot)
    return slot
  })
}

/** Usage row of a request that ends now. */
export function rowOf({ principal, model, provider, family, status }: Slot): UsageRow {
  const startedAt = Date.now()
  const isServed = status === 200
  const cost = isServed ? 4_500_000 : 0
  const priceId = 'catalog@2026-01-01'
  return {
    id: uuidv7(),
    requestId: uuidv7(),
    principal,
    family,
    format: 'chat',
    model,
    provider,
    providerModel: model,
    status,
    startedAt,
    stream: true,
    translated: false,
    cost,
    charged: cost,
    priceId,
    billed: isServed,
    why: isServed ? 'served' : 'failed',
    losses: [],
    usage: { input: 1_000, output: 100, cacheRead: 200 },
    firstByteMs: 300,
    durationMs: 2_000,
    attempts: [{ provider, model, startedAt, durationMs: 2_000, status, cost, priceId }],
  }
}

function statusOf(draw: number): number {
  let left = draw
  for (const [status, share] of STATUSES) {
    if (left < share) return status
    left -= share
  }
  return 200
}

/** Mulberry32 random numbers. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
