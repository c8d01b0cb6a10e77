import { errorReader, type Json } from '@headgate/core/canonical'
import type { HttpResponse } from '@headgate/core/contract'
import type { HeadgateError } from '@headgate/core/errors'
import { type Chunks, createChunks } from '../edge/chunks.ts'
import type { UpstreamHeaders } from '../http/upstream.ts'
import { plainHeaders, readWholeResponse } from '../http/whole-response.ts'
import type { Candidate } from '../routing/candidates.ts'
import { explain, failureOf } from './failure.ts'

/** Maximum bytes of a failure's body. */
const MAX_BYTES = 1024 * 1024

const readError = errorReader({ codes: [] })

/** Body of a response in place of the expected stream, up to 1 MB. */
export interface FailedBody {
  /** Bytes so far. */
  readonly size: number
  /** Adds bytes. False: the body is too large and was not read to its end. */
  add(chunk: Uint8Array): boolean
  /** The response with the body so far. */
  response(status: number | undefined, headers: UpstreamHeaders): HttpResponse
}

export function createFailedBody(): FailedBody {
  const chunks: Chunks = createChunks()
  const body = {
    size: 0,
    add(chunk: Uint8Array) {
      body.size += chunk.length
      if (body.size > MAX_BYTES) return false
      chunks.add(chunk)
      return true
    },
    response: (status: number | undefined, headers: UpstreamHeaders) =>
      readWholeResponse(status ?? 0, headers, chunks.whole()),
  }
  return body
}

/** Error for the caller about the failure that a response reports; undefined = it reports none. */
export function reportedFailure(
  { instance, endpoint, model }: Candidate,
  response: HttpResponse,
): HeadgateError | undefined {
  const error = failureOf(response, { readError }, endpoint.provider)
  return error && explain(error, instance.name, model, endpoint.provider)
}

/** Error for the caller about the failure that an event of a stream reports; undefined = it reports none. */
export function reportedByEvent(
  candidate: Candidate,
  event: Json,
  headers: UpstreamHeaders,
): HeadgateError | undefined {
  const body = event['error'] ? event : event['type'] === 'error' ? { error: event } : undefined
  return body && reportedFailure(candidate, { status: 0, headers: plainHeaders(headers), body, bytes: NO_BYTES })
}

const NO_BYTES = new Uint8Array(0)
