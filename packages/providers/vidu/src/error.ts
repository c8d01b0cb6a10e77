import {
  type ErrorKind,
  type HttpResponse,
  object,
  text,
  type UpstreamError,
  type VideoFailure,
} from '@headgate/core/provider'

/** Error codes of responses and of tasks. */
const CODES: Readonly<Record<string, readonly [ErrorKind, VideoFailure['kind']]>> = {
  AuditSubmitIllegal: ['content-policy', 'refused-text'],
  TaskPromptPolicyViolation: ['content-policy', 'refused-text'],
  CreationPolicyViolation: ['content-policy', 'refused-output'],
  CreditInsufficient: ['our-quota', 'over-quota'],
  QuotaExceeded: ['rate-limited', 'over-quota'],
  TooManyRequests: ['rate-limited', 'over-quota'],
  SystemThrottling: ['rate-limited', 'over-quota'],
  OperationInProcess: ['overloaded', 'overloaded'],
  ModelUnavailable: ['unknown-model', 'failed'],
  TaskNotFound: ['not-found', 'failed'],
  CreationNotFound: ['not-found', 'failed'],
  NotFound: ['not-found', 'failed'],
}

export function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const reason = text(object(body)?.['reason'])
  if (status < 400 || reason === undefined) return undefined
  const message = text(object(body)?.['message']) || reason
  const kind = CODES[reason]?.[0]
  return kind && { kind, message }
}

/** Tells if a task has begun, so that it cannot be canceled. */
export function isLate({ status, body }: HttpResponse): boolean {
  return status === 400 && /can ?not cancel/i.test(text(object(body)?.['message']) ?? '')
}

/** Failure of a task, by its `err_code`. */
export function failure(reason: string): VideoFailure {
  const isInput = /^(Field|Image|PageSize|BadRequest)/.test(reason)
  return { kind: CODES[reason]?.[1] ?? (isInput ? 'invalid-request' : 'failed'), message: reason }
}
