import type { Edit } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { inDollars } from '../cost/dollars.ts'
import type { MaxPrice, ModelAlias, RoutingBounds, RoutingPolicy } from '../ports/routing.ts'
import { isPolicy, POLICY_HEADER, type PolicyHeader } from './policy-header.ts'
import type { RoutingFields } from './routing-body.ts'

export { POLICY_HEADER, type PolicyHeader, readPolicyHeader } from './policy-header.ts'
export { type RoutingFields, type RoutingFieldsOptions, readRoutingFields } from './routing-body.ts'

/** Rights of a key that limit routing. */
export interface KeyRouting {
  /** Policies that the key can select; the first is its default. Absent = all. */
  readonly policies?: readonly string[] | undefined
  /** PermittedLabels that endpoints must have: `name=value`. Several values of one label: any of them. */
  readonly labels?: readonly string[] | undefined
}

/** Origins of a request's policy and conditions. */
export interface RoutingInputs {
  readonly alias?: Pick<ModelAlias, 'policy' | keyof RoutingBounds> | undefined
  readonly key?: KeyRouting | undefined
  readonly header?: PolicyHeader | undefined
  readonly fields?: RoutingFields | undefined
  /** Policy of a model's suffix. See {@link splitSuffix}. */
  readonly suffix?: RoutingPolicy | undefined
  /** The gateway's policy; default `priority`. */
  readonly policy?: RoutingPolicy | undefined
}

/** Policy and conditions that apply to a request. */
export interface NarrowedRouting {
  readonly policy: RoutingPolicy
  readonly bounds: RoutingBounds
  /**
   * Conditions except for the body's `provider`. They apply to an endpoint whose upstream gets `provider` and
   * applies it itself ({@link routingCuts} with `routes`). Use `bounds` if the body is translated.
   */
  readonly routerBounds: RoutingBounds
  readonly order: readonly string[]
  /** The only providers to use; empty = all. */
  readonly only: readonly string[]
  readonly ignore: readonly string[]
  /** False if only the providers of `order` may be used, or without `order` only the best endpoint. */
  readonly fallbacks: boolean
  /** Models to try after the requested one. The key must allow each of them. */
  readonly models: readonly string[]
  /** True if endpoints are sorted over all models instead of model by model. */
  readonly acrossModels: boolean
  /** True if an endpoint must support all parameters of the request. */
  readonly strict: boolean
  readonly session?: string | undefined
}

/** Facts of an endpoint; absent = unknown. */
export interface EndpointFacts {
  /** Integer nano-dollars per million tokens. */
  readonly price?: MaxPrice | undefined
  /** Context window in tokens. */
  readonly context?: number | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
}

/** Names of an endpoint that callers can use. */
export interface EndpointNames {
  /** Name of the provider. */
  readonly provider: string
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
}

const NO_NAMES: readonly string[] = []
const NO_BOUNDS: RoutingBounds = {}
const NO_EDITS: readonly Edit[] = []

const SUFFIXES: Readonly<Record<string, RoutingPolicy>> = { nitro: 'fastest', floor: 'cheapest' }

/**
 * Model and policy of an id with a suffix of OpenRouter. Other suffixes are part of the id. Use it only if no provider
 * lists the whole id.
 *
 * @example
 * ```ts
 * splitSuffix('m:floor') // { model: 'm', policy: 'cheapest' }
 * splitSuffix('m:free') // { model: 'm:free' }
 * ```
 */
export function splitSuffix(id: string): { readonly model: string; readonly policy?: RoutingPolicy | undefined } {
  const at = id.lastIndexOf(':')
  const suffix = id.slice(at + 1)
  return at > 0 && Object.hasOwn(SUFFIXES, suffix)
    ? { model: id.slice(0, at), policy: SUFFIXES[suffix] }
    : { model: id }
}

/**
 * Policy and conditions of a request. Callers can only narrow what key and alias allow: the smaller maximum price, the
 * larger minimum context, and the common values of a label apply. If no value is common, no endpoint matches.
 *
 * @throws HeadgateError `forbidden` for a policy that key or alias does not allow
 * @example
 * ```ts
 * narrow({ key: { labels: ['region=eu'] }, header: readPolicyHeader('cheapest; region=us') })
 * // { policy: 'cheapest', bounds: { labels: { region: [] } }, … }: no endpoint matches
 * ```
 */
export function narrow({ alias, key, header, fields, suffix, policy }: RoutingInputs): NarrowedRouting {
  const usual = alias?.policy ?? key?.policies?.find(isPolicy) ?? policy ?? 'priority'
  const routerBounds = [alias, keyBounds(key?.labels), header?.bounds].reduce<RoutingBounds>(both, NO_BOUNDS)
  return {
    policy: selected({ alias, key, header, fields, suffix }, usual),
    bounds: both(routerBounds, fields?.bounds),
    routerBounds,
    order: fields?.order ?? NO_NAMES,
    only: fields?.only ?? NO_NAMES,
    ignore: fields?.ignore ?? NO_NAMES,
    fallbacks: fields?.allowFallbacks ?? true,
    models: fields?.models ?? NO_NAMES,
    acrossModels: fields?.acrossModels ?? false,
    strict: fields?.strict ?? false,
    session: fields?.session,
  }
}

/** The caller's policy, else `usual`. Every policy that the caller names must be allowed. */
function selected({ alias, key, header, fields, suffix }: RoutingInputs, usual: RoutingPolicy): RoutingPolicy {
  const wishes = [
    { policy: header?.policy, param: POLICY_HEADER, name: `The header ${POLICY_HEADER}` },
    { policy: fields?.policy, param: 'provider.sort', name: 'The field provider.sort' },
    { policy: suffix, param: 'model', name: "The model's suffix" },
  ]
  for (const { policy, param, name } of wishes) {
    if (policy === undefined || policy === usual) continue
    if (alias?.policy !== undefined)
      throw new HeadgateError(
        'forbidden',
        `${name} selects the policy ${policy}, but this model always uses ${alias.policy}. Remove it, or use another model.`,
        { param },
      )
    if (key?.policies && !key.policies.includes(policy))
      throw new HeadgateError(
        'forbidden',
        `${name} selects the policy ${policy}, which this key cannot use. ${permittedPolicies(key.policies)}`,
        { param },
      )
  }
  return header?.policy ?? fields?.policy ?? suffix ?? usual
}

function permittedPolicies(policies: readonly string[]): string {
  return policies.length > 0 ? `It can use: ${policies.join(', ')}.` : 'It cannot select a policy.'
}

/** Conditions by list of labels, since a key's list is the same object for many requests. */
const known = new WeakMap<readonly string[], RoutingBounds>()

/** Conditions of a key's labels. A label without a value must be `true`. */
function keyBounds(labels: readonly string[] | undefined): RoutingBounds | undefined {
  if (labels === undefined || labels.length === 0) return undefined
  const parsed = known.get(labels)
  if (parsed) return parsed
  const values = new Map<string, readonly string[]>()
  for (const label of labels) {
    const at = label.indexOf('=')
    const name = at < 0 ? label : label.slice(0, at)
    values.set(name, [...(values.get(name) ?? []), at < 0 ? 'true' : label.slice(at + 1)])
  }
  const bounds: RoutingBounds = { labels: Object.fromEntries(values) }
  known.set(labels, bounds)
  return bounds
}

/** Conditions that meet both. */
function both(one: RoutingBounds, other: RoutingBounds | undefined): RoutingBounds {
  if (!other) return one
  const maxPrice = bothPrices(one.maxPrice, other.maxPrice)
  const minContext = extreme(Math.max, one.minContext, other.minContext)
  const labels = bothLabels(one.labels, other.labels)
  return {
    ...(maxPrice && { maxPrice }),
    ...(minContext !== undefined && { minContext }),
    ...(labels && { labels }),
  }
}

function extreme(
  choose: (a: number, b: number) => number,
  one: number | undefined,
  other: number | undefined,
): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : choose(one, other)
}

function bothPrices(one: MaxPrice | undefined, other: MaxPrice | undefined): MaxPrice | undefined {
  if (!one || !other) return one ?? other
  const input = extreme(Math.min, one.input, other.input)
  const output = extreme(Math.min, one.output, other.output)
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) }
}

type PermittedLabels = NonNullable<RoutingBounds['labels']>

function bothLabels(one: PermittedLabels | undefined, other: PermittedLabels | undefined): PermittedLabels | undefined {
  if (!one || !other) return one ?? other
  const merged = new Map<string, readonly string[]>(Object.entries(one))
  for (const [name, values] of Object.entries(other)) {
    const allowed = merged.get(name)
    merged.set(name, allowed ? allowed.filter((value) => values.includes(value)) : values)
  }
  return Object.fromEntries(merged)
}

/**
 * Reason why an endpoint does not meet the conditions; undefined if it meets them. An unknown price, context or label
 * does not meet a condition.
 *
 * @example
 * ```ts
 * matches({ minContext: 200_000 }, { context: 128_000 })
 * // 'its context of 128000 tokens is below the required 200000'
 * ```
 */
export function matches(bounds: RoutingBounds, { price, context, labels }: EndpointFacts): string | undefined {
  const { maxPrice, minContext } = bounds
  return (
    priceReason('input', maxPrice?.input, price?.input) ??
    priceReason('output', maxPrice?.output, price?.output) ??
    contextReason(minContext, context) ??
    labelReason(bounds.labels, labels)
  )
}

function priceReason(kind: string, most: number | undefined, price: number | undefined): string | undefined {
  if (most === undefined || (price !== undefined && price <= most)) return undefined
  const limit = `$${inDollars(most)} per million tokens`
  return price === undefined
    ? `its ${kind} price is unknown, and the maximum is ${limit}`
    : `its ${kind} price of $${inDollars(price)} is above the maximum of ${limit}`
}

function contextReason(least: number | undefined, context: number | undefined): string | undefined {
  if (least === undefined || (context !== undefined && context >= least)) return undefined
  return context === undefined
    ? `its context is unknown, and ${least} tokens are required`
    : `its context of ${context} tokens is below the required ${least}`
}

function labelReason(wanted: PermittedLabels | undefined, labels: EndpointFacts['labels'] = {}): string | undefined {
  if (!wanted) return undefined
  for (const [name, values] of Object.entries(wanted)) {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined
    if (value !== undefined && values.includes(value)) continue
    if (values.length === 0) return `no value of the label ${name} is allowed by both the key or alias and the request`
    const required = `${name}=${values.join(' or ')} is required`
    return `its label ${name} is ${value ?? 'unknown'}, and ${required}`
  }
  return undefined
}

/** Index in a list of names; -1 = not in it. The name of a provider matches all of its endpoints. */
function indexIn(names: readonly string[], { provider, endpoint, region }: EndpointNames): number {
  if (names.length === 0) return -1
  const parts = [region, endpoint].flatMap((part) => (part === undefined ? [] : `${provider}/${part}`.toLowerCase()))
  return names.findIndex((name) => name === provider.toLowerCase() || parts.includes(name))
}

/**
 * Reason why a caller's `only`, `ignore` or `order` without fallbacks excludes an endpoint; undefined if they do not.
 *
 * @example
 * ```ts
 * exclusion(narrow({ fields: readRoutingFields({ provider: { ignore: ['a'] } }) }), { provider: 'a' })
 * // 'the request ignores this provider'
 * ```
 */
export function exclusion(
  { order, only, ignore, fallbacks }: Pick<NarrowedRouting, 'order' | 'only' | 'ignore' | 'fallbacks'>,
  place: EndpointNames,
): string | undefined {
  if (only.length > 0 && indexIn(only, place) < 0) return 'the request allows only other providers'
  if (indexIn(ignore, place) >= 0) return 'the request ignores this provider'
  if (!fallbacks && order.length > 0 && indexIn(order, place) < 0)
    return 'the request allows only the providers of its order'
  return undefined
}

/**
 * Position of an endpoint in a caller's order. Endpoints that it does not name come last.
 *
 * @example
 * ```ts
 * orderOf(['b', 'a/eu'], { provider: 'a', region: 'eu' }) // 1
 * orderOf(['b', 'a/eu'], { provider: 'c' }) // 2
 * ```
 */
export function orderOf(order: readonly string[], place: EndpointNames): number {
  const index = order.length > 0 ? indexIn(order, place) : -1
  return index < 0 ? order.length : index
}

/** Fields that an upstream gets if it routes itself. `models` and `fallbacks` are the gateway's. */
const ROUTER_FIELDS: ReadonlySet<string> = new Set(['provider', 'session_id'])

/**
 * Edits that remove the gateway's routing fields from a body, for `splice` and `edited`. None for a request that the
 * header `vendor` pins to a provider. An upstream that routes itself gets `provider` and `session_id`.
 *
 * @example
 * ```ts
 * routingCuts(readRoutingFields({ models: ['b'], provider: {} }), { routes: true })
 * // [{ path: [], without: ['models'] }]
 * ```
 */
export function routingCuts(
  fields: RoutingFields | undefined,
  { routes = false, isPinned = false }: { readonly routes?: boolean | undefined; readonly isPinned?: boolean } = {},
): readonly Edit[] {
  if (!fields || isPinned) return NO_EDITS
  const without = routes ? fields.used.filter((name) => !ROUTER_FIELDS.has(name)) : fields.used
  return without.length > 0 ? [{ path: [], without }] : NO_EDITS
}
