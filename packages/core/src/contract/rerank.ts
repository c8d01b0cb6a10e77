import type { Usage } from '../canonical/usage.ts'
import type { Exchange, InProcess } from './exchange.ts'

/** Query, and documents to order by relevance. */
export interface RerankRequest {
  readonly model: string
  readonly query: string
  /** Documents; at least one. */
  readonly documents: readonly string[]
  /** Number of results, from 1 to the number of documents. Absent: all. */
  readonly top?: number
  /** Tokens of each document that count. Absent: the provider's default. */
  readonly maxTokensPerDocument?: number
}

/** Relevance of a document. */
export interface Ranked {
  /** Index in `documents`. */
  readonly index: number
  /** Higher is better. Scores of different models cannot be compared. */
  readonly score: number
}

/** Response with a ranking. */
export interface RerankResponse {
  /** Results in any order, with each document at most once: at least `top`, or all. */
  readonly results: readonly Ranked[]
  /** The model as the upstream names it. */
  readonly model?: string
  /** Absent if the upstream reports none. Tokens, or `units.searches` if it bills searches. */
  readonly usage?: Usage
}

/** Support for reranking: HTTP exchanges, or a function in this process. */
export type RerankSupport = (
  | Exchange<RerankRequest, RerankResponse>
  | InProcess<RerankRequest, Promise<RerankResponse>>
) & {
  /** Maximum documents of one request. Requests with more are rejected. Default: no limit. */
  readonly most?: number
  /**
   * Billing by searches instead of tokens: documents per search, and the number of tokens (with the query) above which
   * a document counts again.
   */
  readonly billing?: { readonly documents: number; readonly tokens: number }
}
