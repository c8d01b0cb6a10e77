import type { Json } from '@headgate/core/provider'
import type { Failure } from '../../failures/failure.ts'
import type { FramingId, StreamFraming, VendorFrame } from '../../framing.ts'
import type { UpstreamPlace } from '../../place.ts'
import type { Received } from '../../upstream.ts'
import type { AnswerMeaning, KitFormat, RequestMeaning } from './meaning.ts'

/** Facts about an upstream's chat that are independent of its format. */
interface ChatPlace extends UpstreamPlace {
  /**
   * Path of requests, without the host; `{model}` is a placeholder for the model. Streams can have another path,
   * including a query.
   */
  readonly path: string | { readonly whole: string; readonly stream: string }
  /** Top-level request fields that the upstream rejects with a 400. */
  readonly refuses?: readonly string[]
  /**
   * Fields of a request that it accepts, by place (see `ChatSupport.accepts`), and the page of the vendor that lists
   * them. A request with another field at one of these places fails the checks.
   */
  readonly accepts?: { readonly source: string; readonly fields: Readonly<Record<string, readonly string[]>> }
  /** Streams report usage. Default: true. */
  readonly usageInStream?: boolean
  /** Framing of streams. Default: `sse`. For a format of core, `write` receives each server-sent event. */
  readonly frame?: FramingId | StreamFraming
  /**
   * Capabilities that the model lacks. Requests with an image or a PDF must then be rejected, not sent without it.
   * `tools`: the kit offers no tools; requests with tools must be rejected, or sent without them and declared. `cache`:
   * usage does not report cached tokens. `signature`: the upstream rejects signed reasoning.
   */
  readonly lacks?: readonly Lacking[]
  /** Set for an upstream that responds with a job; the gateway polls its state (`ChatSupport.poll`). */
  readonly job?: JobFacts
  /** Formats of callers that the upstream serves. Default: all. */
  readonly callers?: readonly KitFormat[]
}

/** Job of an upstream that does not respond with the answer itself. */
export interface JobFacts {
  /** Response to a chat request. */
  readonly created: Json
  /** Method and path of the job's state, for example `GET /v1/jobs/7f31c2`. */
  readonly get: string
  /** Responses while the job runs, in order. */
  readonly running: readonly Json[]
  /** Response that contains the answer. */
  done(answer: Json): Json
  /** Response for a failed job. Absent if the vendor documents none. */
  readonly failed?: Json
}

export type Lacking = 'image' | 'pdf' | 'tools' | 'reasoning' | 'cache' | 'signature'

/** Upstream with a format of core. */
export interface FormatFacts extends ChatPlace {
  readonly format: KitFormat
}

/**
 * Upstream with another format. `read` and `write` simulate the vendor: write them from its documentation, not from the
 * codec.
 */
export interface WireFacts extends ChatPlace {
  readonly format?: undefined
  /**
   * The vendor's interpretation of a request.
   *
   * @throws for requests that the vendor would reject
   */
  read(request: Received): RequestMeaning
  /** The vendor's response with this meaning, whole and streamed. Calls have no ids: the vendor creates them. */
  write(answer: AnswerMeaning): WrittenAnswer
  /** Error body for a status. Default: `{ message }`. */
  error?(status: number, message: string): object
  /** Frame of a failure within a stream. Absent if the vendor documents none. */
  errorFrame?(message: string): VendorFrame
  /** Failures specific to the vendor, in addition to failures that the status identifies. */
  readonly failures?: readonly Failure[]
}

export interface WrittenAnswer {
  readonly body: Json
  /** Frames of the streamed response. */
  readonly stream: readonly VendorFrame[]
}

export type ChatUpstreamFacts = FormatFacts | WireFacts
