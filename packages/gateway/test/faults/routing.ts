import { type EndpointLimits, POLICIES, type RoutingPolicy } from '../../src/ports/routing.ts'
import type { Fault } from './fault.ts'
import { createRandom, type Random } from './random.ts'
import type { Headers, Step } from './step.ts'

/** Endpoint of a candidate, with its faults: the last one for all further calls. */
export interface EndpointScene {
  readonly name: string
  readonly weight: number
  readonly priority: number
  readonly region: 'eu' | 'us'
  readonly group: string | undefined
  readonly limits: EndpointLimits | undefined
  /** False if its patterns exclude the model. */
  readonly servesModel: boolean
  readonly faults: readonly Fault[]
}

/** Routing of a sequence. */
export interface RoutingScene {
  readonly policy: RoutingPolicy
  readonly selectedBy: 'gateway' | 'alias' | 'header' | 'key'
  /** Part of the request that requires the region `eu`; undefined = none. */
  readonly boundBy: 'header' | 'key' | undefined
  /** True if slow calls are sent to a second endpoint. Earlier calls show what is slow. */
  readonly isHedged: boolean
  /** Endpoints by candidate; empty = one without a name. */
  readonly endpoints: readonly (readonly EndpointScene[])[]
  /** Part of the request that names a further model, which never fails. */
  readonly fallback: 'alias' | 'body' | undefined
  /** True if responses contain limit headers. */
  readonly hasLimitHeaders: boolean
  /** True if a budget applies. */
  readonly hasBudget: boolean
  /** Number of further requests at the same time. */
  readonly crowd: number
}

/** Percentage of the seeds with routing. */
const ROUTED = 50
/** Failures after which an alias tries its last model. */
export const FALLBACK_KINDS = ['context-too-long', 'content-policy', 'rate-limited', 'overloaded'] as const

const SOME_LIMITS: readonly EndpointLimits[] = [
  { concurrent: 1 },
  { concurrent: 2 },
  { requestsPerMinute: 1 },
  { requestsPerMinute: 2 },
  { concurrent: 1, requestsPerMinute: 3 },
  { tokensPerMinute: 200 },
]

function endpointScene(random: Random, nth: number, isHedged: boolean, faults: readonly Fault[]): EndpointScene {
  const first = nth % Math.max(1, faults.length)
  const isFirst = nth === 0
  // Earlier calls of a hedged sequence would use up these limits.
  const isLimited = random.chance(50) && !isHedged
  const limits = random.pick(SOME_LIMITS)
  return {
    name: `e${nth}`,
    weight: random.pick([1, 1, 2, 0.001]),
    priority: random.pick([0, 0, 1]),
    region: isFirst || random.chance(40) ? 'eu' : 'us',
    group: random.chance(30) ? 'team' : undefined,
    limits: isLimited ? limits : undefined,
    servesModel: isFirst || !random.chance(15),
    faults: [...faults.slice(first), ...faults.slice(0, first)],
  }
}

/** Routing under a seed, for candidates with these faults. Undefined: without. */
export function routingOf(seed: number, candidates: readonly (readonly Fault[])[]): RoutingScene | undefined {
  // Its own random numbers, so that the rest of the sequence is the same as without routing.
  const random = createRandom(seed + 0x5_0000)
  if (!random.chance(ROUTED)) return undefined
  const isHedged = random.chance(40)
  const boundBy = random.chance(30) ? random.pick(['header', 'key'] as const) : undefined
  const endpoints = candidates.map((faults) => {
    const count = random.pick([1, 2, 2, 3, 3])
    // Without a name, an endpoint has no labels.
    if (count === 1 && !boundBy) return []
    return Array.from({ length: count }, (_, nth) => endpointScene(random, nth, isHedged, faults))
  })
  return {
    policy: random.pick(POLICIES),
    selectedBy: random.pick(['gateway', 'alias', 'header', 'key']),
    boundBy,
    isHedged,
    endpoints,
    fallback: random.chance(50) ? random.pick(['alias', 'body'] as const) : undefined,
    hasLimitHeaders: random.chance(40),
    hasBudget: random.chance(40),
    crowd: random.pick([0, 0, 1, 3]),
  }
}

/** True if the caller names an alias instead of the model. */
export function usesAlias({ selectedBy, fallback }: RoutingScene): boolean {
  return selectedBy === 'alias' || fallback === 'alias'
}

/** Value of the header `headgate-policy`; undefined = none. */
export function policyHeaderOf({ policy, selectedBy, boundBy }: RoutingScene): string | undefined {
  const parts = [...(selectedBy === 'header' ? [policy] : []), ...(boundBy === 'header' ? ['region=eu'] : [])]
  return parts.length > 0 ? parts.join('; ') : undefined
}

const REMAINING = ['0', '0', '1', '3', '1000', '-1', '1e400', 'soon', '']
const RESETS = ['1', '30', '86400', '99999999999', '-5', '6m0s', '0', '']

/** Limit headers as vendors send them, and as they should not. */
export function limitHeaders(random: Random): Headers {
  return ['requests', 'tokens'].flatMap((unit) => [
    [`x-ratelimit-remaining-${unit}`, random.pick(REMAINING)] as const,
    [`x-ratelimit-reset-${unit}`, random.pick(RESETS)] as const,
  ])
}

/** Adds headers to a response that begins with a usual head. */
export function withHeaders([first, ...rest]: readonly Step[], headers: Headers): readonly Step[] {
  const others = first === undefined ? rest : [first, ...rest]
  if (typeof first !== 'object' || !('send' in first) || typeof first.send !== 'string') return others
  const line = /^HTTP\/1\.1 [2-5]\d\d [^\r\n]*\r\n/.exec(first.send)?.[0]
  if (line === undefined) return others
  const added = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return [{ send: `${line}${added}${first.send.slice(line.length)}` }, ...rest]
}

/** Routing in a few words. */
export function describeRouting(routing: RoutingScene): string {
  const { policy, selectedBy, boundBy, isHedged, endpoints, fallback, hasLimitHeaders, hasBudget, crowd } = routing
  return [
    `${policy} by ${selectedBy}`,
    `endpoints ${endpoints.map((each) => each.map(describeEndpoint).join(' ') || '-').join(' | ')}`,
    ...(boundBy ? [`region=eu by ${boundBy}`] : []),
    ...(isHedged ? ['hedged'] : []),
    ...(fallback ? [`fallback by ${fallback}`] : []),
    ...(hasLimitHeaders ? ['limit headers'] : []),
    ...(hasBudget ? ['budget'] : []),
    ...(crowd > 0 ? [`${crowd} more`] : []),
  ].join(', ')
}

function describeEndpoint({ name, region, limits, servesModel, priority }: EndpointScene): string {
  const limit = limits ? ` ${JSON.stringify(limits)}` : ''
  return `${name}(${region} ${priority}${servesModel ? '' : ' other models'}${limit})`
}
