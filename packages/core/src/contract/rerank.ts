import type { Usage } from '../canonical/usage.ts'
import type { Exchange, InProcess } from './exchange.ts'

/** A question, and the documents that are to be put in order by it. */
export interface RerankRequest {
  readonly model: string
  readonly query: string
  /** At least one. */
  readonly documents: readonly string[]
  /** How many of the best are wanted: from 1 to as many as there are. Absent = all. */
  readonly top?: number
  /** Of each document so many tokens count; absent = as the provider does it. */
  readonly maxTokensPerDocument?: number
}

/** How well a document answers the question. */
export interface Ranked {
  /** Its place in `documents`. */
  readonly index: number
  /** More is better. Numbers of different models do not compare. */
  readonly score: number
}

export interface RerankResponse {
  /** In any order; each document at most once. At least `top` of them, or all. */
  readonly results: readonly Ranked[]
  /** The model as the upstream names it. */
  readonly model?: string
  /** Where the upstream counts: tokens, or `units.searches` where it bills searches. */
  readonly usage?: Usage
}

export type RerankSupport = (
  | Exchange<RerankRequest, RerankResponse>
  | InProcess<RerankRequest, Promise<RerankResponse>>
) & {
  /** Most documents of one request; more are refused. Default no limit. */
  readonly most?: number
  /**
   * Where searches are billed, and not tokens: how many documents one search holds, and from how many tokens on, with
   * the query, a document counts once more.
   */
  readonly billing?: { readonly documents: number; readonly tokens: number }
}
