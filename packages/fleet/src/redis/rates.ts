import {
  HeadgateError,
  type PlacesReply,
  type PlacesRequest,
  type RateExchange,
  type RateExchangeReply,
  type SharedRates,
  uuidv7,
  type WindowReply,
  type WindowRequest,
} from '@headgate/gateway/ports'
import type { RedisClient } from './client.ts'
import { redisKey } from './keys.ts'
import { EXCHANGE } from './rates-script.ts'

/** Maximum number of limits in one script, which Redis runs in about 5 ms. */
const LIMITS_PER_SCRIPT = 256
/** Numbers of a reply before its windows, for each window, and for each of the places. */
const HEAD = 3
const WINDOW = 4
const PLACES = 5

/** Beginning of the channels of nodes, and of the keys of places. */
const FREE_PLACES = redisKey('free-places', '')
const PLACES_PREFIX = redisKey('places', '')

/** Limits of one script. */
type LimitsPart = Pick<RateExchange, 'windows' | 'places'>

/**
 * Counts of rate limits in Redis or Valkey. An exchange is one call, or several in sequence for more than 256 limits.
 *
 * @example
 * ```ts
 * const rates = redisSharedRates(await openRedis('redis://127.0.0.1', options))
 * await rates.exchange({ node: 'a', allocationMs: 1_000, windows: [], places: [] }) // { nodes: 1, … }
 * ```
 */
export function redisSharedRates(redis: Pick<RedisClient, 'run' | 'subscribe'>): SharedRates {
  const exchangePart = async (exchange: RateExchange): Promise<RateExchangeReply> => {
    const { windows, places } = exchange
    const keys = [
      redisKey('instance'),
      redisKey('nodes'),
      ...windows.map(({ key }) => redisKey('window', key)),
      ...places.map(({ key }) => redisKey('places', key)),
    ]
    return replyOf(await redis.run(EXCHANGE, keys, argumentsOf(exchange)), exchange)
  }
  return {
    async exchange(exchange) {
      const { node, allocationMs, windows, places } = exchange
      if (windows.length + places.length <= LIMITS_PER_SCRIPT) return exchangePart(exchange)
      const replies: RateExchangeReply[] = []
      for (const part of partsOf(exchange)) replies.push(await exchangePart({ node, allocationMs, ...part }))
      return joined(replies)
    },
    onFreePlaces(node, listener) {
      redis.subscribe(`${FREE_PLACES}${node}`, (key) => listener(key.slice(PLACES_PREFIX.length)))
    },
  }
}

/** Parts of an exchange, each for one script. */
function partsOf({ windows, places }: RateExchange): readonly LimitsPart[] {
  const count = Math.ceil((windows.length + places.length) / LIMITS_PER_SCRIPT)
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [index * LIMITS_PER_SCRIPT, (index + 1) * LIMITS_PER_SCRIPT]
    const before = windows.length
    return {
      windows: windows.slice(from, to),
      places: places.slice(Math.max(0, from - before), Math.max(0, to - before)),
    }
  })
}

function joined(replies: readonly RateExchangeReply[]): RateExchangeReply {
  const [last] = replies.slice(-1)
  if (!last) throw new TypeError('An exchange has at least one part.')
  const { now, instance, since, nodes } = last
  const windows = replies.flatMap((reply) => reply.windows)
  return { now, instance, since, nodes, windows, places: replies.flatMap((reply) => reply.places) }
}

function argumentsOf({ node, allocationMs, windows, places }: RateExchange): (string | number)[] {
  return [
    node,
    // Only the first id that reaches an empty server is stored.
    uuidv7(),
    allocationMs,
    FREE_PLACES,
    windows.length,
    ...windows.flatMap(({ limit, least, want, changes }: WindowRequest) => [
      limit,
      least,
      want,
      changes.length,
      ...changes.flatMap(({ slot, amount }) => [slot, amount]),
    ]),
    ...places.flatMap(({ limit, held, demand, want }: PlacesRequest) => [limit, held, demand, want]),
  ]
}

function replyOf(reply: unknown, { windows, places }: RateExchange): RateExchangeReply {
  const values: readonly unknown[] = Array.isArray(reply) ? reply : []
  const expected = HEAD + WINDOW * windows.length + PLACES * places.length
  if (values.length !== expected)
    throw new HeadgateError('unavailable', 'Redis gave an unexpected answer to an exchange of rate limits.')
  const number = (at: number): number => Number(values[at])
  const firstPlaces = HEAD + WINDOW * windows.length
  const instance = String(values[1])
  return {
    now: number(0),
    instance,
    since: Number.parseInt(instance, 10),
    nodes: number(2),
    windows: windows.map((_, index): WindowReply => {
      const at = HEAD + WINDOW * index
      return { granted: number(at), slot: number(at + 1), used: number(at + 2), freeInMs: number(at + 3) }
    }),
    places: places.map((_, index): PlacesReply => {
      const at = firstPlaces + PLACES * index
      return {
        granted: number(at),
        others: number(at + 1),
        part: number(at + 2),
        nextPart: number(at + 3),
        nextInMs: number(at + 4),
      }
    }),
  }
}
