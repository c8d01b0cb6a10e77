import type { UpstreamError } from '../errors.ts'
import type { Block, Citation, Side, Signature } from './block.ts'
import type { Finish, TokenLogprob } from './response.ts'
import type { Usage } from './usage.ts'

/** What is added to an open block. Text and arguments append; a signature replaces; citations append. */
export interface Delta {
  text?: string
  arguments?: string
  signature?: Signature
  citations?: Citation[]
}

/**
 * An event of a canonical stream. The grammar: one `start`; blocks, each opened, added to and closed under its own
 * `index` (several may be open at once); any number of `usage`, the last one counts; at most one `rest`, what was said
 * of the whole answer after its `start`, before the first `finish`; one `finish` a choice. An `error` ends the stream.
 * `choice` is the number of the answer, by default 0; indices are counted per choice.
 */
export type Part =
  | { type: 'start'; id?: string; model?: string; created?: number; side?: Side }
  | { type: 'block-start'; index: number; block: Block; choice?: number }
  | { type: 'block-delta'; index: number; delta: Delta; choice?: number }
  | { type: 'block-end'; index: number; choice?: number }
  | { type: 'logprobs'; tokens: TokenLogprob[]; choice?: number }
  | { type: 'usage'; usage: Usage }
  | { type: 'rest'; side: Side }
  | { type: 'finish'; finish: Finish; choice?: number; side?: Side }
  | { type: 'error'; error: UpstreamError }
