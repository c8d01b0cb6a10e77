import type { ModelFacts } from '@headgate/core/canonical'
import { fits, type Provider } from '@headgate/core/contract'
import { type ErrorKind, HeadgateError, invalid } from '@headgate/core/errors'
import type { AliasTarget, ModelAlias } from '../ports/routing.ts'
import { type ConfiguredInstance, type Endpoint, listed } from './catalog.ts'
import type { HealthTarget } from './health.ts'

/** An endpoint of a provider that could serve the request, with its name for the model. */
export interface Candidate {
  readonly instance: ConfiguredInstance
  readonly endpoint: Endpoint
  /** The provider's name for the model. */
  readonly model: string
  readonly facts: ModelFacts | undefined
  /** Rank in the configuration, from 0. Endpoints of one provider with equal priority have the same rank. */
  readonly tier: number
  /** Policies sort candidates within a stage; candidates of later stages are tried later. */
  readonly stage: number
  readonly weight: number
  /** Kinds of failures after which it is tried; undefined = always. */
  readonly on: readonly ErrorKind[] | undefined
}

/** A candidate that conditions of the request exclude, with the reason. */
export interface ExcludedCandidate {
  readonly candidate: Candidate
  readonly why: string
}

/** Target of a candidate's calls, for health and usage rows. */
export function subjectOf({ instance, endpoint, model }: Candidate): HealthTarget {
  let known = targets.get(endpoint)
  if (!known || known.size >= MOST_MODELS) {
    known = new Map()
    targets.set(endpoint, known)
  }
  const target = known.get(model)
  if (target) return target
  const { name: provider } = instance
  const { name, account } = endpoint
  const created = { provider, endpoint: name, account, model, key: `${provider}\n${name}\n${model}` }
  known.set(model, created)
  return created
}

/** Targets by endpoint and model, so that their keys are built once. */
const targets = new WeakMap<Endpoint, Map<string, HealthTarget>>()
/** Maximum number of targets of an endpoint. Callers choose model names, so memory must be limited. */
const MOST_MODELS = 1_000

/** Part of a candidate that its price depends on. */
export type PricedModel = Pick<Candidate, 'instance' | 'model' | 'facts'>

/** Aliases by public name. */
export type Aliases = Readonly<Record<string, readonly string[] | ModelAlias>>

/** A model at a provider, before its endpoints are known. */
export interface ModelAtProvider {
  readonly instance: ConfiguredInstance
  /** Id of the model for callers. */
  readonly id: string
}

/** Finds the same model at other providers. */
export type SameModelLookup = (
  instance: ConfiguredInstance,
  facts: ModelFacts | undefined,
  id: string,
) => readonly ModelAtProvider[]

/** A family, for routing. */
export interface ServedFamily {
  readonly id: string
  /** True if a provider supports the family. With facts: true unless the model is known not to support it. */
  has(provider: Provider, facts?: ModelFacts): boolean
}

/** Model, vendor and family that a request needs. */
export interface ModelQuery {
  /** The caller's name for the model. */
  readonly model: string
  /** Value of the `vendor` header; absent or `auto` = any. */
  readonly vendor: string | undefined
  /** Family that the provider must support. */
  readonly family: ServedFamily
}

/** The alias of a name; undefined = it is not an alias. */
export function aliasOf(aliases: Aliases, name: string): ModelAlias | undefined {
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  return alias && isList(alias) ? { targets: alias } : alias
}

function isList(alias: readonly string[] | ModelAlias): alias is readonly string[] {
  return Array.isArray(alias)
}

/** Adds the endpoints of a model at a provider to the candidates. */
function addEndpoints(
  found: Candidate[],
  { instance, id }: ModelAtProvider,
  { on, weight = 1 }: Pick<AliasTarget, 'on' | 'weight'>,
): void {
  const facts = listed(instance, id)
  const model = facts?.upstream ?? id
  const { endpoints } = instance
  let tier = (found.at(-1)?.tier ?? -1) + 1
  for (let place = 0; place < endpoints.length; place++) {
    const endpoint = endpoints[place] as Endpoint
    if (place > 0 && endpoint.priority !== endpoints[place - 1]?.priority) tier++
    if (endpoint.models && !endpoint.models.some((pattern) => fits(pattern, model))) continue
    found.push({ instance, endpoint, model, facts, tier, stage: on ? 1 : 0, weight: endpoint.weight * weight, on })
  }
}

const PLAIN: Pick<AliasTarget, 'on' | 'weight'> = {}

function withEndpoints(models: readonly ModelAtProvider[]): Candidate[] {
  const found: Candidate[] = []
  for (const one of models) addEndpoints(found, one, PLAIN)
  return found
}

const names = (instances: readonly ConfiguredInstance[]): string =>
  instances.map((instance) => instance.name).join(', ') || 'none'

/** The instance that the `vendor` header pins; undefined = automatic routing. */
export function pinned(
  instances: readonly ConfiguredInstance[],
  vendor: string | undefined,
): ConfiguredInstance | undefined {
  const name = vendor?.trim().toLowerCase()
  if (!name || name === 'auto') return undefined
  const found = instances.find((instance) => instance.name.toLowerCase() === name)
  if (!found)
    throw invalid(
      'vendor',
      `Unknown vendor "${name.slice(0, 64)}". Known: ${names(instances)}. Use one of them, or omit the header.`,
    )
  return found
}

/** A model at one provider. If the provider does not list the whole id, one leading `<name>/` is removed. */
function modelAt(instance: ConfiguredInstance, model: string): ModelAtProvider | undefined {
  const prefix = `${instance.name}/`
  const id = model.startsWith(prefix) && !listed(instance, model) ? model.slice(prefix.length) : model
  if (instance.closed && !instance.closed.has(id)) return undefined
  return { instance, id }
}

/** Providers that list an id, and then providers that serve the same model under another id. */
function withSame(
  listing: readonly ConfiguredInstance[],
  model: string,
  instances: readonly ConfiguredInstance[],
  same: SameModelLookup | undefined,
): readonly ModelAtProvider[] {
  const models = listing.map((instance): ModelAtProvider => ({ instance, id: model }))
  if (!same) return models
  const seen = new Set<ConfiguredInstance>(listing)
  for (const instance of listing)
    for (const other of same(instance, listed(instance, model), model)) {
      if (seen.has(other.instance) || !instances.includes(other.instance)) continue
      seen.add(other.instance)
      models.push(other)
    }
  return models
}

/**
 * Models for a whole id: at providers that list it, else at providers that claim it, else at the provider named by its
 * prefix.
 */
function owners(
  instances: readonly ConfiguredInstance[],
  model: string,
  same: SameModelLookup | undefined,
): readonly ModelAtProvider[] {
  const listing = instances.filter((instance) => listed(instance, model))
  if (listing.length > 0) return withSame(listing, model, instances, same)
  const claiming = instances.filter(
    (instance) => !instance.closed && instance.provider.claims.some((claim) => claim.test(model)),
  )
  if (claiming.length > 0) return claiming.map((instance) => ({ instance, id: model }))
  const slash = model.indexOf('/')
  const prefixed = slash > 0 ? instances.find((instance) => instance.name === model.slice(0, slash)) : undefined
  const found = prefixed && modelAt(prefixed, model)
  return found ? withSame([found.instance], found.id, instances, same) : []
}

/**
 * Candidates for a query, in order of preference. Empty if no provider is known to have the model.
 * @throws HeadgateError `invalid-request` for an unknown vendor, `unknown-model` if the pinned provider's closed list
 * does not have the model.
 */
export function candidates(
  all: readonly ConfiguredInstance[],
  aliases: Aliases,
  query: ModelQuery,
  same?: SameModelLookup,
): Candidate[] {
  const pin = pinned(all, query.vendor)
  const instances = all.filter((instance) => query.family.has(instance.provider))
  if (pin && !instances.includes(pin)) {
    throw invalid(
      'vendor',
      `Provider ${pin.name} does not serve ${query.family.id}. Providers that do: ${names(instances)}.`,
    )
  }
  const alias = aliasOf(aliases, query.model)
  if (alias) return ofAlias(alias, instances, query.model, pin, same)
  if (!pin) return withEndpoints(owners(instances, query.model, same))
  const found = modelAt(pin, query.model)
  if (found) return withEndpoints([found])
  const closed = [...(pin.closed?.keys() ?? [])]
  throw new HeadgateError(
    'unknown-model',
    `Provider ${pin.name} has no model "${query.model.slice(0, 128)}". Its models: ${closed.slice(0, 20).join(', ')}.`,
    { param: 'model' },
  )
}

/**
 * Candidates for an alias, each once.
 * @throws HeadgateError `unknown-model` if the pinned provider has none of its models
 */
function ofAlias(
  { targets }: ModelAlias,
  instances: readonly ConfiguredInstance[],
  name: string,
  pin: ConfiguredInstance | undefined,
  same: SameModelLookup | undefined,
): Candidate[] {
  const seen = new Set<string>()
  const found: Candidate[] = []
  for (const target of targets) {
    const rule: AliasTarget = typeof target === 'string' ? { model: target } : target
    for (const one of owners(instances, rule.model, same)) {
      const key = `${one.instance.name}/${listed(one.instance, one.id)?.upstream ?? one.id}`
      if ((pin && one.instance !== pin) || seen.has(key)) continue
      seen.add(key)
      addEndpoints(found, one, rule)
    }
  }
  if (pin && found.length === 0)
    throw new HeadgateError('unknown-model', `The alias ${name} has no model of provider ${pin.name}.`, {
      param: 'model',
    })
  return found
}
