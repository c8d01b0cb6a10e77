import { type Allocations, type AllocationsState, createAllocations, type RoutingRecords } from '@headgate/fleet'
import type { FleetMessages } from '@headgate/fleet/redis'
import { type SharedRates, uuidv7 } from '@headgate/gateway/ports'
import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import type { FleetState } from './metrics.ts'

/** This program as a node among others: rate limits that apply to all nodes, and messages between them. */
export interface Fleet extends FleetState {
  readonly counters: Pick<Allocations, 'take' | 'adopt'>
  /** Conditions that an operator should know although the program serves. */
  notes(): readonly string[]
  /** Receives messages of other nodes from now on. */
  join(handlers: FleetHandlers): void
  /** Reports that this program has changed the store. */
  changed(): void
  /** Sends knowledge about upstreams to other nodes. */
  share(records: RoutingRecords): void
  /** Knowledge that other nodes have stored, after `join`. */
  stored(): Promise<RoutingRecords>
  /** Returns unused allocations, and closes the connections. */
  close(): Promise<void>
}

/** Receivers of messages from other nodes. */
export interface FleetHandlers {
  /** Called when another node has changed the store. */
  onChange(): void
  /** Called with knowledge of another node about upstreams. */
  onRouting(records: RoutingRecords): void
}

export interface FleetParts {
  readonly settings: Pick<Settings, 'redisUrl'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Shared rates of the store, for programs without Redis; undefined = the store has none. */
  readonly rates: SharedRates | undefined
  /** Called when the notes have changed. */
  onNotes?(notes: readonly string[]): void
}

const NOTHING: RoutingRecords = { promptCaches: [], cooldowns: [] }
const SHARED: AllocationsState = { isShared: true, reasons: [] }

/** Opens the connection to other nodes. Undefined if rate limits are counted in this program only. */
export async function openFleet(parts: FleetParts): Promise<Fleet | undefined> {
  const { settings, rates } = parts
  if (settings.redisUrl !== undefined) return openRedisFleet(settings.redisUrl, parts)
  return rates && createStoreFleet(rates, parts)
}

/** Fleet whose nodes share only the store. The store is called from the first request with a rate limit on. */
function createStoreFleet(shared: SharedRates, parts: FleetParts): Fleet {
  let allocations: Allocations | undefined
  const state = (): AllocationsState => allocations?.state() ?? SHARED
  const opened = (): Allocations => {
    allocations ??= createAllocations({ shared, node: uuidv7(), onChange: reporter(parts) })
    return allocations
  }
  return {
    counters: { take: (ask) => opened().take(ask), adopt: (ask) => opened().adopt(ask) },
    isShared: () => state().isShared,
    notes: () => state().reasons,
    join: () => {},
    changed: () => {},
    share: () => {},
    stored: async () => NOTHING,
    close: async () => allocations?.end(),
  }
}

async function openRedisFleet(url: string, parts: FleetParts): Promise<Fleet> {
  const { logger } = parts
  const { openRedis, redisMessages, redisSharedRates } = await import('@headgate/fleet/redis')
  const redis = await openRedis(url, {
    // The allocations report it, since they call Redis all the time.
    onUnreachable: () => {},
    onReachable: () => {},
    onRefusal: (message) => logger.warn(`Redis refuses calls: ${message}`),
  })
  const node = uuidv7()
  const counters = createAllocations({ shared: redisSharedRates(redis), node, onChange: reporter(parts) })
  // Requests of the first seconds would get only a small part of their limits.
  await counters.ready()
  let messages: FleetMessages | undefined
  return {
    counters,
    isShared: () => counters.state().isShared,
    calls: () => redis.calls,
    notes: () => counters.state().reasons,
    join: (handlers) => {
      messages = redisMessages(redis, { node, ...handlers })
    },
    changed: () => messages?.changed(),
    share: (records) => messages?.share(records),
    stored: async () => ({ promptCaches: [], cooldowns: (await messages?.storedCooldowns()) ?? [] }),
    close: async () => {
      messages?.end()
      await counters.end()
      redis.close()
    },
  }
}

/** Logs when rate limits are no longer counted for all nodes, and when they are again. */
function reporter({ logger, onNotes }: FleetParts): (state: AllocationsState) => void {
  return ({ isShared, reasons }) => {
    if (isShared) logger.info('rate limits are counted for all nodes again')
    else logger.warn({ reasons }, 'This node uses its part of each rate limit.')
    onNotes?.(reasons)
  }
}
