import { errorReader } from '@headgate/core/canonical'
import type { HttpResponse } from '@headgate/core/contract'
import { HeadgateError, type UpstreamError } from '@headgate/core/errors'
import { scrub } from '../../http/scrub.ts'
import { fromResponse } from '../../serve/failure.ts'
import type { SearchPlan } from './plan.ts'

const MAX_MESSAGE = 2_000

/**
 * Reader of backend errors. Backends have no models or conversations, so an unknown model means the URL is wrong, and a
 * context that is too long means the query is invalid.
 */
const readError = errorReader({
  codes: [],
  correct: (kind) => (kind === 'unknown-model' ? 'upstream' : kind === 'context-too-long' ? 'invalid-request' : kind),
})

/** Minimum length in bytes of a term to redact. Shorter terms occur in every message. */
const MIN_TERM = 4

/** Spellings of a term in a message: plain and URL-encoded. */
function spellings(words: string): string[] {
  const encoded = encodeURIComponent(words.toWellFormed())
  return [words, encoded, encoded.replaceAll('%20', '+')]
}

/** A message without the query's terms. Messages are logged; queries must not be. */
export function withoutQuery(message: string, { query, candidate }: SearchPlan): string {
  const { q, exactTerms = '', excludeTerms = '', orTerms = '', parameters } = query
  const terms = [q, exactTerms, excludeTerms, orTerms, parameters.hq ?? '']
  const asked = [q, ...terms.flatMap((words) => words.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])]
  const telling = asked.filter((words) => Buffer.byteLength(words) >= MIN_TERM).flatMap(spellings)
  const patterns = [...new Set(telling)]
    .sort((a, b) => b.length - a.length)
    .map((words) => words.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const clean = scrub(message, candidate.backend)
  return patterns.length > 0 ? clean.replace(new RegExp(patterns.join('|'), 'giu'), '[…]') : clean
}

/** `isOwn` = the message is from the adapter, so the operator needs it. */
function explain(
  { kind, message, retryAfterMs, code, upstreamStatus }: UpstreamError,
  plan: SearchPlan,
  isOwn: boolean,
): HeadgateError {
  const { name } = plan.candidate
  const details = { retryAfterMs, code, upstreamStatus }
  const words = withoutQuery(message, plan).slice(0, MAX_MESSAGE)
  switch (kind) {
    case 'our-credential':
      return new HeadgateError(
        kind,
        `Search backend ${name} rejected the gateway's API key. The gateway's operator must fix it; changing the request will not help.${isOwn && words ? ` ${words}` : ''}`,
        details,
      )
    case 'our-quota':
      return new HeadgateError(
        kind,
        `The gateway's quota at search backend ${name} is exhausted. Contact the gateway's operator.`,
        details,
      )
    default:
      return new HeadgateError(kind, words || 'no reason given', details)
  }
}

/** The failure that a response reports, for the caller; undefined = the response is not a failure. */
export function failureOf(answer: HttpResponse, plan: SearchPlan): HeadgateError | undefined {
  const own = plan.candidate.backend.readError?.(answer)
  if (own === false) return undefined
  const error = own ?? (answer.status >= 400 ? readError(answer.status, answer.body) : undefined)
  if (error) return explain(fromResponse(error, answer), plan, own !== undefined)
  if (answer.status >= 200 && answer.status < 300 && typeof answer.body === 'object' && answer.body !== null)
    return undefined
  return new HeadgateError('upstream', `The response has status ${answer.status} and is not JSON.`)
}
