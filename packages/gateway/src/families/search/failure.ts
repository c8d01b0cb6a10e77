import { errorReader } from '@headgate/core/canonical'
import type { HttpResponse } from '@headgate/core/contract'
import { HeadgateError, type UpstreamError } from '@headgate/core/errors'
import { scrub } from '../../http/scrub.ts'
import { fromAnswer } from '../../serve/failure.ts'
import type { SearchPlan } from './plan.ts'

const MOST_SAID = 2_000

/** A backend has neither models nor conversations: what is said of those is said of the address, or of the words. */
const readError = errorReader({
  codes: [],
  correct: (kind) => (kind === 'unknown-model' ? 'upstream' : kind === 'context-too-long' ? 'invalid-request' : kind),
})

/** Shorter words, in bytes, stand in every message. */
const TELLING = 4

/** A word as it may stand in a message: in a URL, and in any case. */
function spellings(words: string): string[] {
  const encoded = encodeURIComponent(words.toWellFormed())
  return [words, encoded, encoded.replaceAll('%20', '+')]
}

/** A message without the words that were searched for: messages go to logs, what people search for does not. */
export function withoutQuery(message: string, { query, candidate }: SearchPlan): string {
  const { q, exactTerms = '', excludeTerms = '', orTerms = '', parameters } = query
  const terms = [q, exactTerms, excludeTerms, orTerms, parameters.hq ?? '']
  const asked = [q, ...terms.flatMap((words) => words.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])]
  const telling = asked.filter((words) => Buffer.byteLength(words) >= TELLING).flatMap(spellings)
  const patterns = [...new Set(telling)]
    .sort((a, b) => b.length - a.length)
    .map((words) => words.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const clean = scrub(message, candidate.backend)
  return patterns.length > 0 ? clean.replace(new RegExp(patterns.join('|'), 'giu'), '[…]') : clean
}

/** `isOwn` = the adapter said it, who may know what has to be mended. */
function explain(
  { kind, message, retryAfterMs, code, upstreamStatus }: UpstreamError,
  plan: SearchPlan,
  isOwn: boolean,
): HeadgateError {
  const { name } = plan.candidate
  const details = { retryAfterMs, code, upstreamStatus }
  const words = withoutQuery(message, plan).slice(0, MOST_SAID)
  switch (kind) {
    case 'our-credential':
      return new HeadgateError(
        kind,
        `Search backend ${name} refused the gateway's credential. Its operator has to mend that.${isOwn && words ? ` ${words}` : ''}`,
        details,
      )
    case 'our-quota':
      return new HeadgateError(
        kind,
        `The gateway's account at search backend ${name} is used up. Its operator has to mend that.`,
        details,
      )
    default:
      return new HeadgateError(kind, words || 'no reason given', details)
  }
}

/** The failure that an answer is, in words for the caller; undefined when it is none. */
export function failureOf(answer: HttpResponse, plan: SearchPlan): HeadgateError | undefined {
  const own = plan.candidate.backend.readError?.(answer)
  if (own === false) return undefined
  const error = own ?? (answer.status >= 400 ? readError(answer.status, answer.body) : undefined)
  if (error) return explain(fromAnswer(error, answer), plan, own !== undefined)
  if (answer.status >= 200 && answer.status < 300 && typeof answer.body === 'object' && answer.body !== null)
    return undefined
  return new HeadgateError('upstream', `It answered with status ${answer.status} and something that is no JSON.`)
}
