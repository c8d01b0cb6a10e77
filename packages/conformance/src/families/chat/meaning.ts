import type { Json } from '@headgate/core/provider'

/** The formats that callers and upstreams speak. */
export const FORMATS = ['chat-completions', 'messages', 'generate-content', 'responses'] as const
export type FormatId = (typeof FORMATS)[number]

/** A call of a tool. */
export interface Call {
  readonly name: string
  /** Parsed. */
  readonly arguments: unknown
  /** Opaque proof of the reasoning that led to the call, where the format puts it here. */
  readonly signature?: string
}

/** One thing that stands in a request, in the order in which the model reads it. */
export type Said =
  | { readonly role: 'system' | 'user' | 'assistant'; readonly text: string }
  | { readonly role: 'user'; readonly media: string; readonly base64: string }
  | { readonly role: 'assistant'; readonly call: Call }
  /** `of` is the number of the call that it answers, in the order of calls. */
  | { readonly role: 'user'; readonly result: string; readonly of: number }
  | { readonly role: 'assistant'; readonly reasoning: string; readonly signature?: string }

export interface Tool {
  readonly name: string
  readonly description?: string
  readonly schema?: Json
}

/** What a request says beside its turns. */
export interface RequestOptions {
  readonly tools?: readonly Tool[]
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly stop?: readonly string[]
  /** JSON Schema that the answer must follow. */
  readonly schema?: Json
  /** The model is asked to think. */
  readonly reasoning?: boolean
}

/** What a request means, free of any wire format. */
export interface RequestMeaning extends RequestOptions {
  readonly said: readonly Said[]
}

/** Tokens; totals include what was read from a cache. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
}

/** What an answer means, free of any wire format. */
export interface AnswerMeaning {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly Call[]
  readonly finish: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'unknown'
  /** Absent where the answer does not say. */
  readonly usage?: Tokens
}

/** An answer as it was read, with what its format forbids. */
export interface ReadAnswer {
  readonly meaning: AnswerMeaning
  /** What is wrong with the wire form, in words; empty = nothing. */
  readonly problems: readonly string[]
  /** Message of an error that ended a stream. */
  readonly error?: string
}
