import type { z } from 'zod'
import type { Format } from '../canonical/format.ts'
import type { Json } from '../canonical/json.ts'
import type { Part } from '../canonical/part.ts'
import type { ChatRequest } from '../canonical/request.ts'
import type { ChatFacts, ModelFacts } from '../canonical/target.ts'
import type { UpstreamError } from '../errors.ts'

/** The version of this contract. An adapter that was built for another one is refused at start. */
export const CONTRACT = 1

/** A request to the upstream. `url` is absolute, or a path that is appended to the provider's `baseUrl`. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

/** A whole answer. `body` is the parsed JSON, or the text when it is not JSON; header names are lower case. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly bytes: Uint8Array
}

/** Pure functions around one upstream call, or several: `response` may ask for one more request before it has the answer. */
export interface Exchange<In, Out> {
  request(input: In): HttpRequest
  /** `earlier` are the answers that asked for more, oldest first (the pages of a list). */
  response(answer: HttpResponse, input: In, earlier?: readonly HttpResponse[]): Out | { then: HttpRequest }
}

/** A family that is served in this process. `run` stops when the signal aborts. */
export interface InProcess<In, Out> {
  run(input: In, signal: AbortSignal): Out
}

export type Call<In, Out> = Exchange<In, Out> | InProcess<In, Promise<Out>>

/** What is known of one chat call when its request is built. */
export interface ChatCall {
  /** The provider's own name of the model. */
  readonly model: string
  readonly stream: boolean
  /** The caller's headers that `forward` names, lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** One native format of a provider: data where data is enough, functions where it is not. */
export interface ChatSupport {
  /** A format of core by its id, or a codec that the package brings. */
  readonly format: 'chat-completions' | 'messages' | 'generate-content' | Format
  /** Which models speak it; default all. The first support that speaks the caller's format, else the first, is used. */
  readonly speaks?: (model: string) => boolean
  readonly path: (call: ChatCall) => string
  /** How a stream is framed; default `sse`. */
  readonly framing?: 'sse' | 'ndjson' | 'aws-event-stream'
  /** From the payload of one transport frame to the frame of the format (Bedrock's `{"bytes": base64}`). */
  readonly unwrap?: (payload: Json) => Json
  /** Top-level request fields that the upstream refuses: left out, and declared as a loss. */
  readonly drop?: readonly string[]
  /** Top-level request fields that have another name there. */
  readonly rename?: Readonly<Record<string, string>>
  /** Where data is not enough. Must not mutate; does not keep the answer's bytes from passing through. */
  readonly patchRequest?: (body: Json, call: ChatCall) => Json
  /** Patches of an answer: these forbid passing its bytes through. */
  readonly patchResponse?: (body: Json) => Json
  readonly patchChunk?: (chunk: Json) => Json
  /** Headers with fixed values; a header of the same name that `forward` brings wins. */
  readonly headers?: Readonly<Record<string, string>>
  /** The caller's headers that go up. */
  readonly forward?: readonly string[]
  /**
   * Request fields that lead the upstream to another model than `model`: refused for keys that may not use every model. Paths such
   * as `models` and `tools[*].model`. Default: those that are known of routers.
   */
  readonly routingFields?: readonly string[]
  /** The upstream's headers that come down. */
  readonly answer?: readonly string[]
  /** Who can verify a signature made here: a model family such as `claude`. */
  readonly signer?: string | ((model: string) => string | undefined)
  readonly facts?: ChatFacts
}

/** A chat family that runs in this process: it answers in canonical parts. */
export type ChatInProcess = InProcess<ChatRequest, AsyncIterable<Part>>

export interface EmbeddingsRequest {
  readonly model: string
  readonly inputs: readonly string[]
  readonly dimensions?: number
}
export interface EmbeddingsResponse {
  /** In the order of the inputs. */
  readonly vectors: number[][]
  /** Input tokens, where the upstream counts them. */
  readonly usage?: { readonly input: number }
}

/** What names a task at the upstream; `state` is kept with the task and handed back. */
export interface VideoRef {
  readonly id: string
  readonly state?: Json
}
export interface VideoRequest {
  readonly model: string
  readonly text: string
  readonly images: readonly { readonly role: string; readonly url?: string; readonly base64?: string }[]
  /** Seconds. */
  readonly duration?: number
  /** `16:9`. */
  readonly ratio?: string
  readonly seed?: number
}
export interface VideoTask {
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'expired'
  readonly url?: string
  /** The URL answers only with the provider's credential. */
  readonly needsCredential?: boolean
  readonly error?: { readonly code: string; readonly message: string }
  readonly usage?: Json
}
export interface VideoSupport {
  /** What of a request the provider can not do: paths and reasons; empty = everything. */
  accepts(request: VideoRequest): string[]
  readonly create: Call<VideoRequest, VideoRef>
  readonly get: Call<VideoRef, VideoTask>
  readonly cancel?: Call<VideoRef, 'cancelled' | 'not-cancellable'>
}

/** How the upstream knows us. Never logged, never in an error. */
export type Credential =
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'query'; readonly name: string; readonly value: string }
  /** Called last, on the final bytes, per attempt; with `refresh` once more after a 401. */
  | {
      readonly kind: 'sign'
      sign(request: HttpRequest, options: { signal: AbortSignal; refresh: boolean }): HttpRequest | Promise<HttpRequest>
    }
  | { readonly kind: 'none' }

export interface CountTokensRequest {
  readonly model: string
  /** A body of the provider's own format, as it would be sent. */
  readonly body: Json
  /** The caller's headers that the chat support forwards, lower case. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A configured provider: a description. Core does all I/O. A family that is absent is not supported. */
export interface Provider {
  /** Absent = everything runs in this process. */
  readonly baseUrl?: string
  readonly credential: Credential
  /** In order of preference. */
  readonly chat?: readonly (ChatSupport | ChatInProcess)[]
  readonly embeddings?: Call<EmbeddingsRequest, EmbeddingsResponse> & {
    /** Most inputs of one call. */
    readonly batch?: number
  }
  readonly video?: VideoSupport
  /** The live list of models. */
  readonly models?: Exchange<void, readonly ModelFacts[]>
  /** What the package itself knows of models. */
  readonly known?: readonly ModelFacts[]
  /** No model but the `known` ones exists. */
  readonly closed?: boolean
  /** Input tokens of a chat request, where the upstream counts them. */
  readonly countTokens?: Exchange<CountTokensRequest, number>
  /** Asked first for every answer that is no stream, 200 included; undefined = not an error, or core reads it. */
  readError?(answer: HttpResponse): UpstreamError | undefined
  close?(): Promise<void>
}

/** What an adapter says of itself before it is configured. */
export interface ProviderMeta<S extends z.ZodType> {
  /** Lower case, `a-z0-9-`: the value of the `vendor` header. */
  readonly id: string
  readonly title: string
  /** A strict object. */
  readonly config: S
  /** Environment variables by field of the config; the first that is set wins. */
  readonly env: Readonly<Partial<Record<keyof z.input<S> & string, readonly string[]>>>
  /**
   * `configured` (default): every required field is there. `asked`: the config names it, or the environment gives its `apiKey`.
   * `last-resort`: nothing else of its family is enabled.
   */
  readonly enable?: 'configured' | 'asked' | 'last-resort'
  /** A request that core sends to see whether the upstream is there (Ollama). */
  readonly probe?: (config: Partial<z.input<S>>) => HttpRequest
  /** Models that are surely its own. */
  readonly claims?: readonly RegExp[]
}

/** An adapter: a factory that describes itself. Throws a ZodError when the config is wrong. */
export interface ProviderAdapter<S extends z.ZodType = z.ZodType> extends ProviderMeta<S> {
  (config: z.input<S>): ProviderInstance
  readonly kind: 'provider'
  readonly contract: typeof CONTRACT
}

/** A configured provider under a name. */
export interface ProviderInstance extends Provider {
  /** By default the adapter's id; the `vendor` header names it. */
  readonly name: string
  readonly claims: readonly RegExp[]
}

/** Makes an adapter out of its description and a function from its config to a provider. */
export function defineProvider<S extends z.ZodType>(meta: ProviderMeta<S>, build: (config: z.output<S>) => Provider): ProviderAdapter<S> {
  const create = (config: z.input<S>): ProviderInstance => ({
    name: meta.id,
    claims: meta.claims ?? [],
    ...build(meta.config.parse(config)),
  })
  return Object.assign(create, { enable: 'configured' as const, ...meta, kind: 'provider' as const, contract: CONTRACT } as const)
}
