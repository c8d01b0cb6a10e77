import { describe, expect, it } from 'vitest'
import { HeadgateError } from '../../../src/errors.ts'
import { generateContent } from '../../../src/formats/generate-content/index.ts'

const { readError, writeError } = generateContent
const google = (code: number, status: string, message: string, details: unknown[] = []): unknown => ({
  error: { code, status, message, details },
})

describe('reading an error', () => {
  it('case 308: says how long to wait', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '47s' }]
    expect(readError(429, google(429, 'RESOURCE_EXHAUSTED', 'Quota', details))).toEqual({
      kind: 'rate-limited',
      message: 'Quota',
      retryAfterMs: 47_000,
    })
    expect(readError(429, google(429, 'RESOURCE_EXHAUSTED', 'Please retry in 1.25s.'))).toMatchObject({
      retryAfterMs: 1250,
    })
    expect(
      readError(429, google(429, 'RESOURCE_EXHAUSTED', 'q', [{ retryDelay: { seconds: '2', nanos: 500_000_000 } }])),
    ).toMatchObject({
      retryAfterMs: 2500,
    })
  })

  it('case 310: a bad key of ours is not the caller’s fault', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    expect(
      readError(400, google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', details)).kind,
    ).toBe('our-credential')
    expect(readError(400, google(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.')).kind).toBe(
      'our-credential',
    )
  })

  it('case 288: an error as a list', () => {
    expect(readError(503, [google(503, 'UNAVAILABLE', 'The model is overloaded.')])).toEqual({
      kind: 'overloaded',
      message: 'The model is overloaded.',
    })
  })

  it.each([
    [400, google(400, 'INVALID_ARGUMENT', 'Bad field'), 'invalid-request'],
    [
      400,
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
      ),
      'context-too-long',
    ],
    [400, google(400, 'FAILED_PRECONDITION', 'Please enable billing on your project.'), 'our-quota'],
    [400, google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'), 'our-credential'],
    [401, google(401, 'UNAUTHENTICATED', 'x'), 'our-credential'],
    [403, google(403, 'PERMISSION_DENIED', 'API not enabled'), 'our-credential'],
    [
      403,
      google(403, 'PERMISSION_DENIED', 'You do not have permission to access the File abc or it may not exist.'),
      'invalid-request',
    ],
    [404, google(404, 'NOT_FOUND', 'models/x is not found for API version v1beta'), 'unknown-model'],
    [404, google(404, 'NOT_FOUND', 'CachedContent not found'), 'invalid-request'],
    [413, 'too big', 'context-too-long'],
    [429, google(429, 'RESOURCE_EXHAUSTED', 'x'), 'rate-limited'],
    [500, google(500, 'INTERNAL', 'x'), 'upstream'],
    [503, google(503, 'UNAVAILABLE', 'x'), 'overloaded'],
    [504, google(504, 'DEADLINE_EXCEEDED', 'x'), 'upstream'],
    [0, google(429, 'RESOURCE_EXHAUSTED', 'x'), 'rate-limited'],
    [0, { error: { status: 'UNAVAILABLE', message: 'x' } }, 'overloaded'],
    [0, { error: { code: '503', message: 'x' } }, 'overloaded'],
    [0, { error: {} }, 'upstream'],
    [200, google(400, 'INVALID_ARGUMENT', 'x'), 'invalid-request'],
  ])('status %s with %j', (status, body, kind) => {
    expect(readError(status, body).kind).toBe(kind)
  })

  it.each([
    ['', 'The provider responded with status 502.'],
    [null, 'The provider responded with status 502.'],
    [undefined, 'The provider responded with status 502.'],
    ['<html><body>Bad gateway</body></html>', 'Bad gateway'],
    ['upstream connect error', 'upstream connect error'],
    [{ error: 'busy' }, 'busy'],
    [{ message: 'busy' }, 'busy'],
    [{ detail: 'busy' }, 'busy'],
    [[], 'The provider responded with status 502.'],
  ])('case 306, 314: a body of another shape: %j', (body, message) => {
    expect(readError(502, body)).toEqual({ kind: 'upstream', message })
  })
})

describe('writing an error', () => {
  it('has the vendor’s shape, and names the field and the request', () => {
    const error = new HeadgateError('invalid-request', 'Wrong.', { param: 'contents[0]' })
    expect(writeError(error, 'req_1')).toEqual({
      error: {
        code: 400,
        message: 'Wrong.',
        status: 'INVALID_ARGUMENT',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId: 'req_1' },
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: 'contents[0]', description: 'Wrong.' }],
          },
        ],
      },
    })
  })

  it.each([
    ['bad-key', 401, 'UNAUTHENTICATED'],
    ['rate-limited', 429, 'RESOURCE_EXHAUSTED'],
    ['our-credential', 500, 'INTERNAL'],
    ['overloaded', 500, 'UNAVAILABLE'],
    ['unknown-model', 400, 'NOT_FOUND'],
  ] as const)('case 307: %s is %s %s', (kind, code, status) => {
    expect(writeError(new HeadgateError(kind, 'x'), 'r')).toMatchObject({ error: { code, status } })
  })

  it('says how long to wait in a way that can be read', () => {
    const error = new HeadgateError('rate-limited', 'x', { retryAfterMs: 1500 })
    expect(readError(429, writeError(error, 'r'))).toEqual({ kind: 'rate-limited', message: 'x', retryAfterMs: 1500 })
  })
})
