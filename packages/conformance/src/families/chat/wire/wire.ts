import type { Json } from '@headgate/core/provider'
import type { KitFormat, ReadAnswer, RequestMeaning, RequestOptions } from '../meaning.ts'

/**
 * Wire format, implemented from the vendor's documentation and independent of core's readers: an error in core must not
 * be repeated here.
 */
export interface Wire {
  readonly id: KitFormat
  /** Options that requests cannot express. Default: none. */
  readonly lacks?: readonly (keyof RequestOptions)[]
  /** Path of callers' requests to the gateway. */
  path(model: string, stream: boolean): string
  /** Body of a scenario with the format's fields for model and streaming. */
  body(given: Json, model: string, stream: boolean): Json
  /** Meaning of a request for the vendor. */
  readRequest(body: Json): RequestMeaning
  /** Reasons of the vendor to reject a request, as messages. Empty if it accepts the request. */
  refuses(body: Json): string[]
  /** Meaning of a whole response for a client. */
  readAnswer(body: unknown): ReadAnswer
  /** Meaning of a stream for a client that is stricter than most. */
  readStream(source: string): ReadAnswer
  /** Message of an error response. Undefined if it does not have the vendor's shape. */
  readError(body: unknown): string | undefined
  /** Body of the next request: the response unchanged, with a result for each of its calls. */
  followUp(given: Json, answer: unknown, results: readonly string[]): Json
}
