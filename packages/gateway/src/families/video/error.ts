import type { Json } from '@headgate/core/canonical'
import type { VideoFailure } from '@headgate/core/contract'
import type { ErrorKind, HeadgateError } from '@headgate/core/errors'
import type { GatewayReason } from '../../serve/tasks/state.ts'

/** Codes and types of errors. @see https://www.volcengine.com/docs/82379/1299023 */
const CODES: Readonly<Partial<Record<ErrorKind, readonly [code: string, type: string]>>> = {
  'invalid-request': ['InvalidParameter', 'BadRequest'],
  'context-too-long': ['InvalidParameter', 'BadRequest'],
  'content-policy': ['SensitiveContentDetected', 'BadRequest'],
  'unknown-model': ['InvalidEndpointOrModel.NotFound', 'NotFound'],
  'bad-key': ['AuthenticationError', 'Unauthorized'],
  forbidden: ['AccessDenied', 'Forbidden'],
  'not-found': ['ResourceNotFound', 'NotFound'],
  'method-not-allowed': ['MethodNotAllowed', 'BadRequest'],
  conflict: ['InvalidAction.RunningTaskDeletion', 'Conflict'],
  'too-large': ['InvalidParameter', 'BadRequest'],
  'rate-limited': ['RateLimitExceeded', 'TooManyRequests'],
  'over-limit': ['QuotaExceeded', 'TooManyRequests'],
  'over-budget': ['QuotaExceeded', 'TooManyRequests'],
  unavailable: ['ServiceUnavailable', 'InternalServerError'],
}

/** Codes of failed tasks. @see https://www.volcengine.com/docs/82379/1299023 */
const FAILURES: Readonly<Record<VideoFailure['kind'] | GatewayReason, string>> = {
  'refused-text': 'InputTextSensitiveContentDetected',
  'refused-media': 'InputImageSensitiveContentDetected',
  'refused-output': 'OutputVideoSensitiveContentDetected',
  'invalid-request': 'InvalidParameter',
  forbidden: 'AccessDenied',
  'over-quota': 'QuotaExceeded',
  overloaded: 'ServerOverloaded',
  failed: 'InternalServiceError',
  'creation-unknown': 'CreationUnknown',
  'task-unknown': 'UpstreamTaskNotFound',
  expired: 'TaskExpired',
}

/** The code for a failure kind. */
export function failureCode(kind: string): string {
  return (FAILURES as Readonly<Record<string, string>>)[kind] ?? FAILURES.failed
}

/** An error in the shape of Volcengine Ark. @see https://www.volcengine.com/docs/82379/1299023 */
export function writeVideoError({ kind, message, param }: HeadgateError, requestId: string): Json {
  const [code, type] = CODES[kind] ?? ['InternalServiceError', 'InternalServerError']
  return {
    error: { code, message: `${message} Request id: ${requestId}`, ...(param !== undefined && { param }), type },
  }
}
