import type { Block, CacheMark, Node } from './block.ts'
import type { Json } from './json.ts'

/**
 * A turn. Tool results are blocks of `user` turns. Consecutive turns of one role are allowed and mean the same as one
 * turn: writers merge or split them as their format needs. `system` turns stand where the caller put them; those before
 * the first other turn are the system prompt.
 */
export interface Message extends Node {
  role: 'system' | 'user' | 'assistant'
  /** A system turn that its format calls `developer`. */
  developer?: boolean
  blocks: Block[]
  /** Name of the participant. */
  name?: string
}

export type Tool = FunctionTool | CustomTool | HostedTool

export interface FunctionTool extends Node {
  type: 'function'
  name: string
  description?: string
  /** JSON Schema of the arguments as the caller wrote it; never mutated. Absent = no parameters. */
  schema?: Json
  strict?: boolean
  /** Path of the field that asks for `strict`, where it is none of the tool's own. */
  strictAt?: string
  cache?: CacheMark
  /**
   * Declaration of a tool that the vendor of its format defines and the caller runs. It is written to that format
   * instead of the function, which stands for it in others.
   */
  vendors?: Json
  /**
   * The namespace that the caller declared it in. Its name is then `<namespace>__<name>`, which is what formats without
   * namespaces have.
   */
  namespace?: string
}

/** A tool whose input is free text, maybe under a grammar. */
export interface CustomTool extends Node {
  type: 'custom'
  name: string
  description?: string
  /** The `format` object as chat completions has it. */
  grammar?: Json
  /** See `FunctionTool.namespace`. */
  namespace?: string
}

/** A tool that the provider runs itself. `name` is Headgate's word for it where several formats have it. */
export interface HostedTool extends Node {
  type: 'hosted'
  /** `web-search`, `code-execution`, `url-context`, or the format's own name. */
  name: string
  /** Options that several formats share. */
  location?: { city?: string; country?: string; region?: string; timezone?: string }
  contextSize?: 'low' | 'medium' | 'high'
  /** At most so many calls. */
  maxUses?: number
  allowedDomains?: string[]
  blockedDomains?: string[]
}

export type ToolChoice =
  | { type: 'auto' | 'none' | 'required' }
  | { type: 'tool'; name: string }
  /**
   * Only these tools, of those that the provider runs as well where any of them is named: `required` when one of them
   * must be called.
   */
  | { type: 'allowed'; names: string[]; required: boolean }

/** What the answer's text must be. */
export type OutputFormat =
  | { type: 'text' }
  | { type: 'json' }
  | { type: 'schema'; schema: Json; name?: string; description?: string; strict?: boolean }

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/**
 * How much the model thinks before it answers. At most one of `effort`, `budget` and `adaptive` decides; `effort:
 * 'none'` switches it off.
 */
export interface Reasoning {
  effort?: Effort
  /** Tokens; -1 = the model decides. */
  budget?: number
  /** The model decides how much, guided by `effort`. */
  adaptive?: boolean
  /** Whether the caller wants to see a summary of the reasoning. */
  show?: boolean
}

/** Fields of a request whose wire path differs between formats. Losses are named by the caller's own. */
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

/** A request of the chat family, free of any wire format. */
export interface ChatRequest extends Node {
  /** Model as the caller named it. */
  model: string
  messages: Message[]
  /** Whether the last turn is the beginning of the answer, which the model continues. */
  prefilled?: true
  stream: boolean
  /** The caller asked for usage within the stream (formats that always report it: true). */
  streamUsage: boolean
  tools?: Tool[]
  toolChoice?: ToolChoice
  /** Whether several tools may be called in one turn; absent = the provider's default. */
  parallelTools?: boolean
  maxTokens?: number
  temperature?: number
  topP?: number
  topK?: number
  stop?: string[]
  seed?: number
  presencePenalty?: number
  frequencyPenalty?: number
  /** Number of answers; absent = 1. */
  n?: number
  /** Log probabilities of the tokens, with so many alternatives each. */
  logprobs?: { top: number }
  logitBias?: Json
  output?: OutputFormat
  reasoning?: Reasoning
  /**
   * The caller wants encrypted reasoning in the answer, to send it back. Formats in which signed reasoning always comes
   * along need not be asked.
   */
  encryptedReasoning?: boolean
  user?: string
  metadata?: Json
  /** Headgate's words: `auto`, `default`, `flex`, `priority`. */
  serviceTier?: string
  verbosity?: 'low' | 'medium' | 'high'
  /** Cache the whole prompt (Anthropic's top-level `cache_control`). */
  cache?: CacheMark
  /** Wire paths of the fields above in the body that was read. */
  paths: Readonly<Partial<Record<RequestField, string>>>
}
