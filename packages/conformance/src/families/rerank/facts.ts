import type { Json } from '@headgate/core/provider'
import type { Received } from '../../upstream.ts'

/** Meaning of a rerank request. */
export interface RerankMeaning {
  readonly query: string
  readonly documents: readonly string[]
  /** Number of results to return. Absent: all. */
  readonly top?: number | undefined
}

export interface RerankAnswer {
  /** Results in descending order of score. */
  readonly results: readonly { readonly index: number; readonly score: number }[]
  readonly tokens: number
  readonly searches: number
}

/** Upstream with reranking. The defaults are the shape that most vendors share. */
export interface RerankFacts {
  /** Rerank model. */
  readonly model: string
  /** Path of requests, without the host; `{model}` is a placeholder for the model. */
  readonly path: string | readonly string[]
  /** Maximum number of documents in one request. Absent if no limit is known. */
  readonly most?: number
  /** Unit of the vendor's usage. Default: tokens. */
  readonly counts?: 'tokens' | 'searches' | 'nothing'
  /**
   * The vendor's interpretation of a request. Write it from the vendor's documentation, not from the adapter.
   *
   * @throws for requests that the vendor would reject
   */
  read?(request: Received): RerankMeaning
  /** The vendor's response to `request`. */
  write?(answer: RerankAnswer, request: Received): Json
  /** Error body for a status. Default: `{ message }`. */
  error?(status: number, message: string): object
}
