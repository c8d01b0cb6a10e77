import type { UpstreamError } from '../errors.ts'
import type { Block, Citation, Signature, VendorExtensions } from './block.ts'
import type { Finish, TokenLogprob } from './response.ts'
import type { Usage } from './usage.ts'

/** Addition to an open block. Text, arguments and citations are appended; a signature replaces the previous one. */
export interface Delta {
  text?: string
  arguments?: string
  signature?: Signature
  citations?: Citation[]
}

/**
 * Event of a canonical stream. A stream consists of one `start`; blocks, each with start, deltas and end under an
 * `index` (several can be open at the same time); any number of `usage`, of which the last counts; at most one `rest`
 * before the first `finish`, with vendor extensions of the response that arrived after `start`; and one `finish` per
 * choice. An `error` ends the stream. `choice` defaults to 0, and each choice has its own indices.
 *
 * `image` announces the image block with the same `ref`, which the gateway creates, or tells that it failed. Formats
 * without such events ignore it.
 */
export type Part =
  | { type: 'start'; id?: string; model?: string; created?: number; extensions?: VendorExtensions }
  | { type: 'block-start'; index: number; block: Block; choice?: number }
  | { type: 'block-delta'; index: number; delta: Delta; choice?: number }
  | { type: 'block-end'; index: number; choice?: number }
  | { type: 'image'; ref: string; state: 'generating' | 'failed' }
  | { type: 'logprobs'; tokens: TokenLogprob[]; choice?: number }
  | { type: 'usage'; usage: Usage }
  | { type: 'rest'; extensions: VendorExtensions }
  | { type: 'finish'; finish: Finish; choice?: number; extensions?: VendorExtensions }
  | { type: 'error'; error: UpstreamError }
