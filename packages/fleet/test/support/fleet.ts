import type { AppliedLimit, RateLimit, RateRefusal, RateSlot, SharedRates } from '@headgate/gateway/ports'
import type { Allocations } from '../../src/allocations.ts'
import { createMemorySharedRates } from '../../src/counts.ts'
import { createAllocations } from '../../src/node-allocations.ts'
import { createVirtualClock } from './virtual-clock.ts'

/** Deadline of an exchange in milliseconds. */
const DEADLINE_MS = 50
const MINUTE = 60_000

/** Numbers from 0 to 1. */
export type Random = () => number

/** Deterministic random numbers (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface FleetOptions {
  readonly nodes: number
  readonly random?: Random | undefined
  /** Maximum time of a message in one direction, in milliseconds; default 1. */
  readonly delayMs?: number | undefined
  /** True if the store wakes up nodes when places are free; default true. */
  readonly isWoken?: boolean | undefined
}

/** Admitted request. */
export interface AdmittedRequest {
  readonly node: number
  readonly at: number
  /** Time that it waited, in milliseconds. */
  readonly waitedMs: number
  /** Tokens that count. */
  tokens: number
  endAt: number
}

/** Several nodes over one store in memory, by a virtual clock. The test moves the clock. */
export interface TestFleet {
  readonly nodes: readonly TestNode[]
  readonly clock: ReturnType<typeof createVirtualClock>
  readonly admitted: AdmittedRequest[]
  readonly refused: { readonly at: number; readonly refusal: RateRefusal }[]
  /** True while the store does not answer. */
  isAway: boolean
  /** Probability that an exchange has no reply although the store applied it. */
  lostReplies: number
  clearStore(): void
  /** Starts another node. */
  startNode(): void
  /** Sends a request to a node. Its end is after `endMs`. */
  send(node: number, limit: RateLimit, request?: SentRequest): void
  run(ms: number): Promise<void>
}

export interface SentRequest {
  readonly tokens?: number | undefined
  /** Tokens that it used; default `tokens`. */
  readonly used?: number | undefined
  readonly endMs?: number | undefined
  /** Called when the request was refused or has ended. */
  readonly onDone?: ((isAdmitted: boolean) => void) | undefined
}

export interface TestNode {
  readonly counters: Allocations
  /** Time until which the process is stopped. */
  pausedUntil: number
  /** Changes of `isShared`. */
  readonly changes: { readonly at: number; readonly isShared: boolean }[]
}

export interface LoadOptions {
  readonly ms: number
  readonly perSecond: number
  /** Average number of tokens; undefined = requests have no tokens. */
  readonly tokens?: number | undefined
  /** True if requests use all of their tokens; default true. */
  readonly isUsed?: boolean | undefined
  readonly seed?: number | undefined
}

/** Sends requests of random size to random nodes, on average `perSecond`, for some time. */
export async function load(fleet: TestFleet, limit: RateLimit, options: LoadOptions): Promise<void> {
  const { ms, perSecond, tokens, isUsed = true, seed = 7 } = options
  const random = createRandom(seed)
  const until = fleet.clock.now() + ms
  while (fleet.clock.now() < until) {
    const size = tokens === undefined ? undefined : 1 + Math.floor(random() * (2 * tokens - 1))
    const used = size === undefined || isUsed ? size : Math.floor(random() * (size + 1))
    fleet.send(Math.floor(random() * fleet.nodes.length), limit, { tokens: size, used, endMs: random() * 2_000 })
    await fleet.run((-Math.log(1 - random()) * 1_000) / perSecond)
  }
}

export function limitsOf(limit: RateLimit, id = 'alice'): readonly AppliedLimit[] {
  return [{ scope: 'key', id, limit }]
}

export function createTestFleet({
  nodes: count,
  random = createRandom(1),
  delayMs = 1,
  isWoken = true,
}: FleetOptions): TestFleet {
  const clock = createVirtualClock()
  const store = createMemorySharedRates({ now: () => 1_700_000_000_123 + clock.now() })
  const nodes: TestNode[] = []
  /** Calls back when the node runs. */
  const wake = (node: TestNode, call: () => void): void => {
    if (node.pausedUntil > clock.now()) clock.set(() => wake(node, call), node.pausedUntil - clock.now())
    else call()
  }
  const sharedOf = (node: () => TestNode): SharedRates => ({
    exchange: (exchange) =>
      new Promise((resolve, reject) => {
        const timer = clock.set(() => wake(node(), () => reject(new Error('timeout'))), DEADLINE_MS)
        clock.set(() => {
          if (fleet.isAway) return
          const reply = store.exchangeNow(exchange)
          if (random() < fleet.lostReplies) return
          clock.set(
            () =>
              wake(node(), () => {
                clock.clear(timer)
                resolve(reply)
              }),
            random() * delayMs,
          )
        }, random() * delayMs)
      }),
    ...(isWoken && {
      onFreePlaces: (name: string, listener: (key: string) => void) =>
        store.onFreePlaces(name, (key) => {
          if (random() >= fleet.lostReplies) clock.set(() => wake(node(), () => listener(key)), random() * delayMs)
        }),
    }),
  })
  const end = (request: AdmittedRequest, slot: RateSlot, used: number | undefined): void => {
    slot.leave(used)
    request.endAt = clock.now()
    if (used !== undefined) request.tokens = used
  }
  const send: TestFleet['send'] = (index, limit, { tokens, used = tokens, endMs = 0, onDone } = {}) => {
    const node = nodes[index] as TestNode
    const ask = { limits: limitsOf(limit), tokens: tokens === undefined ? undefined : { input: tokens, output: 0 } }
    wake(node, async () => {
      const sentAt = clock.now()
      const answer = await node.counters.take(ask)
      if (!('leave' in answer)) {
        fleet.refused.push({ at: clock.now(), refusal: answer })
        onDone?.(false)
        return
      }
      const at = clock.now()
      const waitedMs = at - sentAt
      const request = { node: index, at, waitedMs, tokens: tokens ?? 0, endAt: Number.POSITIVE_INFINITY }
      fleet.admitted.push(request)
      const ended = (): void => {
        end(request, answer, used)
        onDone?.(true)
      }
      clock.set(() => wake(node, ended), endMs)
    })
  }
  const startNode = (): void => {
    const index = nodes.length
    const skew = Math.floor(random() * 1_000_000)
    const node: TestNode = {
      pausedUntil: 0,
      changes: [],
      counters: createAllocations({
        shared: sharedOf(() => node),
        node: `node-${index}`,
        clock: () => clock.now() + skew,
        timers: { set: (call, ms) => clock.set(() => wake(node, call), ms), clear: clock.clear, soon: clock.soon },
        onChange: ({ isShared }) => void node.changes.push({ at: clock.now(), isShared }),
      }),
    }
    nodes.push(node)
  }
  const fleet: TestFleet = {
    nodes,
    clock,
    admitted: [],
    refused: [],
    isAway: false,
    lostReplies: 0,
    clearStore: () => store.clear(),
    startNode,
    send,
    run: (ms) => clock.runUntil(clock.now() + ms),
  }
  for (let index = 0; index < count; index++) fleet.startNode()
  return fleet
}

/** Maximum amount within any 60 seconds. */
export function mostInMinute(amounts: readonly { readonly at: number; readonly amount: number }[]): number {
  const sorted = amounts.toSorted((one, other) => one.at - other.at)
  let most = 0
  let sum = 0
  let first = 0
  for (const { at, amount } of sorted) {
    sum += amount
    for (let old = sorted[first]; old && old.at <= at - MINUTE; old = sorted[++first]) sum -= old.amount
    most = Math.max(most, sum)
  }
  return most
}

export function requestsOf(admitted: readonly AdmittedRequest[]) {
  return admitted.map(({ at }) => ({ at, amount: 1 }))
}

export function tokensOf(admitted: readonly AdmittedRequest[]) {
  return admitted.map(({ at, tokens }) => ({ at, amount: tokens }))
}

/** Maximum number of requests at a time. */
export function mostConcurrent(admitted: readonly AdmittedRequest[]): number {
  const changes = admitted
    .flatMap(({ at, endAt }) => [
      { at, change: 1 },
      { at: endAt, change: -1 },
    ])
    .sort((one, other) => one.at - other.at || one.change - other.change)
  let most = 0
  let running = 0
  for (const { change } of changes) {
    running += change
    most = Math.max(most, running)
  }
  return most
}
