import { HeadgateError } from '@headgate/core/errors'
import { headerOf } from '../edge/sink.ts'
import type { ModelAlias, RoutingPolicy } from '../ports/routing.ts'
import { aliasOf, type Candidate, type ExcludedCandidate } from '../routing/candidates.ts'
import { placeOf } from '../routing/catalog.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import {
  exclusion,
  matches,
  type NarrowedRouting,
  narrow,
  orderOf,
  POLICY_HEADER,
  type RoutingFields,
  readPolicyHeader,
} from './routing-request.ts'

/** Maximum number of endpoints in an error message. */
const MAX_NAMED = 8

/** Inputs of a request's routing, besides its header and its key. */
export interface RoutingQuery {
  readonly model: string
  /** Routing fields of the body. */
  readonly fields?: RoutingFields | undefined
  /** Policy that a suffix of the model selects. */
  readonly suffix?: RoutingPolicy | undefined
}

/** True if an alias selects a policy or has conditions. */
function hasRouting({ policy, maxPrice, minContext, labels }: ModelAlias): boolean {
  return (policy ?? maxPrice ?? minContext ?? labels) !== undefined
}

/**
 * Policy and conditions of a request; undefined = the gateway's policy without conditions, as for most requests.
 * @throws HeadgateError `invalid-request` for a malformed header, `forbidden` for a policy that is not allowed
 */
export function routingOf(
  core: Core,
  { incoming, principal }: Context,
  { model, fields, suffix }: RoutingQuery,
): NarrowedRouting | undefined {
  const header = headerOf(incoming, POLICY_HEADER)
  const alias = aliasOf(core.aliases, model)
  const { policies, labels } = principal
  const isPlain = header === undefined && !fields && suffix === undefined && !policies && !labels
  if (isPlain && !(alias && hasRouting(alias))) return undefined
  return narrow({
    alias,
    key: { policies, labels },
    header: header === undefined ? undefined : readPolicyHeader(header),
    fields,
    suffix,
    policy: core.routing.policy,
  })
}

/** True if the upstream of a candidate reads the body's field `provider` itself. */
function routesItself({ endpoint: { provider } }: Candidate): boolean {
  return provider.chat?.some((support) => !('run' in support) && support.routes === true) ?? false
}

function exclusionOf(
  core: Core,
  { startedAt }: Context,
  routing: NarrowedRouting,
  candidate: Candidate,
): string | undefined {
  const { instance, endpoint, facts } = candidate
  const { labels } = endpoint
  const place = { provider: instance.name, endpoint: endpoint.name || undefined, region: labels['region'] }
  const price = core.priceOf(candidate, startedAt)
  const isRouter = routesItself(candidate)
  return (
    (isRouter ? undefined : exclusion(routing, place)) ??
    matches(isRouter ? routing.routerBounds : routing.bounds, { price, context: facts?.context, labels })
  )
}

/** Candidates in the caller's order. */
function inOrder(found: readonly Candidate[], order: readonly string[]): Candidate[] {
  const placed = found.map((candidate) => {
    const { instance, endpoint } = candidate
    const region = endpoint.labels['region']
    return {
      candidate,
      place: orderOf(order, { provider: instance.name, endpoint: endpoint.name || undefined, region }),
    }
  })
  placed.sort((a, b) => a.candidate.stage - b.candidate.stage || a.place - b.place)
  // A caller's order takes precedence over policies, so each place has a separate stage.
  const places = order.length + 1
  return placed.map(({ candidate, place }) => ({ ...candidate, stage: candidate.stage * places + place }))
}

/**
 * Candidates that meet the conditions of a request, in the caller's order. The others are stored in the context.
 * @throws HeadgateError `unknown-model` with the reasons if no candidate meets them
 */
export function withinRouting(
  core: Core,
  context: Context,
  routing: NarrowedRouting | undefined,
  found: Candidate[],
): Candidate[] {
  context.routing = routing
  if (!routing) return found
  const excluded: ExcludedCandidate[] = []
  const open = found.filter((candidate) => {
    const why = exclusionOf(core, context, routing, candidate)
    if (why !== undefined) excluded.push({ candidate, why })
    return why === undefined
  })
  context.excluded = excluded
  if (open.length === 0) throw noneLeft(excluded)
  const ordered = routing.order.length > 0 ? inOrder(open, routing.order) : open
  return routing.acrossModels ? ordered.map((candidate) => ({ ...candidate, stage: 0 })) : ordered
}

function noneLeft(excluded: readonly ExcludedCandidate[]): HeadgateError {
  const reasons = excluded
    .slice(0, MAX_NAMED)
    .map(({ candidate: { instance, endpoint, model }, why }) => `${placeOf(instance, endpoint)} (${model}): ${why}`)
  const more = excluded.length > MAX_NAMED ? `; and ${excluded.length - MAX_NAMED} more` : ''
  return new HeadgateError(
    'unknown-model',
    `No endpoint of this model meets the conditions of the request. ${reasons.join('; ')}${more}.`,
    { param: 'model' },
  )
}
