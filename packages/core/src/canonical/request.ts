import type { Block, CacheMark, Node } from './block.ts'
import type { Json } from './json.ts'

/**
 * Turn of a conversation. Tool results are blocks of `user` turns. Consecutive turns of one role are equivalent to one
 * turn; writers merge or split them as their format requires. `system` turns keep their position; those before the
 * first other turn are the system prompt.
 */
export interface Message extends Node {
  role: 'system' | 'user' | 'assistant'
  /** True for a system turn with the role `developer`. */
  developer?: boolean
  blocks: Block[]
  /** Name of the participant. */
  name?: string
}

/** Tool of a request. */
export type Tool = FunctionTool | CustomTool | HostedTool

/** Tool of the caller with JSON arguments. */
export interface FunctionTool extends Node {
  type: 'function'
  name: string
  description?: string
  /** JSON Schema of the arguments as the caller wrote it. Never mutated. Absent: no parameters. */
  schema?: Json
  strict?: boolean
  /** Path of the field that sets `strict`, if it is not a field of the tool. */
  strictAt?: string
  cache?: CacheMark
  /**
   * Declaration of a tool that the vendor of its format defines and the caller runs. It is written to that format;
   * other formats get the function instead.
   */
  vendors?: Json
  /**
   * Namespace in which the caller declared the tool. The name is then `<namespace>__<name>`, for formats without
   * namespaces.
   */
  namespace?: string
}

/** Tool whose input is free text, optionally with a grammar. */
export interface CustomTool extends Node {
  type: 'custom'
  name: string
  description?: string
  /** `format` object of chat completions. */
  grammar?: Json
  /** See `FunctionTool.namespace`. */
  namespace?: string
}

/** Tool that the provider runs. `name` is Headgate's name if several formats support the tool. */
export interface HostedTool extends Node {
  type: 'hosted'
  /** `web-search`, `code-execution`, `url-context`, or the name in its format. */
  name: string
  /** Options that several formats share. */
  location?: { city?: string; country?: string; region?: string; timezone?: string }
  contextSize?: 'low' | 'medium' | 'high'
  /** Maximum calls. */
  maxUses?: number
  allowedDomains?: string[]
  blockedDomains?: string[]
}

/** Restriction of the tools that the model can or must call. */
export type ToolChoice =
  | { type: 'auto' | 'none' | 'required' }
  | { type: 'tool'; name: string }
  /**
   * Restricts the choice to these tools, including hosted tools if any of them is named. `required`: one of them must
   * be called.
   */
  | { type: 'allowed'; names: string[]; required: boolean }

/** Format of the response's text. */
export type OutputFormat =
  | { type: 'text' }
  | { type: 'json' }
  | { type: 'schema'; schema: Json; name?: string; description?: string; strict?: boolean }

/** Reasoning efforts in ascending order. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
/** Reasoning effort. */
export type Effort = (typeof EFFORTS)[number]

/**
 * Reasoning settings. At most one of `effort`, `budget` and `adaptive` is decisive; `effort: 'none'` disables
 * reasoning.
 */
export interface Reasoning {
  effort?: Effort
  /** Tokens; -1: the model decides. */
  budget?: number
  /** True if the model decides, guided by `effort`. */
  adaptive?: boolean
  /** True if the caller requests a summary of the reasoning. */
  show?: boolean
}

/** Fields of a request with different paths in each format. Losses have the path in the caller's format. */
export type RequestField =
  | 'maxTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'stop'
  | 'seed'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'n'
  | 'logprobs'
  | 'logitBias'
  | 'output'
  | 'reasoning'
  | 'tools'
  | 'toolChoice'
  | 'parallelTools'
  | 'user'
  | 'metadata'
  | 'serviceTier'
  | 'verbosity'
  | 'cache'

/** Request of the chat family in canonical form. */
export interface ChatRequest extends Node {
  /** Model in the caller's request. */
  model: string
  messages: Message[]
  /** True if the last turn is the start of the response, which the model continues. */
  prefilled?: true
  stream: boolean
  /** True if the caller requests usage in the stream. Always true for formats that always report it. */
  streamUsage: boolean
  tools?: Tool[]
  toolChoice?: ToolChoice
  /** True if the model can call several tools in one turn. Absent: the provider's default. */
  parallelTools?: boolean
  maxTokens?: number
  temperature?: number
  topP?: number
  topK?: number
  stop?: string[]
  seed?: number
  presencePenalty?: number
  frequencyPenalty?: number
  /** Number of choices. Default 1. */
  n?: number
  /** Log probabilities of tokens, with `top` alternatives each. */
  logprobs?: { top: number }
  logitBias?: Json
  output?: OutputFormat
  reasoning?: Reasoning
  /**
   * True if the caller requests encrypted reasoning, to send it back. Not needed in formats that always include signed
   * reasoning.
   */
  encryptedReasoning?: boolean
  user?: string
  metadata?: Json
  /** Service tier in Headgate's terms: `auto`, `default`, `flex`, `priority`. */
  serviceTier?: string
  verbosity?: 'low' | 'medium' | 'high'
  /** Caches the whole prompt (Anthropic's top-level `cache_control`). */
  cache?: CacheMark
  /** Paths of the fields above in the body that was read. */
  paths: Readonly<Partial<Record<RequestField, string>>>
}
