import type { ModelFacts } from '@headgate/core/canonical'
import type { Provider } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { type ConfiguredInstance, listed } from './catalog.ts'

/** A provider that could serve the request, with its name for the model. */
export interface Candidate {
  readonly instance: ConfiguredInstance
  /** The provider's name for the model. */
  readonly model: string
  readonly facts: ModelFacts | undefined
}

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

function candidate(instance: ConfiguredInstance, id: string): Candidate {
  const facts = listed(instance, id)
  return { instance, model: facts?.upstream ?? id, facts }
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

/** A candidate at one provider. If the provider does not list the whole id, one leading `<name>/` is removed. */
function candidateAt(instance: ConfiguredInstance, model: string): Candidate | undefined {
  const prefix = `${instance.name}/`
  const id = model.startsWith(prefix) && !listed(instance, model) ? model.slice(prefix.length) : model
  if (instance.closed && !instance.closed.has(id)) return undefined
  return candidate(instance, id)
}

/**
 * Candidates for a whole id: providers that list it, else providers that claim it, else the provider named by its
 * prefix.
 */
function owners(instances: readonly ConfiguredInstance[], model: string): Candidate[] {
  const listing = instances.filter((instance) => listed(instance, model))
  if (listing.length > 0) return listing.map((instance) => candidate(instance, model))
  const claiming = instances.filter(
    (instance) => !instance.closed && instance.provider.claims.some((claim) => claim.test(model)),
  )
  if (claiming.length > 0) return claiming.map((instance) => candidate(instance, model))
  const slash = model.indexOf('/')
  const prefixed = slash > 0 ? instances.find((instance) => instance.name === model.slice(0, slash)) : undefined
  const found = prefixed && candidateAt(prefixed, model)
  return found ? [found] : []
}

/**
 * Candidates for a query, in order of preference. Empty if no provider is known to have the model.
 * @throws HeadgateError `invalid-request` for an unknown vendor, `unknown-model` if the pinned provider's closed list
 * does not have the model.
 */
export function candidates(
  all: readonly ConfiguredInstance[],
  aliases: Readonly<Record<string, readonly string[]>>,
  query: ModelQuery,
): Candidate[] {
  const pin = pinned(all, query.vendor)
  const instances = all.filter((instance) => query.family.has(instance.provider))
  if (pin && !instances.includes(pin)) {
    throw invalid(
      'vendor',
      `Provider ${pin.name} does not serve ${query.family.id}. Providers that do: ${names(instances)}.`,
    )
  }
  const alias = Object.hasOwn(aliases, query.model) ? aliases[query.model] : undefined
  if (alias) {
    const all = alias.flatMap((model) => owners(instances, model))
    const seen = new Set<string>()
    const targets = all.filter(({ instance, model }) => {
      const key = `${instance.name}/${model}`
      return (!pin || instance === pin) && !seen.has(key) && seen.add(key)
    })
    if (pin && targets.length === 0)
      throw new HeadgateError('unknown-model', `The alias ${query.model} has no model of provider ${pin.name}.`, {
        param: 'model',
      })
    return targets
  }
  if (!pin) return owners(instances, query.model)
  const found = candidateAt(pin, query.model)
  if (found) return [found]
  const closed = [...(pin.closed?.keys() ?? [])]
  throw new HeadgateError(
    'unknown-model',
    `Provider ${pin.name} has no model "${query.model.slice(0, 128)}". Its models: ${closed.slice(0, 20).join(', ')}.`,
    { param: 'model' },
  )
}
