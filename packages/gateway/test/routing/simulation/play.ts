import { costOf } from '../../../src/cost/cost.ts'
import { type Affinity, createAffinity, type WarmPrefix } from '../../../src/routing/affinity/index.ts'
import { createRanking, type RankTarget } from '../../../src/routing/policies/rank.ts'
import { seeded } from './random.ts'
import type { TraceRequest } from './trace.ts'
import {
  AUTOMATIC,
  type CacheResult,
  type CacheRules,
  createUpstream,
  IMPLICIT,
  MARKED,
  type Upstream,
} from './upstream.ts'

/** Length of the windows in which the load is compared, in milliseconds. */
const WINDOW_MS = 300_000
/** Calls in a window below which its load is not compared. */
const LEAST_CALLS = 300

/** Three clouds with two credentials each, which share no caches. */
export const CLOUDS: readonly CacheRules[] = [MARKED, MARKED, AUTOMATIC, AUTOMATIC, IMPLICIT, IMPLICIT]

/** Result of a trace. */
export interface PlayResult {
  readonly requests: number
  readonly input: number
  readonly cached: number
  /** Integer nano-dollars. */
  readonly cost: number
  /** Calls of the endpoint with the most calls, compared with the mean. */
  readonly load: number
  /** The same for the busiest five minutes. */
  readonly peak: number
  /** Part of the turns that another endpoint served than the turn before. */
  readonly moved: number
  /** Calls by endpoint. */
  readonly calls: readonly number[]
}

/** Choice of an endpoint for each request of a trace. */
export interface Chooser {
  choose(request: TraceRequest, upstreams: readonly Upstream[]): number
  /** Called when a response has ended. */
  served?(request: TraceRequest, place: number, result: CacheResult): void
}

/** Parts of the policy that can be switched off, to see their effect. */
export interface SwitchedOff {
  readonly loadBound?: boolean
  readonly probability?: boolean
  readonly hint?: boolean
  readonly observation?: boolean
  readonly affinity?: boolean
}

/** Sends the requests of a trace to upstreams. */
export function play(
  trace: readonly TraceRequest[],
  chooser: Chooser,
  rules: readonly CacheRules[] = CLOUDS,
): PlayResult {
  const upstreams = rules.map((one, i) => createUpstream(`${one.name}-${i}`, one, 100 + i))
  const ends: { readonly at: number; readonly end: () => void }[] = []
  const calls = upstreams.map(() => 0)
  const windows = new Map<number, number[]>()
  const places = new Map<number, number>()
  let [input, cached, cost, moved, turns] = [0, 0, 0, 0, 0]
  for (const request of trace) {
    ends.sort((one, other) => one.at - other.at)
    while (ends[0] && ends[0].at <= request.startsAt) ends.shift()?.end()
    const place = chooser.choose(request, upstreams)
    const upstream = upstreams[place]
    if (!upstream) throw new Error('No upstream was chosen.')
    const result = upstream.call(request)
    ends.push({ at: request.endsAt, end: () => chooser.served?.(request, place, result) })
    input += request.input
    cached += result.cacheRead
    cost += costOf({ input: request.input, output: request.output, ...result }, upstream.rules.price) ?? 0
    calls[place] = (calls[place] ?? 0) + 1
    const window = Math.floor(request.startsAt / WINDOW_MS)
    const inWindow = windows.get(window) ?? upstreams.map(() => 0)
    inWindow[place] = (inWindow[place] ?? 0) + 1
    windows.set(window, inWindow)
    const before = places.get(request.session)
    if (before !== undefined) turns++
    if (before !== undefined && before !== place) moved++
    places.set(request.session, place)
  }
  const busy = [...windows.values()].filter((one) => sum(one) >= LEAST_CALLS)
  return {
    requests: trace.length,
    input,
    cached,
    cost,
    load: loadOf(calls),
    peak: Math.max(0, ...busy.map(loadOf)),
    moved: moved / Math.max(1, turns),
    calls,
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function loadOf(calls: readonly number[]): number {
  return Math.max(...calls) / (sum(calls) / calls.length)
}

/** The only endpoint. */
export function onlyEndpoint(): Chooser {
  return { choose: () => 0 }
}

/** Rendezvous hashing of the conversation's first block. */
export function plainHashing(): Chooser {
  return {
    choose({ prefix }, upstreams) {
      const first = prefix.hashes[0] ?? prefix.hint ?? ''
      const scores = upstreams.map(({ key }) => hashOf(`${first} ${key}`))
      return scores.indexOf(Math.max(...scores))
    },
  }
}

function hashOf(text: string): number {
  let hash = 2_166_136_261
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619)
  return seeded(hash)()
}

/** The policy `priority` with affinity, with parts of it switched off. */
export function withPolicy(off: SwitchedOff = {}): Chooser {
  const ranking = createRanking({ random: seeded(3), ...(off.loadBound && { mostLoad: Number.POSITIVE_INFINITY }) })
  const affinity = createAffinity()
  const inFlight = new Map<number, number>()
  return {
    choose(request, upstreams) {
      const { startsAt: now, input, output } = request
      const warm = off.affinity ? [] : lookup(affinity, request, upstreams, off)
      const targets: RankTarget[] = upstreams.map(({ key, rules }, i) => ({
        key,
        tier: 0,
        weight: 1,
        price: rules.price,
        inFlight: inFlight.get(i) ?? 0,
        limit: Number.POSITIVE_INFINITY,
        state: 'well',
        warm: warm[i],
      }))
      const ranked = { policy: 'priority' as const, targets, expected: { input, output }, writesCache: true, now }
      const first = ranking.rank(ranked)[0]
      if (!first) throw new Error('No target was ranked.')
      ranking.picked(ranked, first.target.key)
      const place = targets.indexOf(first.target)
      inFlight.set(place, (inFlight.get(place) ?? 0) + 1)
      return place
    },
    served(request, place, { cacheRead, cacheWrite }) {
      inFlight.set(place, (inFlight.get(place) ?? 0) - 1)
      const rules = CLOUDS[place]
      if (off.affinity || !rules) return
      const use = { input: request.input, cacheWrite, ...(!off.observation && { cacheRead }) }
      // Without the reported reads, the whole input counts as cached.
      const unobserved = { input: request.input }
      const prefix = off.hint ? { ...request.prefix, hint: undefined } : request.prefix
      const key = `${rules.name}-${place}`
      if (off.observation)
        affinity.record(prefix, key, unobserved, { ...rules.facts, onRequest: false }, request.startsAt)
      else affinity.record(prefix, key, use, rules.facts, request.startsAt)
    },
  }
}

function lookup(
  affinity: Affinity,
  { prefix, startsAt }: TraceRequest,
  upstreams: readonly Upstream[],
  off: SwitchedOff,
): readonly (WarmPrefix | undefined)[] {
  const used = off.hint ? { ...prefix, hint: undefined } : prefix
  const keys = upstreams.map(({ key }) => key)
  const found = affinity.lookup(used, keys, startsAt)
  return off.probability ? found.map((warm) => warm && { tokens: warm.tokens, probability: 1 }) : found
}

/**
 * An oracle that knows every cache, and takes the endpoint with the lowest real cost within the same limit of the load.
 * `penalty` is the part of the mean cost that a full load costs, so that it does not move long conversations.
 */
export function oracle(penalty: number, mostLoad = 1.25): Chooser {
  let recent: number[] = []
  const inFlight: number[] = []
  let last = 0
  let mean = 0
  return {
    choose(request, upstreams) {
      const decay = 2 ** ((last - request.startsAt) / 15_000)
      last = request.startsAt
      recent = upstreams.map((_, i) => (recent[i] ?? 0) * decay)
      const loads = upstreams.map((_, i) => (recent[i] ?? 0) + (inFlight[i] ?? 0))
      const share = sum(loads) / loads.length
      let [best, lowest, lowestCost] = [-1, Number.POSITIVE_INFINITY, 0]
      upstreams.forEach((upstream, i) => {
        const over = ((loads[i] ?? 0) - share) / ((mostLoad - 1) * share + 8)
        const { input, output } = request
        const cost = costOf({ input, output, ...upstream.peek(request) }, upstream.rules.price) ?? 0
        const score = cost + penalty * mean * over
        if (over >= 1 || score >= lowest) return
        best = i
        lowest = score
        lowestCost = cost
      })
      mean += (lowestCost - mean) / 64
      recent[best] = (recent[best] ?? 0) + 1
      inFlight[best] = (inFlight[best] ?? 0) + 1
      return best
    },
    served(_, place) {
      inFlight[place] = (inFlight[place] ?? 0) - 1
    },
  }
}
