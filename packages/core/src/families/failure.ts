import type { Format } from '../chat/format.ts'
import { isObject } from '../chat/json.ts'
import { HeadgateError, type UpstreamError } from '../errors.ts'
import { secretsOf } from '../http/secrets.ts'
import type { HttpResponse, ProviderInstance } from '../provider.ts'

const MAX_MESSAGE = 2_000
/** Credentials by the look of them. */
const TOKENS = /\b(?:sk|pk|rk|gsk|xai|key|AIza|ya29|tvly)[-_.][\w.-]{8,}|\bAIza[\w-]{20,}|\bBearer\s+\S+|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g

/** A text without our credentials, nor anything that looks like one. */
export function scrub(text: string, { credential }: Pick<ProviderInstance, 'credential'>): string {
  let clean = text
  for (const secret of secretsOf(credential)) clean = clean.replaceAll(secret, '[redacted]')
  return clean.replace(TOKENS, '[redacted]')
}

/** How long the upstream asks to wait, from its headers, in milliseconds. */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = Number(headers['retry-after-ms'])
  if (headers['retry-after-ms'] !== undefined && ms >= 0) return ms
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** What the caller is told of an upstream's failure: who said it, and what of it concerns the caller. */
export function explain(error: UpstreamError, name: string, model: string, provider: ProviderInstance): HeadgateError {
  const details = { retryAfterMs: error.retryAfterMs }
  const words = scrub(error.message, provider).slice(0, MAX_MESSAGE)
  switch (error.kind) {
    case 'our-credential':
      return new HeadgateError(
        'our-credential',
        `Provider ${name} refused the gateway's credential. Its operator has to mend that; the request can not.`,
        details,
      )
    case 'our-quota':
      return new HeadgateError('our-quota', `The gateway's account at provider ${name} is used up. Its operator has to mend that.`, details)
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
export function failureOf(answer: HttpResponse, format: Format, provider: ProviderInstance): UpstreamError | undefined {
  const own = provider.readError?.(answer)
  const error =
    own ??
    (answer.status >= 400
      ? format.readError(answer.status, answer.body)
      : isErrorBody(answer.body)
        ? format.readError(0, answer.body)
        : undefined)
  if (!error || error.retryAfterMs !== undefined) return error
  const retryAfterMs = retryAfter(answer.headers, Date.now())
  return retryAfterMs === undefined ? error : { ...error, retryAfterMs }
}

/** An error in a body whose status says that all is well. */
function isErrorBody(body: unknown): boolean {
  const first: unknown = Array.isArray(body) ? body[0] : body
  return isObject(first) && (isObject(first['error']) || (typeof first['error'] === 'string' && first['error'] !== ''))
}
