import type { Json } from '@headgate/core/provider'

/** Formats of callers and upstreams. */
export const FORMATS = ['chat-completions', 'messages', 'generate-content', 'responses'] as const
export type KitFormat = (typeof FORMATS)[number]

/** Tool call. */
export interface ToolUse {
  readonly name: string
  /** Parsed JSON. */
  readonly arguments: unknown
  /** Opaque proof of the reasoning behind the call, in formats that put it here. */
  readonly signature?: string
}

/** Element of a request, in the order in which the model reads them. */
export type ExpectedPart =
  | { readonly role: 'system' | 'user' | 'assistant'; readonly text: string }
  | { readonly role: 'user'; readonly media: string; readonly base64: string }
  | { readonly role: 'assistant'; readonly call: ToolUse }
  /** `of` is the number of the call that it answers, in the order of calls. */
  | { readonly role: 'user'; readonly result: string; readonly of: number }
  | { readonly role: 'assistant'; readonly reasoning: string; readonly signature?: string }

export interface OfferedTool {
  readonly name: string
  readonly description?: string
  readonly schema?: Json
}

/** Options of a request, without its turns. */
export interface RequestOptions {
  readonly tools?: readonly OfferedTool[]
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly stop?: readonly string[]
  /** JSON Schema of the answer. */
  readonly schema?: Json
  /** Enables reasoning. */
  readonly reasoning?: boolean
}

/** Meaning of a request, independent of any wire format. */
export interface RequestMeaning extends RequestOptions {
  readonly said: readonly ExpectedPart[]
}

/** Token counts. Totals include cached tokens. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
}

/** Meaning of a response, independent of any wire format. */
export interface AnswerMeaning {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolUse[]
  readonly finish: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'unknown'
  /** Absent if the response has no usage. */
  readonly usage?: Tokens
}

/** Response as read, including violations of its format. */
export interface ReadAnswer {
  readonly meaning: AnswerMeaning
  /** Violations of the wire format, as messages. Empty for a valid response. */
  readonly problems: readonly string[]
  /** Message of the error that ended a stream. */
  readonly error?: string
}
