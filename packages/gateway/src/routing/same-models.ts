import type { ModelFacts } from '@headgate/core/canonical'
import { fits } from '@headgate/core/contract'
import type { SameModels } from '../ports/routing.ts'
import type { ModelAtProvider, SameModelLookup } from './candidates.ts'
import { type ConfiguredInstance, listedModels } from './catalog.ts'

/** Models under their names. */
interface SameIndex {
  /** Models by shared name, in configuration order. */
  readonly models: ReadonlyMap<string, readonly ModelAtProvider[]>
  /** Shared names by id, for each instance. */
  readonly names: ReadonlyMap<ConfiguredInstance, ReadonlyMap<string, string>>
}

/** Rules for the shared name of a model. */
interface NameRules {
  /** Shared names by shared name and by id. */
  readonly shared: ReadonlyMap<string, string>
  /** Shared names by `<provider>/<model>` that the options add. */
  readonly added: ReadonlyMap<string, string>
  /** Shared names by the keys of the additions. */
  readonly keys: ReadonlyMap<string, string>
  readonly isServed: (name: string, place: string) => boolean
}

/** Spelling of shared names. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('.', '-')
}

/** True for a known model that the provider's live list does not contain. Only requests that name it use it. */
function isGone({ closed, live, known }: ConfiguredInstance, id: string): boolean {
  return !closed && live?.has(id) === false && known.has(id)
}

/** All models of an instance that have facts, including models that are not on its live list. */
function everyModel(instance: ConfiguredInstance): ModelFacts[] {
  return [...listedModels(instance), ...[...instance.known.values()].filter(({ id }) => isGone(instance, id))]
}

function sharedNames(instances: readonly ConfiguredInstance[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const instance of instances)
    for (const facts of [...instance.known.values(), ...everyModel(instance)]) {
      // A deployment can have the facts of the model that it is named after, and be another one.
      if (facts.same === undefined || facts.is !== undefined) continue
      names.set(facts.same, facts.same)
      if (!names.has(facts.id)) names.set(facts.id, facts.same)
    }
  return names
}

/** Shared name that a model has without the options. */
function nameOf(
  { known, closed }: ConfiguredInstance,
  { is, same }: ModelFacts,
  shared: ReadonlyMap<string, string>,
): string | undefined {
  // A listed snapshot can have another name than the model whose facts it has. A deployment is what its operator states.
  if (is === undefined || (!closed && same !== undefined)) return same
  const found = known.get(is)?.same ?? shared.get(is) ?? shared.get(plain(is))
  // Operators also name models that no catalog has.
  return found ?? (closed && plain(is))
}

function rulesOf(instances: readonly ConfiguredInstance[], { models, add = {}, remove = {} }: SameModels): NameRules {
  const shared = sharedNames(instances)
  const named = (key: string): string => shared.get(key) ?? shared.get(plain(key)) ?? plain(key)
  const keys = new Map(Object.keys(add).map((key) => [key, named(key)]))
  const added = new Map(Object.entries(add).flatMap(([key, places]) => places.map((place) => [place, named(key)])))
  const removed = Object.entries(remove).map(([key, places]) => ({ name: named(key), places }))
  const patterns = models === true ? ['*'] : models.map(plain)
  return {
    shared,
    keys,
    added,
    isServed: (name, place) =>
      patterns.some((pattern) => fits(pattern, name)) &&
      !removed.some((one) => one.name === name && one.places.some((pattern) => fits(pattern, place))),
  }
}

/** Shared names of an instance's models by id. */
function namesOf(instance: ConfiguredInstance, { shared, added, keys, isServed }: NameRules): Map<string, string> {
  const names = new Map<string, string>()
  const prefix = `${instance.name}/`
  const join = (id: string, name: string | undefined): void => {
    if (name !== undefined && isServed(name, prefix + id)) names.set(id, name)
  }
  for (const facts of everyModel(instance)) {
    const { id } = facts
    const place = prefix + id
    join(id, added.get(place) ?? nameOf(instance, facts, shared) ?? keys.get(place) ?? keys.get(id))
  }
  for (const [place, name] of added) {
    const id = place.slice(prefix.length)
    if (place.startsWith(prefix) && !names.has(id) && (!instance.closed || instance.closed.has(id))) join(id, name)
  }
  return names
}

function indexOf(instances: readonly ConfiguredInstance[], options: SameModels): SameIndex {
  const rules = rulesOf(instances, options)
  const names = new Map(instances.map((instance) => [instance, namesOf(instance, rules)]))
  const models = new Map<string, ModelAtProvider[]>()
  for (const [instance, ids] of names)
    for (const [id, name] of ids) {
      if (isGone(instance, id) && !rules.added.has(`${instance.name}/${id}`)) continue
      const group = models.get(name)
      if (group) group.push({ instance, id })
      else models.set(name, [{ instance, id }])
    }
  return { models, names }
}

/**
 * Lookup of the other names of a model: all models with the same shared name, in configuration order. A new live
 * list applies immediately.
 *
 * Patterns match shared names; `.` and `-` are equal. Keys of `add` and `remove` are shared names or ids. Entries of
 * `remove` can be patterns, such as `<provider>/*`. Entries of providers that are not configured have no effect.
 * @example
 * ```ts
 * const others = sameModels(instances, { models: ['model-1*'], remove: { 'model-1': ['router/*'] } })
 * others(direct, listed(direct, 'model-1'), 'model-1')
 * // [{ instance: cloud, id: 'vendor.model-1-v1:0' }]
 * ```
 */
export function sameModels(instances: readonly ConfiguredInstance[], options: SameModels): SameModelLookup {
  let lists: readonly ConfiguredInstance['live'][] = []
  let index: SameIndex | undefined
  return (instance, _facts, id) => {
    if (!index || instances.some(({ live }, place) => live !== lists[place])) {
      lists = instances.map(({ live }) => live)
      index = indexOf(instances, options)
    }
    const name = index.names.get(instance)?.get(id)
    const group = name === undefined ? undefined : index.models.get(name)
    return group?.filter((one) => one.instance !== instance || one.id !== id) ?? []
  }
}
