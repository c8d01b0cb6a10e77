import type { Json } from './json.ts'

/**
 * What only one format knows about a node. It comes back when the node is written to that format;
 * to any other format every field of it is a loss.
 */
export interface Side {
  /** Id of the format that the fields were read from. */
  readonly format: string
  readonly fields: Json
  /** Fields without which the request means something else: writers of other formats refuse it. */
  readonly essential?: readonly string[]
}

/** What every node of a request or answer may carry. */
export interface Node {
  /** Path of the node in the wire body that it was read from: `messages[2].content[0]`. Losses and errors name it. */
  at?: string
  side?: Side
  /** Id under which the vendor of its format keeps the node. It means nothing to another vendor, so it is no loss. */
  ref?: string
}

/** A mark that the prompt up to here may be cached. */
export interface CacheMark {
  /** How long, as the vendor writes it (`5m`, `1h`); absent = the vendor's default. */
  ttl?: string
  /** The caller marked it by OpenAI's `prompt_cache_breakpoint`. */
  breakpoint?: boolean
}

/** Opaque proof that a model made a piece of content. Only its signer can read it. */
export interface Signature {
  /** Who made it and can verify it: a model family that several clouds may serve, such as `claude`. */
  signer: string
  /** The value as the signer wrote it, byte for byte. */
  value: string
}

/** Where a passage of an answer comes from. */
export interface Citation {
  url?: string
  title?: string
  /** The passage that is quoted. */
  cited?: string
  /** Span of the answer's text block that the citation supports, in UTF-16 code units. */
  start?: number
  end?: number
  /** The citation as its format wrote it. */
  side?: Side
}

export interface TextBlock extends Node {
  type: 'text'
  text: string
  citations?: Citation[]
  cache?: CacheMark
  signature?: Signature
}

/** What a model thought. `text` may be empty when only the signature is known (omitted or encrypted reasoning). */
export interface ReasoningBlock extends Node {
  type: 'reasoning'
  text: string
  signature?: Signature
  /**
   * The signature's value is the encrypted reasoning itself (Anthropic `redacted_thinking`, OpenAI
   * `encrypted_content`).
   */
  redacted?: boolean
  /** `text` is the reasoning itself, where its format tells that from a summary. */
  raw?: boolean
}

export type MediaSource =
  /** `data` is standard base64 without white space. */
  | { type: 'base64'; data: string }
  | { type: 'url'; url: string }
  /** A file at the provider: only the provider that issued the id knows it. */
  | { type: 'file'; id: string }
  /** A document as plain text. */
  | { type: 'text'; text: string }

/** An image, document, sound or film; in answers too. */
export interface MediaBlock extends Node {
  type: 'media'
  kind: 'image' | 'document' | 'audio' | 'video'
  /** Media type, lower case: `image/png`, `application/pdf`. Absent for a URL whose type is not known. */
  mime?: string
  /** The media type that was declared, where a reader has gone by the first bytes instead. */
  declared?: string
  source: MediaSource
  /** File name or title. */
  name?: string
  /** How closely an image is looked at. */
  detail?: 'auto' | 'low' | 'high'
  /** Spoken words of a sound. */
  transcript?: string
  cache?: CacheMark
  signature?: Signature
}

/** A call of one of the caller's tools. */
export interface ToolCallBlock extends Node {
  type: 'tool-call'
  id: string
  name: string
  /** The arguments as raw JSON text (so that numbers and key order survive); for a custom tool the free text. */
  arguments: string
  /** A call of a custom (free text) tool. */
  custom?: boolean
  /** Namespace of the tool, with which its name begins, see `FunctionTool.namespace`. */
  namespace?: string
  cache?: CacheMark
  signature?: Signature
}

export interface ToolResultBlock extends Node {
  type: 'tool-result'
  /** Id of the tool call that it answers. */
  id: string
  /** Name of the tool, where the format says it. */
  name?: string
  blocks: Block[]
  error?: boolean
  /** The result of a call of a custom tool, where the format tells. */
  custom?: boolean
  cache?: CacheMark
}

/** A page that a search has found. */
export interface FoundPage {
  readonly url: string
  readonly title?: string
  readonly snippet?: string
  /** When it was published, as the search says it. */
  readonly published?: string
}

/** A call of a tool that the provider runs itself, such as its web search. */
export interface HostedCallBlock extends Node {
  type: 'hosted-call'
  id: string
  name: string
  /** The gateway itself has run it, for a provider that has none. */
  gateway?: true
  /** What the gateway's own search has found, for formats whose calls hold it; absent = it has failed. */
  found?: readonly FoundPage[]
  /** Raw JSON text. */
  arguments: string
  /** Output of the code that it ran, in formats whose calls hold it. */
  output?: string
}

/** The result of a hosted call, as its format wrote it (in `side`), with its text where it has one. */
export interface HostedResultBlock extends Node {
  type: 'hosted-result'
  id: string
  name: string
  text?: string
  /** The tool failed. */
  error?: boolean
  /** The gateway itself has run it. */
  gateway?: true
  /** What the gateway's own search has found; absent = it has failed. */
  found?: readonly FoundPage[]
}

export interface RefusalBlock extends Node {
  type: 'refusal'
  text: string
}

/** A unit of content. */
export type Block =
  | TextBlock
  | ReasoningBlock
  | MediaBlock
  | ToolCallBlock
  | ToolResultBlock
  | HostedCallBlock
  | HostedResultBlock
  | RefusalBlock

/** How the ids of the gateway's own searches begin, behind what their format begins ids with. */
export const OWN_SEARCH = 'hg'

/** Whether a block is of the gateway's own search. Formats without such blocks leave it out: what it found is cited. */
export function isOwnSearch(block: Block): boolean {
  return (block.type === 'hosted-call' || block.type === 'hosted-result') && block.gateway === true
}

/** The blocks of one type. */
export function blocksOf<T extends Block['type']>(blocks: readonly Block[], type: T): Extract<Block, { type: T }>[] {
  return blocks.filter((block): block is Extract<Block, { type: T }> => block.type === type)
}
