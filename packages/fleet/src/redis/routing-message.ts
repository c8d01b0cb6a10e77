import type { CooldownRecord, PromptCacheRecord } from '@headgate/gateway/ports'

/** Knowledge about upstreams that nodes exchange. */
export interface RoutingRecords {
  readonly promptCaches: readonly PromptCacheRecord[]
  readonly cooldowns: readonly CooldownRecord[]
}

/** Records of a message, and the node that sent it. */
export interface RoutingMessage {
  readonly node: string
  readonly records: RoutingRecords
}

/** Version of the message. Nodes ignore messages of other versions. */
const VERSION = 1
/** Maximum size of the prompt caches of a message, in characters. */
const MOST_CHARACTERS = 65_536
/** Age after which prompt caches are ignored, in milliseconds. */
const OLDEST_MS = 3_600_000

/**
 * Message with knowledge about upstreams. Times become ages, since clocks of nodes differ. The newest prompt caches
 * that fit are sent.
 */
export function routingMessage(node: string, { promptCaches, cooldowns }: RoutingRecords, now: number): string {
  const caches: string[] = []
  let size = 0
  for (const { at, ...record } of promptCaches.toReversed()) {
    const text = JSON.stringify({ ...record, age: Math.max(0, Math.round(now - at)) })
    size += text.length
    if (size > MOST_CHARACTERS) break
    caches.unshift(text)
  }
  const head = JSON.stringify({ v: VERSION, node, sentAt: Math.round(now), cooldowns })
  return `${head.slice(0, -1)},"caches":[${caches.join(',')}]}`
}

/**
 * Reads a message; undefined if it is of another version or not valid.
 * @param lagOf delay of a message by its node and the time of its dispatch, in milliseconds
 */
export function readRoutingMessage(
  message: string,
  now: number,
  lagOf: (node: string, sentAt: number) => number,
): RoutingMessage | undefined {
  const { v, node, sentAt, cooldowns, caches }: Record<string, unknown> = Object(parsed(message))
  if (v !== VERSION || typeof node !== 'string' || typeof sentAt !== 'number') return undefined
  const lag = lagOf(node, sentAt)
  return {
    node,
    records: {
      cooldowns: listOf(cooldowns).flatMap((one) => cooldownOf(one, lag) ?? []),
      promptCaches: listOf(caches).flatMap((one) => promptCacheOf(one, now, lag) ?? []),
    },
  }
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return undefined
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Undefined if the record is not valid or the cooldown is over. */
function cooldownOf(record: unknown, lag: number): CooldownRecord | undefined {
  const { key, kind, leftMs } = Object(record)
  if (typeof key !== 'string' || typeof kind !== 'string' || !(leftMs > lag)) return undefined
  return { key, kind: kind as CooldownRecord['kind'], leftMs: leftMs - lag }
}

/** Undefined if the record is not valid or too old. */
function promptCacheOf(record: unknown, now: number, lag: number): PromptCacheRecord | undefined {
  const { prefix, target, use, facts, age } = Object(record)
  const { hashes, bytes, hint } = Object(prefix)
  const isPrefix = Array.isArray(hashes) && hashes.every((hash) => typeof hash === 'string') && bytes > 0
  if (!isPrefix || typeof target !== 'string' || !(Object(use).input > 0)) return undefined
  if (!(age >= 0 && age + lag < OLDEST_MS)) return undefined
  return {
    prefix: { hashes, bytes, ...(typeof hint === 'string' && { hint }) },
    target,
    use,
    facts: facts ?? undefined,
    at: now - age - lag,
  }
}
