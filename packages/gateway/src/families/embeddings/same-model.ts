import type { GatewayOptions } from '../../ports/gateway-options.ts'
import { type Candidate, candidates, type ServedFamily } from '../../routing/candidates.ts'
import { createInstances } from '../../routing/catalog.ts'

/** An alias whose targets are different embedding models. */
export interface MixedAlias {
  readonly alias: string
  /** First target, `provider/model`. Only its model is used. */
  readonly used: string
  /** Targets of other models, which are never called. */
  readonly unused: readonly string[]
}

/** Canonical name of a candidate's model. */
function modelOf({ facts, model }: Pick<Candidate, 'facts' | 'model'>): string {
  return facts?.same ?? facts?.is ?? facts?.id ?? model
}

/**
 * Candidates that serve the model of the first one. Vectors of different models cannot be compared, so another model is
 * never a fallback.
 */
export function sameModel([first, ...rest]: readonly Candidate[]): Candidate[] {
  if (!first) return []
  return [first, ...rest.filter((one) => modelOf(one) === modelOf(first))]
}

/** True for an embedding model: by its facts, else by its name. */
function isEmbedding(candidate: Candidate): boolean {
  return candidate.facts?.families?.includes('embeddings') ?? /embed/i.test(modelOf(candidate))
}

/**
 * Aliases for embeddings that name different models, as far as is known before providers list their models.
 * @example
 * ```ts
 * mixedAliases({ providers, models: { embed: ['text-embedding-3-small', 'gemini-embedding-001'] } })
 * // [{ alias: 'embed', used: 'openai/text-embedding-3-small', unused: ['google/gemini-embedding-001'] }]
 * ```
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
