import type { Json } from '@headgate/core/provider'
import type { Failure } from '../../failures/failure.ts'
import type { FramingId, StreamFraming, VendorFrame } from '../../framing.ts'
import type { UpstreamPlace } from '../../place.ts'
import type { Received } from '../../upstream.ts'
import type { AnswerMeaning, FormatId, RequestMeaning } from './meaning.ts'

/** What holds of an upstream's chat, whatever it speaks. */
interface ChatPlace extends UpstreamPlace {
  /**
   * Where it takes requests, without the host; `{model}` stands for the model. A stream may have another path, with its
   * query.
   */
  readonly path: string | { readonly whole: string; readonly stream: string }
  /** Top-level fields of a request that it answers with a 400. */
  readonly refuses?: readonly string[]
  /**
   * Fields of a request that it accepts, by place (see `ChatSupport.accepts`), and the page of the vendor that lists
   * them. A request with another field at one of these places fails the checks.
   */
  readonly accepts?: { readonly source: string; readonly fields: Readonly<Record<string, readonly string[]>> }
  /** Whether a stream reports usage; default true. */
  readonly usageInStream?: boolean
  /** How it frames a stream; default `sse`. Of a format of core, `write` gets each server-sent event. */
  readonly frame?: FramingId | StreamFraming
  /**
   * What the model does not accept or produce. Requests with an image or a PDF must then be refused, not sent without
   * it. `tools`: the kit offers no tools; requests with tools must be refused, or sent without them and declared.
   * `cache`: usage does not report cached tokens. `signature`: the upstream refuses signed thoughts.
   */
  readonly lacks?: readonly Lacking[]
  /** For an upstream that responds with a job, which has to be asked for its state (`ChatSupport.poll`). */
  readonly job?: JobFacts
  /** The formats of the callers for whom it is asked; default all. */
  readonly callers?: readonly FormatId[]
}

/** The job of an upstream that does not respond with the answer itself. */
export interface JobFacts {
  /** Response to a request for chat. */
  readonly created: Json
  /** Where the state of this job is asked for: `GET /v1/jobs/7f31c2`. */
  readonly get: string
  /** Responses while it runs, in this order. */
  readonly running: readonly Json[]
  /** Response that has the answer. */
  done(answer: Json): Json
  /** Response of a job that has failed; absent = the vendor documents none. */
  readonly failed?: Json
}

export type Lacking = 'image' | 'pdf' | 'tools' | 'reasoning' | 'cache' | 'signature'

/** An upstream that speaks a format of core. */
export interface FormatFacts extends ChatPlace {
  readonly format: FormatId
}

/**
 * An upstream that speaks something else. `read` and `write` are the vendor: written from its documentation, not from
 * the codec.
 */
export interface WireFacts extends ChatPlace {
  readonly format?: undefined
  /** What the vendor understands of a request; throws what it would refuse. */
  read(request: Received): RequestMeaning
  /** The vendor's answer with this meaning, both ways. Calls have no ids: the vendor makes them. */
  write(answer: AnswerMeaning): WrittenAnswer
  /** The body of an error with a status. Default: `{ message }`. */
  error?(status: number, message: string): object
  /** The frame of a failure within a stream; absent = the vendor documents none. */
  errorFrame?(message: string): VendorFrame
  /** Failures that are the vendor's own, beside those that a status alone says. */
  readonly failures?: readonly Failure[]
}

export interface WrittenAnswer {
  readonly body: Json
  /** Its frames when it is streamed. */
  readonly stream: readonly VendorFrame[]
}

export type ChatUpstreamFacts = FormatFacts | WireFacts
