import type { Json } from './json.ts'

/**
 * Vendor extensions: fields of a node that only one format has. They are written again for that format; for any other
 * format, each field is lost.
 */
export interface VendorExtensions {
  /** Id of the format that the fields were read from. */
  readonly format: string
  readonly fields: Json
  /** Fields without which the request would mean something else. Writers of other formats reject it. */
  readonly essential?: readonly string[]
}

/** Optional members of all nodes of a request or response. */
export interface Node {
  /** Path of the node in the body that it was read from: `messages[2].content[0]`. Losses and errors contain it. */
  at?: string
  extensions?: VendorExtensions
  /** Id of the node at the vendor of its format. Other vendors cannot use it, so omitting it is not a loss. */
  ref?: string
}

/** Marker that the prompt up to this node may be cached. */
export interface CacheMark {
  /** Lifetime in the vendor's notation (`5m`, `1h`). Absent: the vendor's default. */
  ttl?: string
  /** True for OpenAI's `prompt_cache_breakpoint`. */
  breakpoint?: boolean
}

/** Opaque proof that a model created a piece of content. Only its signer can verify it. */
export interface Signature {
  /** Model family that created the signature and can verify it, such as `claude`. Several clouds may serve it. */
  signer: string
  /** Value of the signer, unchanged. */
  value: string
}

/** Source of a passage in a response. */
export interface Citation {
  url?: string
  title?: string
  /** Quoted passage of the source. */
  cited?: string
  /** Span of the answer's text block that the citation supports, in UTF-16 code units. */
  start?: number
  end?: number
  /** Citation as its format wrote it. */
  extensions?: VendorExtensions
}

/** Text, with its citations. */
export interface TextBlock extends Node {
  type: 'text'
  text: string
  citations?: Citation[]
  cache?: CacheMark
  signature?: Signature
}

/** Reasoning of a model. `text` may be empty if reasoning is omitted or encrypted, and only its signature is known. */
export interface ReasoningBlock extends Node {
  type: 'reasoning'
  text: string
  signature?: Signature
  /**
   * True if the signature contains the encrypted reasoning (Anthropic `redacted_thinking`, OpenAI `encrypted_content`).
   */
  redacted?: boolean
  /** True if `text` is the full reasoning, in formats that distinguish it from a summary. */
  raw?: boolean
}

/** Content of media. */
export type MediaSource =
  /** `data` is standard base64 without whitespace. */
  | { type: 'base64'; data: string }
  | { type: 'url'; url: string }
  /** File at the provider. Ids are valid only at the provider that issued them. */
  | { type: 'file'; id: string }
  /** Document as plain text. */
  | { type: 'text'; text: string }

/** Image, document, sound or video, in requests and responses. */
export interface MediaBlock extends Node {
  type: 'media'
  kind: 'image' | 'document' | 'audio' | 'video'
  /** Media type in lower case: `image/png`, `application/pdf`. Absent for a URL of unknown type. */
  mime?: string
  /** Declared media type, if the first bytes show another type. */
  declared?: string
  source: MediaSource
  /** File name or title. */
  name?: string
  /** Resolution at which the model sees an image. */
  detail?: 'auto' | 'low' | 'high'
  /** Transcript of a sound. */
  transcript?: string
  /** Settings of an image from the gateway's image tool. Formats without such fields leave them out. */
  made?: {
    readonly prompt?: string | undefined
    readonly size?: string | undefined
    readonly quality?: string | undefined
    readonly background?: string | undefined
  }
  cache?: CacheMark
  signature?: Signature
}

/** Call of a tool of the caller. */
export interface ToolCallBlock extends Node {
  type: 'tool-call'
  id: string
  name: string
  /** Arguments as JSON text, to preserve numbers and key order. Free text for a custom tool. */
  arguments: string
  /** True for a call of a custom (free text) tool. */
  custom?: boolean
  /** Namespace, which is a prefix of the name. See `FunctionTool.namespace`. */
  namespace?: string
  cache?: CacheMark
  signature?: Signature
}

/** Result of a call of a caller's tool. */
export interface ToolResultBlock extends Node {
  type: 'tool-result'
  /** Id of the tool call. */
  id: string
  /** Name of the tool, if the format has it. */
  name?: string
  blocks: Block[]
  error?: boolean
  /** True for a custom tool, in formats that distinguish it. */
  custom?: boolean
  cache?: CacheMark
}

/** Page in search results. */
export interface FoundPage {
  readonly url: string
  readonly title?: string
  readonly snippet?: string
  /** Publication date in the search's notation. */
  readonly published?: string
}

/** Call of a tool that the provider runs, such as its web search. */
export interface HostedCallBlock extends Node {
  type: 'hosted-call'
  id: string
  name: string
  /** True if the gateway ran the tool, for a provider without it. */
  gateway?: true
  /** Results of the gateway's search, for formats whose calls contain them. Absent: the search failed. */
  found?: readonly FoundPage[]
  /** Raw JSON text. */
  arguments: string
  /** Output of executed code, in formats whose calls contain it. */
  output?: string
}

/** Result of a hosted call as its format wrote it (in the vendor extensions), with its text if it has any. */
export interface HostedResultBlock extends Node {
  type: 'hosted-result'
  id: string
  name: string
  text?: string
  /** True if the tool failed. */
  error?: boolean
  /** True if the gateway ran the tool. */
  gateway?: true
  /** Results of the gateway's search. Absent: the search failed. */
  found?: readonly FoundPage[]
}

/** Refusal of the model. */
export interface RefusalBlock extends Node {
  type: 'refusal'
  text: string
}

/** Unit of content. */
export type Block =
  | TextBlock
  | ReasoningBlock
  | MediaBlock
  | ToolCallBlock
  | ToolResultBlock
  | HostedCallBlock
  | HostedResultBlock
  | RefusalBlock

/** Prefix of ids of the gateway's searches, after the prefix of their format. */
export const OWN_SEARCH = 'hg'

/**
 * True for a block of the gateway's search. Formats without such blocks leave it out, since its results are cited.
 * @example if (isOwnSearch(block)) continue
 */
export function isOwnSearch(block: Block): boolean {
  return (block.type === 'hosted-call' || block.type === 'hosted-result') && block.gateway === true
}

/**
 * Blocks of one type.
 * @example const calls = blocksOf(message.blocks, 'tool-call')
 */
export function blocksOf<T extends Block['type']>(blocks: readonly Block[], type: T): Extract<Block, { type: T }>[] {
  return blocks.filter((block): block is Extract<Block, { type: T }> => block.type === type)
}
