import type { Json } from '@headgate/core/provider'
import type { FormatId, ReadAnswer, RequestMeaning, RequestOptions } from '../meaning.ts'

/**
 * A wire format, read from the vendor's documentation and apart from core's own readers: what core gets wrong must not
 * be got wrong here in the same way.
 */
export interface Wire {
  readonly id: FormatId
  /** Options that a request can not have; default none. */
  readonly lacks?: readonly (keyof RequestOptions)[]
  /** Path at which callers of the gateway ask. */
  path(model: string, stream: boolean): string
  /** A scenario's body with what this format says of model and streaming in the body. */
  body(given: Json, model: string, stream: boolean): Json
  /** What a request means to the vendor. */
  readRequest(body: Json): RequestMeaning
  /** Why the vendor would refuse a request, in words; empty = it would not. */
  refuses(body: Json): string[]
  /** What a whole answer means to a client. */
  readAnswer(body: unknown): ReadAnswer
  /** What a stream means to a client, which is stricter than most. */
  readStream(source: string): ReadAnswer
  /** The message of an error answer; undefined when it does not have the vendor's shape. */
  readError(body: unknown): string | undefined
  /** The body of the next request: the answer goes back as it came, with a result for every call of it. */
  followUp(given: Json, answer: unknown, results: readonly string[]): Json
}
