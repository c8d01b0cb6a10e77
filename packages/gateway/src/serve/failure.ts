import type { Codec } from '@headgate/core/canonical'
import { codeIn, isObject } from '@headgate/core/canonical'
import type { HttpResponse, ProviderInstance } from '@headgate/core/contract'
import { HeadgateError, soundWait, type UpstreamError } from '@headgate/core/errors'
import { scrub } from '../http/scrub.ts'

const MAX_MESSAGE = 2_000

/** How long the upstream asks to wait, from its headers, in milliseconds. */
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

/** What the caller is told of an upstream's failure: who said it, and what of it concerns the caller. */
export function explain(error: UpstreamError, name: string, model: string, provider: ProviderInstance): HeadgateError {
  const details = { retryAfterMs: error.retryAfterMs, code: error.code, upstreamStatus: error.upstreamStatus }
  const words = scrub(error.message, provider).slice(0, MAX_MESSAGE)
  switch (error.kind) {
    case 'our-credential':
      return new HeadgateError(
        'our-credential',
        `Provider ${name} refused the gateway's credential. Its operator has to mend that; the request can not.`,
        details,
      )
    case 'our-quota':
      return new HeadgateError(
        'our-quota',
        `The gateway's account at provider ${name} is used up. Its operator has to mend that.`,
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

/** The failure that a whole answer is; undefined when it is none. */
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
  return error && fromAnswer(error, answer)
}

/** An error with the facts of its response: status, code, and the wait that its body or else its headers ask for. */
export function fromAnswer(
  { kind, message, retryAfterMs, code }: UpstreamError,
  { status, headers, body }: HttpResponse,
): UpstreamError {
  const wait = soundWait(retryAfterMs) ?? retryAfter(headers, Date.now())
  const known = code ?? codeIn(body)
  return {
    kind,
    message,
    upstreamStatus: status,
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(known !== undefined && { code: known }),
  }
}

/** An error in a body whose status says that all is well. */
function isErrorBody(body: unknown): boolean {
  const first: unknown = Array.isArray(body) ? body[0] : body
  return isObject(first) && (isObject(first['error']) || (typeof first['error'] === 'string' && first['error'] !== ''))
}
