import type { z } from 'zod'
import type { HeadgateError, UpstreamError } from '../errors.ts'
import type { MediaBlock } from './block.ts'
import type { FieldNames } from './field-names.ts'
import type { Json } from './json.ts'
import type { Loss } from './loss.ts'
import type { IdPlaces } from './named-ids.ts'
import type { Part } from './part.ts'
import type { ChatRequest } from './request.ts'
import type { ChatResponse, Finish } from './response.ts'
import type { Target } from './target.ts'
import type { Usage } from './usage.ts'

/** Unit of a framed stream: a server-sent event, or a JSON value in another framing. */
export interface Frame {
  event?: string
  data: string
}

/** Parameters in the request line, for formats with the model in the path. */
export interface RequestLine {
  model?: string
  stream?: boolean
}

/** Properties of the provider whose response is read. */
export interface Origin {
  /** Signer of reasoning, see `ChatSupport.signer`. */
  signer?: string
}

/** Properties of the request whose response is written. */
export interface Reply {
  /** Id of the request. Becomes the id of the response if the format requires one and the upstream sent none. */
  id: string
  /** Model to report if the upstream reported none. */
  model: string
  request: ChatRequest
  /** Framing of a stream; default `sse`. */
  framing?: 'sse' | 'json-array'
  /** Set if the response is stored, so that later requests can refer to it. */
  storage?: ResponseStorage
}

/** Stored response, in a format that supports it. */
export interface ResponseStorage {
  /** Id of the response, which replaces the upstream's. */
  readonly id: string
  /** Id of the previous response, as the caller sent it. */
  readonly previous?: string
  /** True if the response can be retrieved. */
  readonly stored: boolean
  /** True if the response is created in the background. */
  readonly background?: boolean
  /** Number of events that were sent before this stream, including the announcement of the response. Default 0. */
  readonly announced?: number
  /** Receives the whole response after it is written. */
  save(answer: Json): void
}

/** Converts frames to parts. Synchronous and stateful. It throws only HeadgateError. */
export interface StreamReader {
  push(frame: Frame): Part[]
  /** Called after the upstream's last byte. Returns the end of open blocks, or an error if the stream was cut. */
  end(): Part[]
  /**
   * True once the finish reason has arrived, even before its part is emitted. Only usage follows. Default: true after
   * the `finish` part.
   */
  readonly finishing?: boolean
}

/** Converts parts to wire text. Synchronous and stateful. */
export interface StreamWriter {
  push(part: Part): string
  end(): string
  /**
   * Last frames of this stream for an error. Absent: `Format.writeStreamError`, which does not depend on earlier
   * frames.
   */
  fail?(error: HeadgateError): string
}

/** Changes of a request to fit its target, for restoring the response. */
export interface Restore {
  /** The caller's tool names, by the names that were sent. */
  names?: ReadonlyMap<string, string>
  /** Custom tools (caller's names) that were sent as functions `{ input: string }`. */
  custom?: ReadonlySet<string>
  /** Function that represents a structured output. Its arguments are the text of the response. */
  outputTool?: string
  /** Functions (caller's names) whose arguments were wrapped in an object, see `unwrapping`. */
  wrapped?: ReadonlySet<string>
  /** True if the structured output was wrapped in an object. */
  wrapsOutput?: boolean
  /** Start of the response that the request contained. Some vendors repeat it in the response. */
  prefix?: string
}

/** Written request, with its changes for restoring the response. */
export interface WrittenRequest {
  body: Json
  restore?: Restore
}

/** Change of a body's bytes. */
export interface Edit {
  /** Keys and indices from the top. */
  path: readonly (string | number)[]
  /** New value. A missing last key is inserted. */
  value?: unknown
  /** Keys to remove from the object at the path, instead of setting a value. */
  without?: readonly string[]
}

/** Normalizations that a vendor requires for bodies in its format. */
export interface Normalization {
  edits: Edit[]
  /** Losses of the edits. */
  lost?: readonly Loss[]
  /** Selects frames of the response that the caller did not request. */
  hides?: (frame: Frame) => boolean
  /**
   * True if edits are not sufficient, since the body has signatures that its vendor cannot verify. It is then read and
   * written.
   */
  rewrite?: boolean
}

/** Properties of a response that bypasses translation. */
export interface ResponseSummary {
  usage?: Usage
  finish?: Finish
  /** Model that the upstream reported. */
  model?: string
  id?: string
  /** Further ids for later requests: ids of its items, and of objects that its tools created. */
  items?: readonly string[]
}

/** References of a body to earlier responses. */
export interface References {
  /** Id of the response that this request continues. */
  readonly previous?: string
  /** True if the response must be stored. */
  readonly keeps: boolean
  /** True for a background request. */
  readonly background: boolean
  /** Body with references replaced by their content: earlier input and output, and items by their ids. */
  resolved(known: Resolve): Json
  /** Further ids by which later requests can refer to a response. */
  names(answer: Json): readonly string[]
  /** All input items of a body whose references are resolved. */
  inputItems(body: Json): readonly unknown[]
}

/** Writer of responses that are created in the background. */
export interface BackgroundResponses {
  queued(reply: Reply): Json
  /** First event of a stream, which announces the response `open`. */
  announced(open: Json): string
  /** Last events of a stream that failed after `count` events. */
  failed(open: Json, error: HeadgateError, count: number): string
  /** Response that ended with an error. */
  ended(answer: Json, error: HeadgateError): Json
  /** True if the response is not finished. */
  isOpen(answer: Json): boolean
}

/** Lookup of stored responses and items. */
export interface Resolve {
  /** Response that the request continues. Undefined if it is stored at a provider. */
  readonly before?: { readonly input: readonly unknown[]; readonly answer: Json }
  /** Item by its id. Undefined if it is stored at a provider. */
  item(id: string): unknown
}

/** Fields that limit the output of a request. */
export interface LimitNames {
  /** Maximum output tokens of one choice. */
  readonly outputs: readonly string[]
  /** Number of choices. */
  readonly counts: readonly string[]
  /** Objects of the body that contain these fields. */
  readonly within: readonly string[]
}

/** Output limits of a format. */
export interface OutputLimit {
  /** Path of the limit in losses. */
  readonly name: string
  /** Instruction for a request without a limit, for messages. */
  readonly advice: string
  /** Names that the vendor of the format reads, in its spelling. `within` absent: the top of the body. */
  readonly names: Omit<LimitNames, 'within'> & Partial<LimitNames>
  /** Other names that servers of this format read. They can raise the worst case of a request, never lower it. */
  readonly others?: LimitNames
  /** Minimum limit in this format. Lower limits are raised to it. Default: none. */
  readonly least?: number
  /** Edits that limit the output of one choice in a caller's body, under the name that the target reads. */
  edits(body: Json, target: Target, tokens: number): Edit[]
}

/** Hosted tool of a request, which the provider runs. */
export interface HostedToolLimit {
  readonly name: string
  /** Path in losses. */
  readonly at: string
  /** Maximum calls that the request allows. Undefined: unlimited. */
  readonly most: number | undefined
}

/** Hosted tools of a format. */
export interface HostedTools {
  /** Hosted tools in an item of `tools`. Default: items with a type of the vendor. */
  declared?(tool: Json, at: string): readonly HostedToolLimit[]
  /** Top-level field that limits the calls of all hosted tools together. */
  readonly together?: string
}

/** Rate-limit headers of a format: limit, remaining amount, and time until the full limit is available. */
export interface RateNames {
  readonly requests: readonly [limit: string, remaining: string, reset: string]
  readonly tokens: readonly [limit: string, remaining: string, reset: string]
  /** Header value for the milliseconds until the full limit is available. */
  reset(ms: number): string
}

/** Model in a list of models. */
export interface ModelEntry {
  readonly id: string
  /** Providers that serve it. */
  readonly providers: readonly string[]
  /** Unix time in seconds. */
  readonly created?: number
  /** Maximum tokens of input and output together. */
  readonly context?: number
  /** Maximum output tokens. */
  readonly output?: number
  /** Families that it supports. Absent: unknown. */
  readonly families?: readonly string[]
}

/** Writer of lists of models, in the shape of a format's vendor. */
export interface ModelShapes {
  /** Entry for a model. `more` has fields that no vendor has. */
  one(model: ModelEntry, more: Json): Json
  list(models: readonly ModelEntry[], shapes: readonly Json[]): Json
}

/** Reads usage from the frames of a stream that bypasses translation. */
export interface UsageReader {
  /**
   * Role of a frame: `content` commits the response, `idle` (ping, comment) does not, `error` is an in-band failure of
   * the upstream, `end` completes the stream.
   */
  push(frame: Frame): 'content' | 'idle' | 'error' | 'end'
  readonly summary: ResponseSummary
  readonly error: UpstreamError | undefined
  /**
   * Last frames of this stream for an error, after the frame `last`. Absent: `Format.writeStreamError`, which does not
   * depend on earlier frames.
   */
  fail?(error: HeadgateError, requestId: string, last: Frame | undefined): string
  /** True if the stream is complete. If it is false when the upstream's stream ends, the stream was cut. */
  readonly complete: boolean
}

/** Media URLs of a format. */
export interface MediaUrls {
  /** True if the target accepts the URL. Otherwise its content is fetched and inlined. */
  takes(url: string, kind: MediaBlock['kind'], target: Target): boolean
  /** Substrings of bodies with media URLs. A body without them is not parsed for URLs. */
  readonly keys: readonly string[]
  /** Path of the URL in its block, for errors: `image_url`. */
  field(kind: MediaBlock['kind']): string
}

/**
 * Provider side of a format: writes requests and reads responses. A provider with a separate format supplies one.
 * Readers tolerate the mistakes of servers that imitate the vendor, and throw a HeadgateError for unreadable data.
 * Arguments are never mutated.
 */
export interface Codec {
  readonly id: string
  readonly urls: Pick<MediaUrls, 'takes'>
  /** Fields of the format by Headgate's names in losses. */
  readonly fieldNames?: FieldNames
  writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest
  readResponse(body: Json, origin?: Origin): ChatResponse
  readStream(origin?: Origin): StreamReader
  /** True if providers of this format search the web, unless their facts state otherwise. Default false. */
  readonly searches?: boolean
  /** Reads an error body of any shape. `status` 0: an error in a stream. */
  readError(status: number, body: unknown): UpstreamError
  /**
   * Code of the error for encrypted reasoning that another account issued. Default: none, since reasoning is valid in
   * all accounts of the vendor.
   */
  readonly foreignReasoning?: string
  /**
   * Usage and finish of a whole response that bypasses translation, or usage of an error body. Default: uses
   * `readResponse`.
   */
  summarize?(body: Json): ResponseSummary
}

/**
 * Wire format of the chat family, with its provider side and its caller side.
 * Readers of requests throw a HeadgateError of kind `invalid-request` with the field.
 */
export interface Format extends Codec {
  /** Signer of signatures without an envelope in this format. */
  readonly signer?: string
  /** Top-level key of the list of turns. */
  readonly turns: string
  /** Fields before the turns in the order in which vendors cache a prompt. */
  readonly promptFields: readonly string[]
  /** Rejects invalid turns of a body that bypasses translation. Default: turns must be a list. */
  checkTurns?(body: Json): void
  /** True if the body contains `model` and `stream`; otherwise the path does. */
  readonly modelInBody: boolean
  /** Schema of the request body, for documentation. */
  readonly requestSchema: z.ZodType
  readonly urls: MediaUrls

  readRequest(body: Json, line?: RequestLine): ChatRequest
  writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json
  writeStream(reply: Reply, losses: Loss[]): StreamWriter
  /** Body for an error. */
  writeError(error: HeadgateError, requestId: string): Json
  /**
   * Last frame of a stream for an error.
   * @param begun true (default) if parts of the stream are written, so that a JSON array is open.
   */
  writeStreamError(error: HeadgateError, requestId: string, framing?: 'sse' | 'json-array', begun?: boolean): string
  /** Server-sent event that keeps an idle stream alive. SDKs ignore it. */
  readonly ping: string

  /** Token counting, if the format has an endpoint for it: the chat request in its body, and its response. */
  readonly counting?: { request(body: Json): Json; answer(tokens: number): Json }

  /** Fields of a caller's body with ids of objects that a provider stores. */
  readonly stored: IdPlaces
  /** References of a body to earlier responses. Absent: the format has no such field. */
  readonly references?: (body: Json) => References
  /** Absent: the format has no background requests. */
  readonly background?: BackgroundResponses
  readonly outputLimit: OutputLimit
  /** Number of prompts in a body. Default 1. */
  prompts?(body: Json): number
  readonly hostedTools?: HostedTools
  /** Default: the headers of chat completions. */
  readonly rateNames?: RateNames
  /** Default: the shapes of chat completions. */
  readonly modelShapes?: ModelShapes
  /** True for paths of the vendor's API, even if Headgate does not serve them. */
  isPath?(path: string): boolean
  /** Normalizations of a body for bypass. */
  normalize(body: Json, target: Target): Normalization
  /** True if a response has the required fields of this format. Default: always true. */
  isResponse?(body: Json): boolean
  /** Usage and finish of a whole response that bypasses translation. */
  summarize(body: Json): ResponseSummary
  usageReader(): UsageReader
  /** Matches the bytes of frames that `usageReader` must read. After the commit point, other frames are skipped. */
  readonly relevantFrames: RegExp
  /** Data of the frame after the last one, if the format has one: `[DONE]`. It also follows an in-band error. */
  readonly done?: string
}
