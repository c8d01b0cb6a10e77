import type { Price } from './price.ts'
import type { Upstream } from './upstream.ts'

/** A limit of a deployment, and its place in the file. */
export interface PlacedLimit {
  readonly value: number
  readonly path: readonly PropertyKey[]
}

/** Limits by LiteLLM's parameters. */
export type DeploymentLimits = Readonly<Partial<Record<'rpm' | 'tpm' | 'max_parallel_requests', PlacedLimit>>>

/** An entry of `model_list` that Headgate can serve. */
export interface Deployment extends Upstream {
  /** What callers call it; with a `*` any model of the kind. */
  readonly alias: string
  /** Lower ones are asked first. */
  readonly order: number
  /** `model_info.id`, by which fallbacks may name it. */
  readonly id?: string
  /** US dollars per million tokens. */
  readonly price?: Price
  /** Maximum output tokens. */
  readonly output?: number
  readonly limits: DeploymentLimits
  /** Its place in the file. */
  readonly path: readonly PropertyKey[]
}
