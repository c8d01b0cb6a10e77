import type { ImportedPrice } from './price.ts'
import type { EntryUpstream } from './upstream.ts'

/** Limit of a deployment with its path in the file. */
export interface PlacedLimit {
  readonly value: number
  readonly path: readonly PropertyKey[]
}

/** Limits by LiteLLM's parameters. */
export type DeploymentLimits = Readonly<Partial<Record<'rpm' | 'tpm' | 'max_parallel_requests', PlacedLimit>>>

/** Entry of `model_list` that Headgate can serve. */
export interface Deployment extends EntryUpstream {
  /** Name that callers use; a name with `*` matches any model of the kind. */
  readonly alias: string
  /** Order of calls, lowest first. */
  readonly order: number
  /** `model_info.id`, by which fallbacks can name the deployment. */
  readonly id?: string
  /** US dollars per million tokens. */
  readonly price?: ImportedPrice
  /** Maximum output tokens. */
  readonly output?: number
  readonly limits: DeploymentLimits
  /** Path in the file. */
  readonly path: readonly PropertyKey[]
}
