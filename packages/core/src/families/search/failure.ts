import { errorReader } from '../../chat/error-body.ts'
import { HeadgateError, type UpstreamError } from '../../errors.ts'
import type { HttpResponse } from '../../provider.ts'
import { retryAfter, scrub } from '../failure.ts'
import type { Candidate } from './engines.ts'

const MOST_SAID = 2_000

/** A backend has neither models nor conversations: what is said of those is said of the address, or of the words. */
const readError = errorReader({
  codes: [],
  correct: (kind) => (kind === 'unknown-model' ? 'upstream' : kind === 'context-too-long' ? 'invalid-request' : kind),
})

/** `isOwn` = the adapter said it, who may know what has to be mended. */
function explain({ kind, message, retryAfterMs }: UpstreamError, { name, backend }: Candidate, isOwn: boolean): HeadgateError {
  const details = { retryAfterMs }
  const words = scrub(message, backend).slice(0, MOST_SAID)
  switch (kind) {
    case 'our-credential':
      return new HeadgateError(
        kind,
        `Search backend ${name} refused the gateway's credential. Its operator has to mend that.${isOwn && words ? ` ${words}` : ''}`,
        details,
      )
    case 'our-quota':
      return new HeadgateError(kind, `The gateway's account at search backend ${name} is used up. Its operator has to mend that.`, details)
    default:
      return new HeadgateError(kind, words || 'no reason given', details)
  }
}

/** The failure that an answer is, in words for the caller; undefined when it is none. */
export function failureOf(answer: HttpResponse, candidate: Candidate): HeadgateError | undefined {
  const own = candidate.backend.readError?.(answer)
  const error = own ?? (answer.status >= 400 ? readError(answer.status, answer.body) : undefined)
  if (error)
    return explain({ retryAfterMs: retryAfter(answer.headers, Date.now()), ...error } as UpstreamError, candidate, own !== undefined)
  if (answer.status >= 200 && answer.status < 300 && typeof answer.body === 'object' && answer.body !== null) return undefined
  return new HeadgateError('upstream', `It answered with status ${answer.status} and something that is no JSON.`)
}
