import type { CooldownRecord, PromptCacheRecord } from '@headgate/gateway/ports'
import type { RedisClient } from './client.ts'
import { redisKey } from './keys.ts'
import { type RoutingRecords, readRoutingMessage, routingMessage } from './routing-message.ts'
import { READ_COOLDOWNS, STORE_COOLDOWNS } from './routing-script.ts'

/** Options of {@link redisMessages}. */
export interface FleetMessagesOptions {
  /** Id of this node's process run. A node ignores its own messages. */
  readonly node: string
  /** Called when another node has changed keys, budgets or prices in the store. */
  onChange(): void
  /** Called with knowledge of another node. */
  onRouting(records: RoutingRecords): void
}

/** Messages between nodes. They may be lost: nodes also read the store in intervals, and learn about upstreams. */
export interface FleetMessages {
  /** Reports that this node has changed keys, budgets or prices in the store. */
  changed(): void
  /** Sends knowledge about upstreams to other nodes, collected over 250 ms. */
  share(records: Partial<RoutingRecords>): void
  /** Cooldowns that nodes have stored. Empty if Redis does not answer. */
  storedCooldowns(): Promise<readonly CooldownRecord[]>
  /** Sends nothing more. */
  end(): void
}

/** Minimum interval of messages about changes, in milliseconds. */
const CHANGED_MS = 50
/** Time in which knowledge is collected, in milliseconds. */
const ROUTING_MS = 250
/** Maximum number of prompt caches in a message; older ones are dropped. */
const MOST_CACHES = 256

/**
 * Messages through Redis or Valkey.
 *
 * @example
 * ```ts
 * const messages = redisMessages(redis, { node: 'a', onChange: store.wake, onRouting: merge })
 * messages.changed()
 * ```
 */
export function redisMessages(
  redis: Pick<RedisClient, 'call' | 'run' | 'subscribe'>,
  { node, onChange, onRouting }: FleetMessagesOptions,
): FleetMessages {
  const cooldownsKey = redisKey('cooldowns')
  const [changes, routing] = [redisKey('changed'), redisKey('routing')]
  const lag = createLag()
  // A lost message costs the interval in which nodes read the store.
  const publish = (channel: string, message: string): void => {
    redis.call('publish', channel, message).catch(() => {})
  }

  const announce = throttled(CHANGED_MS, () => publish(changes, node))
  const outbox = createOutbox(({ promptCaches, cooldowns }) => {
    publish(routing, routingMessage(node, { promptCaches, cooldowns }, monotonic()))
    if (cooldowns.length === 0) return
    const stored = cooldowns.flatMap(({ key, leftMs, kind }) => [key, leftMs, kind])
    redis.run(STORE_COOLDOWNS, [cooldownsKey], stored).catch(() => {})
  })
  redis.subscribe(changes, (from) => {
    if (from !== node) onChange()
  })
  redis.subscribe(routing, (message) => {
    const now = monotonic()
    const read = readRoutingMessage(message, now, (from, sentAt) => lag.of(from, now - sentAt))
    if (read && read.node !== node) onRouting(read.records)
  })
  return {
    changed: announce.run,
    share: outbox.add,
    storedCooldowns: async () => cooldownsOf(await redis.run(READ_COOLDOWNS, [cooldownsKey], []).catch(() => [])),
    end() {
      announce.end()
      outbox.end()
    },
  }
}

/** Milliseconds of a monotonic clock that starts at the Unix time of the process start, like the gateway's clock. */
function monotonic(): number {
  return performance.timeOrigin + performance.now()
}

function cooldownsOf(reply: unknown): readonly CooldownRecord[] {
  const values: readonly unknown[] = Array.isArray(reply) ? reply : []
  return Array.from({ length: Math.floor(values.length / 3) }, (_, index) => {
    const [key, leftMs, kind] = values.slice(3 * index)
    return { key: String(key), leftMs: Number(leftMs), kind: String(kind) as CooldownRecord['kind'] }
  })
}

interface Throttled {
  run(): void
  end(): void
}

/** Runs a function immediately, and at most once per interval in milliseconds, with a last run after the last call. */
function throttled(ms: number, act: () => void): Throttled {
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  const run = (): void => {
    isDue = timer !== undefined
    if (isDue) return
    act()
    timer = setTimeout(() => {
      timer = undefined
      if (isDue) run()
    }, ms).unref()
  }
  return { run, end: () => clearTimeout(timer) }
}

interface Outbox {
  add(records: Partial<RoutingRecords>): void
  end(): void
}

/** Collects records, and sends them together. Only the last cooldown of a key is sent. */
function createOutbox(send: (records: RoutingRecords) => void): Outbox {
  let promptCaches: PromptCacheRecord[] = []
  let cooldowns = new Map<string, CooldownRecord>()
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    timer = undefined
    const records = { promptCaches, cooldowns: [...cooldowns.values()] }
    promptCaches = []
    cooldowns = new Map()
    send(records)
  }
  return {
    add({ promptCaches: caches = [], cooldowns: begun = [] }) {
      if (caches.length + begun.length === 0) return
      promptCaches = [...promptCaches, ...caches].slice(-MOST_CACHES)
      for (const one of begun) cooldowns.set(one.key, one)
      timer ??= setTimeout(flush, ROUTING_MS).unref()
    },
    end: () => clearTimeout(timer),
  }
}

/** Maximum number of nodes with a known distance of clocks. */
const MOST_NODES = 10_000

/**
 * Delays of messages by node, for messages that waited in a stopped Redis. Clocks of nodes differ: the smallest
 * difference between arrival and dispatch counts as no delay.
 */
function createLag() {
  const least = new Map<string, number>()
  return {
    /** Delay in milliseconds. */
    of(node: string, difference: number): number {
      if (least.size > MOST_NODES) least.clear()
      const known = Math.min(least.get(node) ?? difference, difference)
      least.set(node, known)
      return difference - known
    },
  }
}
