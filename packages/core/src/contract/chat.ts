import type { Codec, Frame } from '../canonical/format.ts'
import type { Json } from '../canonical/json.ts'
import type { Part } from '../canonical/part.ts'
import type { ChatRequest } from '../canonical/request.ts'
import type { ChatFacts } from '../canonical/target.ts'
import type { Call, InProcess, Next } from './exchange.ts'
import type { HttpResponse } from './http.ts'

/**
 * Id of a format of core. `completions` is the legacy API and serves only its own callers, so list it after a support
 * for all formats.
 */
export type FormatId = 'chat-completions' | 'messages' | 'generate-content' | 'responses' | 'completions'

/** Value for all models of a provider, or a function of the model. */
export type PerModel<T> = T | ((model: string) => T)

/** Frame of the transport with its payload as JSON, if the payload is JSON. */
export interface UpstreamFrame extends Frame {
  readonly json?: Json | undefined
}

/** Native format of a provider. Differences are data where possible, else functions. */
export interface ChatSupport {
  /** Id of a format of core, or a codec of the package. */
  readonly format: FormatId | Codec
  /**
   * Selects the models that speak the format; default all. The first support that speaks the caller's format is used,
   * else the first.
   */
  readonly speaks?: (model: string) => boolean
  readonly path: (call: Call) => string
  /**
   * False if the provider does not store responses of a format whose requests refer to earlier responses. Headgate then
   * uses another format of the provider for requests with `store`, and stores their responses. Default true.
   */
  readonly storesResponses?: boolean
  /**
   * Framing of a stream; default `sse`. With `aws-payload-lines`, the payloads of an AWS event stream together contain
   * one JSON value per line, plain or as `data` of server-sent events.
   */
  readonly framing?: 'sse' | 'ndjson' | 'aws-event-stream' | 'aws-payload-lines'
  /** Top-level request fields that the upstream rejects. They are left out and declared as lost. */
  readonly drop?: PerModel<readonly string[]>
  /**
   * Fields that a strict upstream accepts, by path: `messages[user]` is each message of that role,
   * `messages[*].content[text]` each part of that type, `tools[*].function` the function of each tool, and the empty
   * path the request itself. Applied last. Other fields are left out, and declared as lost unless they are null or an
   * empty list. An object without an entry accepts every field.
   */
  readonly accepts?: Readonly<Record<string, readonly string[]>>
  /**
   * Values of top-level request fields that the upstream rejects, by field. Each becomes the nearest accepted value and
   * is declared as changed.
   */
  readonly replace?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * Upstream names of top-level request fields. An entry for `max_tokens` or `max_completion_tokens` applies to both.
   */
  readonly rename?: Readonly<Record<string, string>>
  /**
   * Patch of a request where data is not enough. It must not mutate, and declares losses with `call.lose`. The response
   * can still bypass translation.
   */
  readonly patchRequest?: (body: Json, call: Call) => Json
  /** Patch of a whole response. It prevents bypass. */
  readonly patchResponse?: (body: Json, call: Call) => Json
  /**
   * Converts a frame of the transport to a frame of the format, such as Bedrock's `{"bytes": base64}` or a chunk
   * without a required field. Undefined skips the frame. Only JSON objects are passed.
   */
  readonly patchFrame?: (frame: UpstreamFrame & { readonly json: Json }, call: Call) => Json | undefined
  /**
   * Polling of an upstream that responds with a job: returns `next(request, afterMs)` to get its state, or undefined if
   * `response` is the result (`patchResponse` then unwraps it). Called for each successful response; `earlier` has the
   * previous responses, oldest first. At most 50 requests, including the first. The request never has `stream`; a
   * caller's stream is written from the whole response. The job is not canceled when the caller leaves.
   */
  readonly poll?: (response: HttpResponse, call: Call, earlier: readonly HttpResponse[]) => Next | undefined
  /** Headers with fixed values, or by model. A forwarded header of the same name wins. */
  readonly headers?: PerModel<Readonly<Record<string, string>> | undefined>
  /** Names of the caller's headers to forward. */
  readonly forward?: readonly string[]
  /**
   * Request fields that select a model other than `model`, such as `models` and `tools[*].model`. Keys that are
   * restricted to some models cannot use them. Default: the fields of known routers.
   */
  readonly routingFields?: readonly string[]
  /**
   * True if the upstream routes by the request's `provider` and `session_id`. It gets these fields; other upstreams do
   * not.
   */
  readonly routes?: true
  /**
   * Names of the upstream's headers to forward. Rate-limit headers are never forwarded, since the gateway has its own.
   */
  readonly responseHeaders?: readonly string[]
  /** Model family that can verify signatures of this provider, such as `claude`. */
  readonly signer?: PerModel<string | undefined>
  readonly facts?: PerModel<ChatFacts | undefined>
}

/** Chat in this process. It responds with canonical parts. */
export type ChatInProcess = InProcess<ChatRequest, AsyncIterable<Part>>

/** Value for a model. */
export function forModel<T extends object | string | undefined>(
  value: PerModel<T> | undefined,
  model: string,
): T | undefined {
  return typeof value === 'function' ? (value as (model: string) => T)(model) : value
}
