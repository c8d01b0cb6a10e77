import type { Block, Node } from './block.ts'
import type { Usage } from './usage.ts'

export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  /** The provider paused a long turn: send the answer back to go on. */
  | 'pause'

/** Why an answer ended. */
export interface Finish {
  reason: FinishReason
  /** The upstream's own word. */
  raw?: string
  /** The stop sequence that was met. */
  sequence?: string
  /** Why content was refused, in the upstream's words. */
  detail?: string
}

/** One token and the likelihood of it. */
export interface TokenLogprob {
  token: string
  logprob: number
  bytes?: number[] | null
  top?: { token: string; logprob: number; bytes?: number[] | null }[]
}

export interface Choice extends Node {
  blocks: Block[]
  finish: Finish
  logprobs?: TokenLogprob[]
}

/** A whole answer of the chat family. */
export interface ChatResponse extends Node {
  id?: string
  /** The model that answered, as the upstream reported it. */
  model?: string
  /** Unix time in seconds. */
  created?: number
  choices: Choice[]
  usage?: Usage
}
