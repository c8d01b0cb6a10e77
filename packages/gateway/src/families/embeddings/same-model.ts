import type { GatewayOptions } from '../../ports/gateway-options.ts'
import { type Candidate, candidates, type ServedFamily } from '../../routing/candidates.ts'
import { createInstances } from '../../routing/catalog.ts'

/** An alias of embedding models that are not the same one. */
export interface MixedAlias {
  readonly alias: string
  /** The first target, whose model alone is used: `provider/model`. */
  readonly used: string
  /** Targets of other models, which are never asked. */
  readonly unused: readonly string[]
}

/** Which model a candidate is, whatever it is called there. */
function modelOf({ facts, model }: Pick<Candidate, 'facts' | 'model'>): string {
  return facts?.is ?? facts?.id ?? model
}

/** Vectors of two models can not be compared: only the same model may stand in for another. */
export function sameModel([first, ...rest]: readonly Candidate[]): Candidate[] {
  if (!first) return []
  return [first, ...rest.filter((one) => modelOf(one) === modelOf(first))]
}

/** Where nothing is known of a model, its name may say it. */
function isEmbedding(candidate: Candidate): boolean {
  return candidate.facts?.families?.includes('embeddings') ?? /embed/i.test(modelOf(candidate))
}

/**
 * Aliases that are used for embeddings and name different models, as far as that is known before any provider was
 * asked.
 */
export function mixedAliases({ providers, models = {} }: Pick<GatewayOptions, 'providers' | 'models'>): MixedAlias[] {
  const instances = createInstances(providers)
  const family: ServedFamily = { id: 'embeddings', has: ({ embeddings }) => embeddings !== undefined }
  return Object.keys(models).flatMap((alias) => {
    const found = candidates(instances, models, { model: alias, vendor: undefined, family }).filter(
      ({ facts }) => facts?.families?.includes('embeddings') !== false,
    )
    const same = new Set(sameModel(found))
    const nameOf = ({ instance, model, facts }: Candidate): string => `${instance.name}/${facts?.id ?? model}`
    const [first] = found
    if (!first || same.size === found.length || !found.some(isEmbedding)) return []
    return [{ alias, used: nameOf(first), unused: found.filter((one) => !same.has(one)).map(nameOf) }]
  })
}
