import { describe, expect, it } from 'vitest'
import { type ErrorKind, HeadgateError } from '../../../src/errors.ts'
import { chatCompletions } from '../../../src/formats/chat-completions/index.ts'

const error = (message: string, fields: object = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...fields },
})

describe('an upstream error in the chat completions format', () => {
  it.each<[string, number, unknown, ErrorKind, string]>([
    ['the vendor’s', 400, error('Bad.'), 'invalid-request', 'Bad.'],
    [
      'a context that is too long, by code',
      400,
      error('Long.', { code: 'context_length_exceeded' }),
      'context-too-long',
      'Long.',
    ],
    [
      'a context that is too long, by its words',
      400,
      error('maximum context length is 8192 tokens'),
      'context-too-long',
      'maximum context length is 8192 tokens',
    ],
    ['too large', 413, '', 'context-too-long', 'The provider responded with status 413.'],
    [
      'no such model',
      404,
      error('The model `x` does not exist', { code: 'model_not_found' }),
      'unknown-model',
      'The model `x` does not exist',
    ],
    ['no such model as a 400', 400, error('x is not a valid model ID'), 'invalid-request', 'x is not a valid model ID'],
    ['no such model as a 400, by code', 400, error('No.', { code: 'model_not_found' }), 'unknown-model', 'No.'],
    [
      'case 309: our key',
      401,
      error('Incorrect API key', { code: 'invalid_api_key' }),
      'our-credential',
      'Incorrect API key',
    ],
    [
      'our key as a 400',
      400,
      error('API key not valid.', { code: 'API_KEY_INVALID' }),
      'our-credential',
      'API key not valid.',
    ],
    ['our permission', 403, error('No.'), 'our-credential', 'No.'],
    ['our credit', 402, error('Pay.'), 'our-quota', 'Pay.'],
    ['our quota', 429, error('Quota.', { code: 'insufficient_quota' }), 'our-quota', 'Quota.'],
    ['a rate limit', 429, error('Slow.', { code: 'rate_limit_exceeded' }), 'rate-limited', 'Slow.'],
    ['a filtered prompt', 400, error('Filtered.', { code: 'content_filter' }), 'content-policy', 'Filtered.'],
    [
      'a field whose name is like a kind',
      400,
      error('Bad.', { param: 'safety_identifier' }),
      'invalid-request',
      'Bad.',
    ],
    ['overload', 503, error('Busy.'), 'overloaded', 'Busy.'],
    ['overload as 529', 529, {}, 'overloaded', 'The provider responded with status 529.'],
    ['a failing server', 500, error('Oops.'), 'upstream', 'Oops.'],
    ['a timeout', 408, '', 'upstream', 'The provider responded with status 408.'],
    [
      'an unprocessable request',
      422,
      { detail: [{ loc: ['body'], msg: 'field required' }, { msg: 'too short' }] },
      'invalid-request',
      'field required; too short',
    ],
    [
      'case 306: a page of HTML',
      502,
      '<html><head><title>502 Bad Gateway</title></head></html>',
      'upstream',
      '502 Bad Gateway',
    ],
    ['plain text', 500, 'upstream connect error', 'upstream', 'upstream connect error'],
    ['nothing', 500, undefined, 'upstream', 'The provider responded with status 500.'],
    ['a list', 400, [error('Bad.')], 'invalid-request', 'Bad.'],
    ['an error that is a text', 400, { error: 'Bad.' }, 'invalid-request', 'Bad.'],
    [
      'a list of errors',
      404,
      { errors: [{ code: 'no', message: 'None.' }, { message: 'Nor any.' }] },
      'unknown-model',
      'None.; Nor any.',
    ],
    [
      'a list of errors in a stream, and a status beside it',
      0,
      {
        errors: [{ code: 'too_much', message: 'the number of input tokens 9 cannot exceed the total tokens limit 8' }],
        status_code: 400,
      },
      'context-too-long',
      'the number of input tokens 9 cannot exceed the total tokens limit 8',
    ],
    [
      'a list of errors beside a message',
      400,
      { code: 'model_not_found', message: 'Bad.', errors: [{}] },
      'unknown-model',
      'Bad.',
    ],
    ['a bare message', 400, { message: 'Bad.' }, 'invalid-request', 'Bad.'],
    [
      'a message that is an object',
      422,
      { object: 'error', message: { detail: [{ msg: 'Bad.' }] } },
      'invalid-request',
      'Bad.',
    ],
    [
      'case 314: a numeric code in a stream',
      0,
      error('Slow.', { type: undefined, code: 429 }),
      'rate-limited',
      'Slow.',
    ],
    [
      'case 314: a code that is a text of digits',
      0,
      error('Busy.', { type: null, code: '503' }),
      'overloaded',
      'Busy.',
    ],
    ['an invalid request in a stream', 0, error('Bad.'), 'invalid-request', 'Bad.'],
    ['anything in a stream', 0, { error: {} }, 'upstream', 'The provider reported an error.'],
  ])('%s', (_, status, body, kind, message) => {
    expect(chatCompletions.readError(status, body)).toEqual({ kind, message })
  })

  it.each<[string, unknown, number]>([
    ['the vendor’s words', error('Please try again in 1m2.5s.'), 62_500],
    ['milliseconds', error('Please try again in 20ms.'), 20],
    ['a field', error('Slow.', { retry_after: 3 }), 3000],
    [
      'case 308: RetryInfo',
      error('Slow.', { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '47s' }] }),
      47_000,
    ],
  ])('how long to wait, from %s', (_, body, retryAfterMs) => {
    expect(chatCompletions.readError(429, body)).toMatchObject({ kind: 'rate-limited', retryAfterMs })
  })

  it('takes a very long or deep body', () => {
    expect(chatCompletions.readError(500, 'x'.repeat(1_000_000)).message.length).toBeLessThanOrEqual(2000)
    expect(
      chatCompletions.readError(500, { error: { error: { error: { error: { error: { error: 'deep' } } } } } }).kind,
    ).toBe('upstream')
  })
})

describe('an error for a chat completions caller', () => {
  it.each<[ErrorKind, string, string | null]>([
    ['invalid-request', 'invalid_request_error', null],
    ['context-too-long', 'invalid_request_error', 'context_length_exceeded'],
    ['unknown-model', 'invalid_request_error', 'model_not_found'],
    ['bad-key', 'invalid_request_error', 'invalid_api_key'],
    ['rate-limited', 'rate_limit_error', 'rate_limit_exceeded'],
    ['overloaded', 'server_error', 'overloaded'],
    ['timeout', 'server_error', 'timeout'],
    ['our-credential', 'server_error', null],
    ['internal', 'server_error', null],
  ])('%s', (kind, type, code) => {
    const body = chatCompletions.writeError(new HeadgateError(kind, 'Words.', { param: 'messages[0].role' }), 'req-1')
    expect(body).toEqual({ error: { message: 'Words.', type, param: 'messages[0].role', code } })
  })

  it('has null where no field is at fault', () => {
    expect(chatCompletions.writeError(new HeadgateError('internal', 'Words.'), 'req-1')).toMatchObject({
      error: { param: null },
    })
  })

  it('within a stream is one whole frame', () => {
    const frame = chatCompletions.writeStreamError(new HeadgateError('cut', 'Cut.\nShort.'), 'req-1')
    expect(frame).toBe('data: {"error":{"message":"Cut.\\nShort.","type":"server_error","param":null,"code":null}}\n\n')
  })
})
