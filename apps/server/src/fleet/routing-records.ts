import type { RoutingRecords } from '@headgate/fleet'
import type { Gateway } from '@headgate/gateway'

/** Parts of a gateway that exchange knowledge about upstreams. */
type RoutingExchange = Pick<Gateway, 'promptCaches' | 'cooldowns'>

/** Interval in which a process sends what it knows about upstreams, in milliseconds. */
export const ROUTING_MS = 100

/** Knowledge of a gateway that other processes do not have yet; undefined = none. */
export function drainRouting({ promptCaches, cooldowns }: RoutingExchange): RoutingRecords | undefined {
  const records = { promptCaches: promptCaches.drain(), cooldowns: cooldowns.drain() }
  return records.promptCaches.length + records.cooldowns.length > 0 ? records : undefined
}

/** Adds the knowledge of another process to a gateway. */
export function mergeRouting({ promptCaches, cooldowns }: RoutingExchange, records: RoutingRecords): void {
  promptCaches.merge(records.promptCaches)
  cooldowns.merge(records.cooldowns)
}
