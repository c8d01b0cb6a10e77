import { describe, expect, it } from 'vitest'
import { type ErrorKind, FAILURES, HeadgateError, invalid } from '../../../src/errors.ts'
import { messages } from '../../../src/formats/messages/index.ts'
import { framesOf } from './support.ts'

function body(type: string, message = 'm') {
  return { type: 'error', error: { type, message } }
}

describe('Reading an error of a messages provider', () => {
  it.each<[number, unknown, ErrorKind]>([
    [400, body('invalid_request_error'), 'invalid-request'],
    [400, body('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'), 'context-too-long'],
    [400, body('invalid_request_error', 'Your credit balance is too low to access the API.'), 'our-quota'],
    [400, body('invalid_request_error', 'Output blocked by content filtering policy'), 'content-policy'],
    [401, body('authentication_error'), 'our-credential'],
    [402, body('billing_error'), 'our-quota'],
    [403, body('permission_error'), 'our-credential'],
    [404, body('not_found_error', 'model: x'), 'unknown-model'],
    [409, body('conflict_error'), 'upstream'],
    [413, body('request_too_large'), 'context-too-long'],
    [422, { detail: 'x' }, 'invalid-request'],
    [429, body('rate_limit_error'), 'rate-limited'],
    [500, body('api_error'), 'upstream'],
    [504, body('timeout_error'), 'upstream'],
    [529, body('overloaded_error'), 'overloaded'],
    [0, body('overloaded_error'), 'overloaded'],
    [0, body('something_new'), 'upstream'],
    [0, body('constructor'), 'upstream'],
    [200, body('rate_limit_error'), 'rate-limited'],
  ])('status %i with %j is %s', (status, found, kind) => {
    expect(messages.readError(status, found).kind).toBe(kind)
  })

  it.each<[unknown, string]>([
    [{ type: 'error', error: { type: 'api_error', message: 'said' } }, 'said'],
    [[{ error: { message: 'said' } }], 'said'],
    [{ error: 'said' }, 'said'],
    [{ message: 'said' }, 'said'],
    [{ detail: 'said' }, 'said'],
    [{ detail: [{ loc: ['body'], msg: 'said' }] }, 'said'],
    [{ error: { code: 5 }, message: 'said' }, 'said'],
    ['{"error":{"message":"said"}}', 'said'],
    ['said', 'said'],
    ['<html><head><title>502 Bad Gateway</title></head><body>x</body></html>', '502 Bad Gateway'],
    ['', 'The provider responded with status 502.'],
    [undefined, 'The provider responded with status 502.'],
    [null, 'The provider responded with status 502.'],
    [{}, 'The provider responded with status 502.'],
    [[], 'The provider responded with status 502.'],
    [5, 'The provider responded with status 502.'],
  ])('case 306: finds the words in %j', (found, message) => {
    expect(messages.readError(502, found)).toEqual({ kind: 'upstream', message })
  })

  it('reads how long to wait', () => {
    expect(
      messages.readError(429, { error: { type: 'rate_limit_error', message: 'x', retry_after: 1.5 } }),
    ).toMatchObject({
      retryAfterMs: 1500,
    })
  })
})

describe('Writing an error in the messages format', () => {
  it('names the field, since the format has no place for it', () => {
    expect(messages.writeError(invalid('max_tokens', 'It must be a number.'), 'req_1')).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'max_tokens: It must be a number.' },
      request_id: 'req_1',
    })
    expect(messages.writeError(invalid('max_tokens', 'max_tokens must be a number.'), 'req_1')).toMatchObject({
      error: { message: 'max_tokens must be a number.' },
    })
  })

  it.each<[ErrorKind, string]>([
    ['bad-key', 'authentication_error'],
    ['forbidden', 'permission_error'],
    ['unknown-model', 'not_found_error'],
    ['not-found', 'not_found_error'],
    ['too-large', 'request_too_large'],
    ['rate-limited', 'rate_limit_error'],
    ['over-limit', 'rate_limit_error'],
    ['overloaded', 'overloaded_error'],
    ['timeout', 'timeout_error'],
    ['our-credential', 'api_error'],
    ['our-quota', 'api_error'],
    ['internal', 'api_error'],
  ])('case 307: %s is %s', (kind, type) => {
    expect(messages.writeError(new HeadgateError(kind, 'x'), 'r')).toMatchObject({ error: { type } })
  })

  it('has a type for every kind', () => {
    for (const kind of Object.keys(FAILURES) as ErrorKind[]) {
      expect(messages.writeError(new HeadgateError(kind, 'x'), 'r')).toMatchObject({
        type: 'error',
        error: { type: expect.stringMatching(/_error$|^request_too_large$/) },
      })
    }
  })

  it('is an event of its own within a stream', () => {
    expect(framesOf(messages.writeStreamError(new HeadgateError('cut', 'x'), 'r')).map((frame) => frame.json)).toEqual([
      { type: 'error', error: { type: 'api_error', message: 'x' }, request_id: 'r' },
    ])
  })
})
