import type { ModelFacts } from '@headgate/core/canonical'
import type { Provider } from '@headgate/core/contract'
import { HeadgateError, invalid } from '@headgate/core/errors'
import { type Instance, listed } from './catalog.ts'

/** A provider that can be asked for a model, and the model's name there. */
export interface Candidate {
  readonly instance: Instance
  /** The provider's own name of the model. */
  readonly model: string
  readonly facts: ModelFacts | undefined
}

/** A family, as far as routing knows it. */
export interface ServedFamily {
  readonly id: string
  /**
   * Whether a provider serves it; with facts, whether that model of the provider does, where nothing is known against
   * it.
   */
  has(provider: Provider, facts?: ModelFacts): boolean
}

/** What is asked for. */
export interface Wish {
  /** As the caller named it. */
  readonly model: string
  /** Value of the `vendor` header; absent or `auto` = any. */
  readonly vendor: string | undefined
  /** The family that the provider must have. */
  readonly family: ServedFamily
}

function candidate(instance: Instance, id: string): Candidate {
  const facts = listed(instance, id)
  return { instance, model: facts?.upstream ?? id, facts }
}

const names = (instances: readonly Instance[]): string =>
  instances.map((instance) => instance.name).join(', ') || 'none'

/** The instance that the `vendor` header pins; undefined when routing is automatic. */
export function pinned(instances: readonly Instance[], vendor: string | undefined): Instance | undefined {
  const name = vendor?.trim().toLowerCase()
  if (!name || name === 'auto') return undefined
  const found = instances.find((instance) => instance.name.toLowerCase() === name)
  if (!found)
    throw invalid(
      'vendor',
      `Unknown vendor "${name.slice(0, 64)}". Known: ${names(instances)}; or leave the header out.`,
    )
  return found
}

/** At one provider the whole id is its own; one leading `<name>/` is cut where it does not list the uncut id. */
function at(instance: Instance, model: string): Candidate | undefined {
  const prefix = `${instance.name}/`
  const id = model.startsWith(prefix) && !listed(instance, model) ? model.slice(prefix.length) : model
  if (instance.closed && !instance.closed.has(id)) return undefined
  return candidate(instance, id)
}

/**
 * Who has a model by its whole id: those that list it, else those that claim it, else the provider that it is prefixed
 * with.
 */
function owners(instances: readonly Instance[], model: string): Candidate[] {
  const listing = instances.filter((instance) => listed(instance, model))
  if (listing.length > 0) return listing.map((instance) => candidate(instance, model))
  const claiming = instances.filter(
    (instance) => !instance.closed && instance.provider.claims.some((claim) => claim.test(model)),
  )
  if (claiming.length > 0) return claiming.map((instance) => candidate(instance, model))
  const slash = model.indexOf('/')
  const prefixed = slash > 0 ? instances.find((instance) => instance.name === model.slice(0, slash)) : undefined
  const found = prefixed && at(prefixed, model)
  return found ? [found] : []
}

/**
 * The candidates for a wish, in the order of preference. Empty when nobody is known to have the model.
 * @throws HeadgateError `invalid-request` for an unknown vendor, `unknown-model` where a closed list refuses.
 */
export function candidates(
  all: readonly Instance[],
  aliases: Readonly<Record<string, readonly string[]>>,
  wish: Wish,
): Candidate[] {
  const pin = pinned(all, wish.vendor)
  const instances = all.filter((instance) => wish.family.has(instance.provider))
  if (pin && !instances.includes(pin)) {
    throw invalid(
      'vendor',
      `Provider ${pin.name} does not serve ${wish.family.id}. Those that do: ${names(instances)}.`,
    )
  }
  const alias = Object.hasOwn(aliases, wish.model) ? aliases[wish.model] : undefined
  if (alias) {
    const all = alias.flatMap((model) => owners(instances, model))
    const seen = new Set<string>()
    const targets = all.filter(({ instance, model }) => {
      const key = `${instance.name}/${model}`
      return (!pin || instance === pin) && !seen.has(key) && seen.add(key)
    })
    if (pin && targets.length === 0)
      throw new HeadgateError('unknown-model', `The alias ${wish.model} names no model of ${pin.name}.`, {
        param: 'model',
      })
    return targets
  }
  if (!pin) return owners(instances, wish.model)
  const found = at(pin, wish.model)
  if (found) return [found]
  const closed = [...(pin.closed?.keys() ?? [])]
  throw new HeadgateError(
    'unknown-model',
    `Provider ${pin.name} has no model "${wish.model.slice(0, 128)}". It has: ${closed.slice(0, 20).join(', ')}.`,
    { param: 'model' },
  )
}
