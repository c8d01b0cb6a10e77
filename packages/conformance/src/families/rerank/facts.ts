import type { Json } from '@headgate/core/provider'
import type { Received } from '../../upstream.ts'

/** What a vendor is asked to put in order. */
export interface AskedRanking {
  readonly query: string
  readonly documents: readonly string[]
  /** How many of the best are wanted; absent = all. */
  readonly top?: number | undefined
}

export interface MadeRanking {
  /** The best first. */
  readonly results: readonly { readonly index: number; readonly score: number }[]
  readonly tokens: number
  readonly searches: number
}

/** An upstream that puts documents in order. What is absent is as in the shape that most share. */
export interface RerankFacts {
  /** A model that ranks. */
  readonly model: string
  /** Where it takes requests, without the host; `{model}` stands for the model. */
  readonly path: string | readonly string[]
  /** Most documents of one request. Absent = no limit is known. */
  readonly most?: number
  /** What it counts, if anything; default tokens. */
  readonly counts?: 'tokens' | 'searches' | 'nothing'
  /**
   * What the vendor understands of a request; throws what it would refuse. Written from its documentation, not from the
   * adapter.
   */
  read?(request: Received): AskedRanking
  /** The vendor's answer, with `request` what it answers. */
  write?(answer: MadeRanking, request: Received): Json
  /** The body of an error with a status. Default: `{ message }`. */
  error?(status: number, message: string): object
}
