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

/** A unit of a framed stream: one server-sent event, or one JSON value of another framing. */
export interface Frame {
  event?: string
  data: string
}

/** What the request line said beside the body: formats that name the model in the path have it here. */
export interface RequestLine {
  model?: string
  stream?: boolean
}

/** What a reader of answers knows beside the body. */
export interface Origin {
  /** Who signs reasoning there, see `ChatSupport.signer`. */
  signer?: string
}

/** What a writer of answers knows of the request that is answered. */
export interface Reply {
  /** Id of the request, for formats whose answers need an id where the upstream gave none. */
  id: string
  /** Model to report where the upstream named none. */
  model: string
  request: ChatRequest
  /** How a stream is framed; by default `sse`. */
  framing?: 'sse' | 'json-array'
  /** Present where the answer is kept, for later requests to name it. */
  kept?: KeptReply
}

/** An answer that is kept, in a format that has such. */
export interface KeptReply {
  /** Its id, whatever the upstream's is. */
  readonly id: string
  /** The answer before it, by the caller's name. */
  readonly previous?: string
  /** Whether it can be read again. */
  readonly stored: boolean
  /** Whether it is made while nobody waits for it. */
  readonly background?: boolean
  /**
   * Number of events that were sent before the stream is written, the announcement of the response among them. Default
   * 0.
   */
  readonly announced?: number
  /** Told the whole answer when it is written. */
  take(answer: Json): void
}

/** Turns frames into parts. Synchronous and stateful; throws nothing but HeadgateError. */
export interface StreamReader {
  push(frame: Frame): Part[]
  /** After the upstream's last byte: what was still open, or an error when the stream was cut. */
  end(): Part[]
  /**
   * Whether the reason to end has come, which may wait for the end: what still comes is usage. Default: not before it
   * is told.
   */
  readonly finishing?: boolean
}

/** Turns parts into wire text. Synchronous and stateful. */
export interface StreamWriter {
  push(part: Part): string
  end(): string
  /** The error as the last frames of this stream. Absent = `Format.writeStreamError`, which continues nothing. */
  fail?(error: HeadgateError): string
}

/** How a request was bent to fit its target, so that the answer can be bent back. */
export interface Restore {
  /** Tool names as sent → as the caller wrote them. */
  names?: ReadonlyMap<string, string>
  /** Custom tools (caller's names) that were sent as functions `{ input: string }`. */
  custom?: ReadonlySet<string>
  /** The function that stands for a structured output: its arguments are the answer's text. */
  outputTool?: string
  /** Functions (caller's names) whose arguments were wrapped in an object, see `unwrapping`. */
  wrapped?: ReadonlySet<string>
  /** Whether the structured output was wrapped in an object. */
  wrapsOutput?: boolean
  /** Beginning of the answer that the request brought along; some vendors repeat it in the answer. */
  prefix?: string
}

export interface WrittenRequest {
  body: Json
  restore?: Restore
}

/** A change in a body's bytes. */
export interface Edit {
  /** Keys and indices from the top. */
  path: readonly (string | number)[]
  /** What is put there; a last key that is absent is inserted. */
  value?: unknown
  /** Instead of a value: keys that are taken out of the object there. */
  without?: readonly string[]
}

/** What a body needs so that the vendor of its own format accepts it. */
export interface Amendment {
  edits: Edit[]
  /** What the edits leave out. */
  lost?: readonly Loss[]
  /** Frames of the answer that the caller did not ask for. */
  hides?: (frame: Frame) => boolean
  /**
   * Set where edits do not do: it holds signatures that its vendor can not verify. It is then read and written anew.
   */
  anew?: boolean
}

/** What is read of an answer that passes as it is. */
export interface Tally {
  usage?: Usage
  finish?: Finish
  /** As the upstream reported it. */
  model?: string
  id?: string
  /** What else later requests may name it by: ids of its items, and of what its tools made. */
  items?: readonly string[]
}

/** How a body continues earlier answers. */
export interface References {
  /** The answer that this request goes on from. */
  readonly previous?: string
  /** Whether the answer is to be kept. */
  readonly keeps: boolean
  /** Whether nobody will wait for it. */
  readonly background: boolean
  /** The body with what it names in its place: what was asked and answered before, and items by their ids. */
  resolved(known: Resolve): Json
  /** Ids by which later requests may name an answer, beside its own. */
  names(answer: Json): readonly string[]
  /** All that was asked by a body whose references are resolved, as a list of items. */
  asked(body: Json): readonly unknown[]
}

/** How a format says what has become of an answer that is made while nobody waits for it. */
export interface BackgroundAnswers {
  queued(reply: Reply): Json
  /** The first event of a stream, which announces the response `open`. */
  announced(open: Json): string
  /** The last events of a stream that failed after `count` events. */
  failed(open: Json, error: HeadgateError, count: number): string
  /** The answer that was begun, as it ends without having been made. */
  ended(answer: Json, error: HeadgateError): Json
  /** Whether it is still to be made. */
  isOpen(answer: Json): boolean
}

/** What is here of what a body names. */
export interface Resolve {
  /** Of the answer that the request goes on from; undefined where that lives elsewhere. */
  readonly before?: { readonly input: readonly unknown[]; readonly answer: Json }
  /** An item by its id; undefined where it lives elsewhere. */
  item(id: string): unknown
}

/** Fields that decide how much output a request can have. */
export interface LimitNames {
  /** Maximum output tokens of one answer. */
  readonly outputs: readonly string[]
  /** Number of answers. */
  readonly counts: readonly string[]
  /** Objects of the body that hold these fields. */
  readonly within: readonly string[]
}

/** Limits of the output in a format. */
export interface OutputLimit {
  /** Path of the limit in losses. */
  readonly name: string
  /** What a request needs so that its output is limited, for messages. */
  readonly advice: string
  /** Names that the vendor of the format reads, exactly as spelled. `within` absent = the top of the body. */
  readonly names: Omit<LimitNames, 'within'> & Partial<LimitNames>
  /** Other names that servers of this format read. They can raise the worst case of a request, never lower it. */
  readonly others?: LimitNames
  /** Lower limits are raised to this one when a request is written in this format. Default: none is. */
  readonly least?: number
  /** Edits that limit the output of one answer in a caller's body, by the name that the target reads. */
  edits(body: Json, target: Target, tokens: number): Edit[]
}

/** A tool of a request that its provider runs. */
export interface HostedTool {
  readonly name: string
  /** As losses name it. */
  readonly at: string
  /** Most calls that the request allows; undefined = unlimited. */
  readonly most: number | undefined
}

/** How a format has the tools that a provider runs. */
export interface HostedTools {
  /** Those of an item of `tools`; default one that has a type of its vendor. */
  declared?(tool: Json, at: string): readonly HostedTool[]
  /** Top-level field that limits all of their calls together. */
  readonly together?: string
}

/** How a format says rate limits in headers: limit, remaining amount, and when that is whole again. */
export interface RateNames {
  readonly requests: readonly [limit: string, remaining: string, reset: string]
  readonly tokens: readonly [limit: string, remaining: string, reset: string]
  /** The time in milliseconds until the whole limit is available. */
  reset(ms: number): string
}

/** A model in a list of models. */
export interface ModelEntry {
  readonly id: string
  /** Providers that serve it. */
  readonly providers: readonly string[]
  /** Unix time in seconds. */
  readonly created?: number
  /** Most tokens of input and output together. */
  readonly context?: number
  /** Most tokens of output. */
  readonly output?: number
  /** Families that it serves; absent = unknown. */
  readonly families?: readonly string[]
}

/** How the vendor of a format lists models. */
export interface ModelShapes {
  /** One model; `more` are fields that no vendor has. */
  one(model: ModelEntry, more: Json): Json
  list(models: readonly ModelEntry[], shapes: readonly Json[]): Json
}

/** Reads the frames of a stream that passes as it is. */
export interface Watch {
  /**
   * What a frame is: `content` commits the answer, `idle` (ping, comment) does not, `error` is the upstream's in-band
   * failure, `end` completes the stream.
   */
  push(frame: Frame): 'content' | 'idle' | 'error' | 'end'
  readonly tally: Tally
  readonly error: UpstreamError | undefined
  /**
   * The error as the last frames of this stream, after the frame `last`. Absent = `Format.writeStreamError`, which
   * continues nothing.
   */
  fail?(error: HeadgateError, requestId: string, last: Frame | undefined): string
  /** Whether the stream has said all that a complete one says; false at the upstream's end means it was cut. */
  readonly complete: boolean
}

/** How a wire has images and documents by URL. */
export interface MediaUrls {
  /** Whether a URL is passed on to the target as it is; otherwise its content is fetched and inlined. */
  takes(url: string, kind: MediaBlock['kind'], target: Target): boolean
  /** A body that has none of these texts has no such URL, and need not be read to know it. */
  readonly keys: readonly string[]
  /** Where the URL stands below its block, for errors: `image_url`. */
  field(kind: MediaBlock['kind']): string
}

/**
 * The half of a format that faces an upstream: how the canonical model is written for it and read from it. All that a
 * provider with a format of its own has to bring.
 *
 * Readers tolerate what servers that imitate the vendor get wrong, and throw HeadgateError for what can not be read.
 * Nothing that is passed in is mutated.
 */
export interface Codec {
  readonly id: string
  readonly urls: Pick<MediaUrls, 'takes'>
  /** Where the format has what losses call by Headgate's words. */
  readonly fieldNames?: FieldNames
  writeRequest(request: ChatRequest, target: Target, losses: Loss[]): WrittenRequest
  readResponse(body: Json, origin?: Origin): ChatResponse
  readStream(origin?: Origin): StreamReader
  /** Whether who speaks it searches the web itself, unless facts say otherwise. Default: no. */
  readonly searches?: boolean
  /** An error body, of whatever shape. `status` 0 means: found within a stream. */
  readError(status: number, body: unknown): UpstreamError
  /**
   * Usage and end of a whole answer that passes as it is; the usage of an error body too. Default: what `readResponse`
   * reads.
   */
  tally?(body: Json): Tally
}

/**
 * A wire format of the chat family, both halves: how it is read into, and written from, the canonical model.
 *
 * Readers of requests throw HeadgateError `invalid-request` that names the field.
 */
export interface Format extends Codec {
  /** Signer of signatures that stand bare in this format. */
  readonly signer?: string
  /** The top-level key that holds the turns, a list. */
  readonly turns: string
  /**
   * Refuses a body that passes as it is, where its turns are not what the format allows. Default: they must be a list.
   */
  checkTurns?(body: Json): void
  /** Whether the body names the model, and whether it is streamed; otherwise the path does. */
  readonly modelInBody: boolean
  /** The request body, for documentation. */
  readonly requestSchema: z.ZodType
  readonly urls: MediaUrls

  readRequest(body: Json, line?: RequestLine): ChatRequest
  writeResponse(response: ChatResponse, reply: Reply, losses: Loss[]): Json
  writeStream(reply: Reply, losses: Loss[]): StreamWriter
  /** The error as this format's body. */
  writeError(error: HeadgateError, requestId: string): Json
  /**
   * The error as the last frame of a stream. `begun` (default true): some of the stream is written, so that a JSON
   * array is open.
   */
  writeStreamError(error: HeadgateError, requestId: string, framing?: 'sse' | 'json-array', begun?: boolean): string
  /** A server-sent event that keeps a silent stream alive and that SDKs ignore. */
  readonly ping: string

  /** Counting, where the format has a path for it: the chat request that such a body asks about, and the answer. */
  readonly counting?: { request(body: Json): Json; answer(tokens: number): Json }

  /** Where a caller's body names what is stored at a provider. */
  readonly stored: IdPlaces
  /** How a body continues an earlier answer; absent = the format has no such field. */
  readonly references?: (body: Json) => References
  /** Absent = no request asks for an answer that is made while nobody waits. */
  readonly background?: BackgroundAnswers
  readonly outputLimit: OutputLimit
  /** Number of prompts that a body has; default one. */
  prompts?(body: Json): number
  readonly hostedTools?: HostedTools
  /** Default: the headers of chat completions. */
  readonly rateNames?: RateNames
  /** Default: the shapes of chat completions. */
  readonly modelShapes?: ModelShapes
  /** Whether a path belongs to the vendor's API of this format, even if nothing is served there. */
  isPath?(path: string): boolean
  /** What the caller's body needs to be accepted by the vendor as it is. */
  amend(body: Json, target: Target): Amendment
  /**
   * Whether a whole answer has what one of this format must have; without it there is nothing that a caller could read.
   * Default: it has.
   */
  isAnswer?(body: Json): boolean
  /** Usage and end of a whole answer that passes as it is. */
  tally(body: Json): Tally
  watch(): Watch
  /**
   * Found in the bytes of frames that `watch` must see; frames without it need no look once the answer is committed.
   */
  readonly notable: RegExp
  /**
   * Data of the frame behind the last one, where the format has such: `[DONE]`. It follows an in-band error as well.
   */
  readonly done?: string
}
