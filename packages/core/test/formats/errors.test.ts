import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import { type ErrorKind, HeadgateError } from '../../src/errors.ts'
import { formats } from '../../src/formats/index.ts'

/** What each status means where the body says nothing of its own. */
const STATUSES: readonly (readonly [number, ErrorKind])[] = [
  [400, 'invalid-request'],
  [401, 'our-credential'],
  [402, 'our-quota'],
  [403, 'our-credential'],
  [404, 'unknown-model'],
  [405, 'invalid-request'],
  [408, 'upstream'],
  [409, 'upstream'],
  [413, 'context-too-long'],
  [415, 'invalid-request'],
  [422, 'invalid-request'],
  [425, 'upstream'],
  [429, 'rate-limited'],
  [499, 'upstream'],
  [500, 'upstream'],
  [501, 'upstream'],
  [502, 'upstream'],
  [503, 'overloaded'],
  [504, 'upstream'],
  [520, 'upstream'],
  [529, 'overloaded'],
  [599, 'upstream'],
]

/** Bodies that say nothing of what went wrong. */
const SILENT: readonly unknown[] = [
  undefined,
  null,
  '',
  {},
  [],
  [{}],
  { error: {} },
  { error: null },
  5,
  '<html></html>',
  { error: [] },
]

const rpc = (status: string, message: string, details: unknown[] = []): Json => ({
  error: { status, message, details },
})

/** Bodies of refused requests (400 and 422) that say what was wrong with them. */
const REFUSED: readonly (readonly [string, unknown, ErrorKind])[] = [
  [
    'a code of a context that is too long',
    { error: { message: 'No.', code: 'context_length_exceeded' } },
    'context-too-long',
  ],
  [
    'the words of OpenAI',
    { error: { message: "This model's maximum context length is 8192 tokens." } },
    'context-too-long',
  ],
  [
    'the words of Anthropic',
    { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } },
    'context-too-long',
  ],
  [
    'more words of Anthropic',
    { error: { message: 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000' } },
    'context-too-long',
  ],
  [
    'the words of Google',
    rpc('INVALID_ARGUMENT', 'The input token count (5) exceeds the maximum number of tokens allowed (4).'),
    'context-too-long',
  ],
  ['the words of an imitator', { message: 'Input is too long for requested model.' }, 'context-too-long'],
  [
    'the words of another',
    { error: { message: 'Your request exceeded model token limit : 8192' } },
    'context-too-long',
  ],
  [
    'more words of it',
    { error: { message: 'Input token length too long', type: 'invalid_request_error' } },
    'context-too-long',
  ],
  ['a code of an unknown model', { error: { message: 'No.', code: 'model_not_found' } }, 'unknown-model'],
  ['a deployment that is not there', { error: { message: 'No.', code: 'DeploymentNotFound' } }, 'unknown-model'],
  ['a model that does not exist', { error: { message: 'The model `x` does not exist.' } }, 'unknown-model'],
  [
    'a bad key, by its reason',
    rpc('INVALID_ARGUMENT', 'No.', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
    ]),
    'our-credential',
  ],
  [
    'a bad key, by its words',
    { error: { message: 'API key not valid. Please pass a valid API key.' } },
    'our-credential',
  ],
  ['an empty account', { error: { message: 'Your credit balance is too low.' } }, 'our-quota'],
  ['an account that is used up', { error: { message: 'No.', code: 'insufficient_quota' } }, 'our-quota'],
  ['a filter', { error: { message: 'No.', code: 'content_filter' } }, 'content-policy'],
  ['a rate limit', { error: { message: 'No.', type: 'rate_limit_error' } }, 'rate-limited'],
  ['a server that fails', { error: { message: 'No.', type: 'server_error' } }, 'invalid-request'],
  [
    'a field whose name is like a code',
    { error: { message: 'Unknown parameter: billing_address', param: 'safety_identifier' } },
    'invalid-request',
  ],
]

const TOLD = 'said'

describe.each([...formats.values()].map((format) => [format.id, format] as const))(
  'An upstream’s failure in %s',
  (_, { readError, ...format }) => {
    it.each(STATUSES)('%i without words is %s', (status, kind) => {
      for (const body of SILENT)
        expect(readError(status, body)).toEqual({ kind, message: `The provider responded with status ${status}.` })
    })

    it.each(REFUSED)('a refused request: %s', (_name, body, kind) => {
      expect([readError(400, body).kind, readError(422, body).kind]).toEqual([kind, kind])
      expect(readError(400, [body]).kind).toBe(kind)
      expect(readError(400, JSON.stringify(body)).kind).toBe(kind)
    })

    it('an account that is used up is no rate limit', () => {
      expect(readError(429, { error: { message: 'No.', code: 'insufficient_quota' } }).kind).toBe('our-quota')
    })

    it('a server that fails has failed, whatever it says', () => {
      for (const code of [
        'context_length_exceeded',
        'rate_limit_exceeded',
        'invalid_api_key',
        'model_not_found',
        'invalid_request_error',
      ])
        expect(readError(500, { error: { message: 'maximum context length', code } }).kind).toBe('upstream')
      expect(readError(500, { error: { message: 'No.', type: 'overloaded_error' } }).kind).toBe('overloaded')
    })

    it.each<[unknown, ErrorKind]>([
      [{ error: { message: TOLD, code: 429 } }, 'rate-limited'],
      [{ error: { message: TOLD, code: '503' } }, 'overloaded'],
      [{ error: { message: TOLD, status: 'RESOURCE_EXHAUSTED' } }, 'rate-limited'],
      [{ error: { message: TOLD, type: 'overloaded_error' } }, 'overloaded'],
      [{ error: { message: TOLD, type: 'authentication_error' } }, 'our-credential'],
      [{ error: { message: TOLD, type: 'invalid_request_error' } }, 'invalid-request'],
      [{ error: { message: TOLD, type: 'server_error' } }, 'upstream'],
      [{ error: TOLD }, 'upstream'],
    ])('within a stream the body’s own words decide: %j is %s', (body, kind) => {
      for (const status of [0, 200]) expect(readError(status, body)).toEqual({ kind, message: TOLD })
    })

    it.each([
      [{ error: { message: TOLD } }],
      [[{ error: { message: TOLD } }]],
      [{ error: TOLD }],
      [{ message: TOLD }],
      [{ detail: TOLD }],
      [{ detail: [{ loc: ['body'], msg: TOLD }] }],
      [{ message: { detail: [{ msg: TOLD }] } }],
      [{ error: { code: 5 }, message: TOLD }],
      [`  ${TOLD}\n`],
      [`<html><head><title>${TOLD}</title></head><body>x</body></html>`],
      [`<html><body><h1>${TOLD}</h1></body></html>`],
      [JSON.stringify({ error: { message: TOLD } })],
    ])('the words are found in %j', (body) => {
      expect(readError(502, body)).toEqual({ kind: 'upstream', message: TOLD })
    })

    it.each<[unknown, number]>([
      [{ error: { message: 'Please try again in 1m2.5s.' } }, 62_500],
      [{ error: { message: 'Please retry in 1.25s.' } }, 1250],
      [{ error: { message: 'Slow.', retry_after: 3 } }, 3000],
      [{ error: { message: 'Slow.', availability: { retryable: true, retry_after: 7 } } }, 7000],
      [{ error: { message: 'Please retry after 45 seconds.' } }, 45_000],
      [{ error: { message: 'Try again in 1 hour, 2 minutes 3s' } }, 3_723_000],
      [{ error: { message: 'Please wait 52220 seconds before retrying.' } }, 52_220_000],
      [{ error: { message: 'Throttled. Your rate limit resets in ~30s.' } }, 30_000],
      [{ error: { message: 'Slow.', details: [{ reason: 'x' }, { retryDelay: '47s' }] } }, 47_000],
      [{ error: { message: 'Slow.', details: [{ retryDelay: { seconds: '2', nanos: 500_000_000 } }] } }, 2500],
    ])('how long to wait is found in %j', (body, retryAfterMs) => {
      expect(readError(429, body)).toMatchObject({ kind: 'rate-limited', retryAfterMs })
    })

    it.each([
      [{ retry_after: -1 }],
      [{ retry_after: 'soon' }],
      [{ details: [{ retryDelay: { seconds: 'x' } }] }],
      [{ details: 'x' }],
      [{ availability: { retry_after: null } }],
    ])('no time to wait is made of %j', (fields) => {
      expect(readError(429, { error: { message: 'Slow.', ...fields } })).toEqual({
        kind: 'rate-limited',
        message: 'Slow.',
      })
    })

    it('a body that is very long or deep is read as far as it matters', () => {
      let deep: unknown = 'words'
      for (let depth = 0; depth < 100_000; depth++) deep = depth % 2 === 0 ? { error: deep } : [deep]
      expect(readError(500, deep).kind).toBe('upstream')
      expect(readError(500, 'x'.repeat(1_000_000)).message.length).toBeLessThanOrEqual(2000)
      expect(readError(500, { error: { message: 'x'.repeat(1_000_000) } }).message.length).toBeLessThanOrEqual(2000)
      expect(readError(500, `<${'x <title '.repeat(100_000)}`).kind).toBe('upstream')
    })

    it('comes back as the same kind of failure from what is written of it', () => {
      for (const kind of ['invalid-request', 'rate-limited'] as const) {
        const error = new HeadgateError(kind, 'Words.', { retryAfterMs: 1500 })
        expect(readError(error.status, format.writeError(error, 'req_1'))).toMatchObject({ kind, message: 'Words.' })
      }
    })
  },
)

describe('An error at the end of a JSON array', () => {
  const error = new HeadgateError('cut', 'Cut.')
  const generateContent = formats.get('generate-content')

  it('is its last element, or the only one where nothing was written yet', () => {
    const element = generateContent?.writeError(error, 'r')
    expect(JSON.parse(`[{"a":1}${generateContent?.writeStreamError(error, 'r', 'json-array')}`)).toEqual([
      { a: 1 },
      element,
    ])
    expect(JSON.parse(`[{"a":1}${generateContent?.writeStreamError(error, 'r', 'json-array', true)}`)).toEqual([
      { a: 1 },
      element,
    ])
    expect(JSON.parse(generateContent?.writeStreamError(error, 'r', 'json-array', false) ?? '')).toEqual([element])
  })

  it('is one whole frame among server-sent events, whatever was written', () => {
    for (const begun of [true, false])
      expect(generateContent?.writeStreamError(error, 'r', 'sse', begun)).toMatch(/^data: \{.*\}\r\n\r\n$/)
  })
})
