import type { Codec, Frame } from '../canonical/format.ts'
import type { Json } from '../canonical/json.ts'
import type { Part } from '../canonical/part.ts'
import type { ChatRequest } from '../canonical/request.ts'
import type { ChatFacts } from '../canonical/target.ts'
import type { Call, InProcess, Next } from './exchange.ts'
import type { HttpResponse } from './http.ts'

/**
 * A format of core. `completions` is the legacy API: only its own callers are served by it, so list it after a support
 * for all.
 */
export type FormatId = 'chat-completions' | 'messages' | 'generate-content' | 'responses' | 'completions'

/** A value for all models of a provider, or one for each. */
export type PerModel<T> = T | ((model: string) => T)

/** A frame of the transport with its payload as JSON; absent where it is none. */
export interface UpstreamFrame extends Frame {
  readonly json?: Json | undefined
}

/** One native format of a provider: data where data is enough, functions where it is not. */
export interface ChatSupport {
  /** A format of core by its id, or a codec that the package brings. */
  readonly format: FormatId | Codec
  /** Which models speak it; default all. The first support that speaks the caller's format, else the first, is used. */
  readonly speaks?: (model: string) => boolean
  readonly path: (call: Call) => string
  /**
   * `false`: of a format whose requests name earlier answers it keeps none. A request whose answer is to be kept is put
   * in another format of the provider, and kept by the gateway. Default true.
   */
  readonly keepsAnswers?: boolean
  /**
   * How a stream is framed; default `sse`. `aws-payload-lines`: the payloads of an AWS event stream hold together JSON
   * values, one a line, as they are or as the `data` of server-sent events.
   */
  readonly framing?: 'sse' | 'ndjson' | 'aws-event-stream' | 'aws-payload-lines'
  /** Top-level request fields that the upstream refuses: left out, and declared as a loss. */
  readonly drop?: PerModel<readonly string[]>
  /**
   * Fields that the upstream accepts within a request that it checks strictly, by place: `messages[user]` is each
   * message of that role,
   * `messages[*].content[text]` each part of that type, `tools[*].function` the function of each tool, the empty place
   * the request itself. Applied last. Other fields are left out, and declared as a loss unless they are null or an
   * empty list. A place that is not listed accepts every field.
   */
  readonly accepts?: Readonly<Record<string, readonly string[]>>
  /**
   * Values of top-level request fields that the upstream refuses, by field: each becomes the nearest that it accepts,
   * declared as changed.
   */
  readonly replace?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * Top-level request fields that have another name there. What is said of `max_tokens` or `max_completion_tokens`
   * holds for both.
   */
  readonly rename?: Readonly<Record<string, string>>
  /**
   * Where data is not enough. Must not mutate, and declares by `call.lose` what it leaves out; does not keep the
   * answer's bytes from passing through.
   */
  readonly patchRequest?: (body: Json, call: Call) => Json
  /** Patches of an answer: these forbid passing its bytes through. */
  readonly patchResponse?: (body: Json, call: Call) => Json
  /**
   * From one frame of the transport to the frame of the format (Bedrock's `{"bytes": base64}`, a chunk that lacks a
   * field). Undefined skips the frame. Not called for frames that are no JSON object.
   */
  readonly patchFrame?: (frame: UpstreamFrame & { readonly json: Json }, call: Call) => Json | undefined
  /**
   * For an upstream that responds with a job: `next(request, afterMs)` to ask for its state, or undefined if `answer`
   * is the response itself (`patchResponse` then unwraps it). Called for each response that is not a failure; `earlier`
   * are those before it, oldest first. At most 50 requests, the first included. The request never asks for a stream: a
   * caller's stream is written from the whole response. The job of a caller that leaves is not canceled.
   */
  readonly poll?: (answer: HttpResponse, call: Call, earlier: readonly HttpResponse[]) => Next | undefined
  /** Headers with fixed values, or by model; a header of the same name that `forward` brings wins. */
  readonly headers?: PerModel<Readonly<Record<string, string>> | undefined>
  /** The caller's headers that go up. */
  readonly forward?: readonly string[]
  /**
   * Request fields that lead the upstream to another model than `model`: refused for keys that may not use every model.
   * Paths such as `models` and `tools[*].model`. Default: those that are known of routers.
   */
  readonly routingFields?: readonly string[]
  /** The upstream's headers that come down; those of rate limits never do, as these are the gateway's own. */
  readonly answer?: readonly string[]
  /** Who can verify a signature made here: a model family such as `claude`. */
  readonly signer?: PerModel<string | undefined>
  readonly facts?: PerModel<ChatFacts | undefined>
}

/** A chat family that runs in this process: it answers in canonical parts. */
export type ChatInProcess = InProcess<ChatRequest, AsyncIterable<Part>>

/** The value that holds for a model. */
export function forModel<T extends object | string | undefined>(
  value: PerModel<T> | undefined,
  model: string,
): T | undefined {
  return typeof value === 'function' ? (value as (model: string) => T)(model) : value
}
