import type { Block, Node } from './block.ts'
import type { Usage } from './usage.ts'

/** Reason why a response ended, in canonical terms. */
export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  /** The provider paused a long turn. Send the response back to continue. */
  | 'pause'

/** Reason why a response ended. */
export interface Finish {
  reason: FinishReason
  /** The upstream's value. */
  raw?: string
  /** Stop sequence that ended the response. */
  sequence?: string
  /** The upstream's explanation of a refusal. */
  detail?: string
}

/** Token with its log probability. */
export interface TokenLogprob {
  token: string
  logprob: number
  bytes?: number[] | null
  top?: { token: string; logprob: number; bytes?: number[] | null }[]
}

/** Choice of a response. Most responses have one. */
export interface Choice extends Node {
  blocks: Block[]
  finish: Finish
  logprobs?: TokenLogprob[]
}

/** Whole response of the chat family. */
export interface ChatResponse extends Node {
  id?: string
  /** Model that the upstream reported. */
  model?: string
  /** Unix time in seconds. */
  created?: number
  choices: Choice[]
  usage?: Usage
}
