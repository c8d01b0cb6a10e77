import type { Codec } from '@headgate/core/canonical'
import { codeIn, isObject } from '@headgate/core/canonical'
import type { HttpResponse, LimitHeader, ProviderInstance } from '@headgate/core/contract'
import { HeadgateError, soundWait, type UpstreamError } from '@headgate/core/errors'
import { scrub } from '../http/scrub.ts'
import { resetOf } from '../routing/upstream-limits.ts'

const MAX_MESSAGE = 2_000

/** Wait in milliseconds that the response headers of an upstream request. */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = soundWait(numberIn(headers['retry-after-ms']))
  if (ms !== undefined) return ms
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const seconds = numberIn(value)
  return soundWait(seconds === undefined ? Math.max(0, Date.parse(value) - now) : seconds * 1000)
}

function numberIn(header: string | undefined): number | undefined {
  const value = header?.trim() ? Number(header) : Number.NaN
  return Number.isNaN(value) ? undefined : value
}

/**
 * Error for the caller about an upstream's failure. It names the provider and leaves out what concerns only the
 * operator.
 */
export function explain(error: UpstreamError, name: string, model: string, provider: ProviderInstance): HeadgateError {
  const details = { retryAfterMs: error.retryAfterMs, code: error.code, upstreamStatus: error.upstreamStatus }
  const words = scrub(error.message, provider).slice(0, MAX_MESSAGE)
  switch (error.kind) {
    case 'our-credential':
      return new HeadgateError(
        'our-credential',
        `Provider ${name} rejected the gateway's API key. Contact the gateway's operator; changing the request will not help.`,
        details,
      )
    case 'our-quota':
      return new HeadgateError(
        'our-quota',
        `The quota of the gateway's account at provider ${name} is exhausted. Contact the gateway's operator.`,
        details,
      )
    case 'unknown-model':
      return new HeadgateError('unknown-model', `Provider ${name} does not know the model ${model}: ${words}`, {
        ...details,
        param: 'model',
      })
    default:
      return new HeadgateError(error.kind, `${name}: ${words || 'no reason given'}`, details)
  }
}

/** Failure that a response represents; undefined for a success. */
export function failureOf(
  answer: HttpResponse,
  format: Pick<Codec, 'readError'>,
  provider: ProviderInstance,
): UpstreamError | undefined {
  const own = provider.readError?.(answer)
  const error =
    own ??
    (answer.status >= 400
      ? format.readError(answer.status, answer.body)
      : isErrorBody(answer.body)
        ? format.readError(0, answer.body)
        : undefined)
  return error && fromResponse(error, answer, provider.limitHeaders)
}

/**
 * Error with the facts of its response: status, code, and the wait that its body or its headers request. If a rate
 * limit has no such wait, it is the time until the reset of the limits that are used up.
 */
export function fromResponse(
  { kind, message, retryAfterMs, code }: UpstreamError,
  { status, headers, body }: HttpResponse,
  limits: readonly LimitHeader[] = [],
): UpstreamError {
  const nowUnix = Date.now()
  const requested = soundWait(retryAfterMs) ?? retryAfter(headers, nowUnix)
  const wait = requested ?? (status === 429 ? resetOf(limits, headers, nowUnix) : undefined)
  const known = code ?? codeIn(body)
  return {
    kind,
    message,
    upstreamStatus: status,
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(known !== undefined && { code: known }),
  }
}

/** True for an error in a body with a successful status. */
function isErrorBody(body: unknown): boolean {
  const first: unknown = Array.isArray(body) ? body[0] : body
  return isObject(first) && (isObject(first['error']) || (typeof first['error'] === 'string' && first['error'] !== ''))
}
