import type { ImportedPrice } from './price.ts'
import type { EntryUpstream } from './upstream.ts'

/** Number of a deployment with its path in the file. */
export interface PlacedLimit {
  readonly value: number
  readonly path: readonly PropertyKey[]
}

/** Limits by LiteLLM's parameters. */
export type DeploymentLimits = Readonly<Partial<Record<'rpm' | 'tpm' | 'max_parallel_requests', PlacedLimit>>>

/** Origin of an entry that another format than LiteLLM's describes. */
export interface EntryOrigin {
  /** Path in the file. */
  readonly path: readonly PropertyKey[]
  readonly pool?: string | undefined
  readonly group?: string | undefined
}

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
  /** Share of the requests. */
  readonly weight?: number
  /** Label `region`. */
  readonly region?: string
  /** Time until the response begins, in milliseconds. */
  readonly firstByte?: PlacedLimit
  /** Deployments of one pool and one vendor are endpoints of one provider. */
  readonly pool: string
  /** Deployments of one group share the requests. */
  readonly group: string
  /** Path in the file. */
  readonly path: readonly PropertyKey[]
}
