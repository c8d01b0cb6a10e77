import { describe, expect, it } from 'vitest'
import { type Credential, signed } from '../../../core/src/contract/credential.ts'
import type { HttpResponse } from '../../../core/src/contract/http.ts'
import type { ProviderInstance } from '../../../core/src/contract/provider.ts'
import { HeadgateError } from '../../../core/src/errors.ts'
import { chatCompletions } from '../../../core/src/formats/chat-completions/index.ts'
import { formats } from '../../../core/src/formats/index.ts'
import { signatureOf } from '../../src/http/request.ts'
import { scrub } from '../../src/http/scrub.ts'
import { failureOf, retryAfter } from '../../src/serve/failure.ts'

const provider = (credential: Credential): ProviderInstance => ({ name: 'p', claims: [], credential })

describe('What an upstream said', () => {
  it('goes on without our credential, bare or whole', () => {
    const header = provider({ kind: 'header', name: 'authorization', value: 'Bearer 0123456789abc' })
    expect(scrub('Bearer 0123456789abc and 0123456789abc are wrong', header)).toBe(
      '[redacted] and [redacted] are wrong',
    )
    const query = provider({ kind: 'query', name: 'key', value: 'q-secret' })
    expect(scrub('https://x/?key=q-secret', query)).toBe('https://x/?key=[redacted]')
  })

  it.each([
    'Incorrect API key provided: sk-proj-abcdef123456.',
    'sk_live_abcdef123456',
    'AIzaSyA1234567890123456789012345',
    'Bearer abc.def',
    'eyJhbGciOiJIUzI1.eyJzdWIi.sig',
  ])('goes on without what looks like one: %s', (text) => {
    const clean = scrub(text, provider({ kind: 'none' }))
    expect(clean).toContain('[redacted]')
    expect(clean).not.toMatch(/abcdef123456|AIzaSyA|abc\.def|eyJ/)
  })

  it('hides what signing added, bare and encoded', () => {
    const signing = signed({ sign: () => ({ Authorization: 'Signed zebra/of/the/north' }) })
    if (signing.kind !== 'signed') throw new TypeError('It signs.')
    const request = { method: 'POST', origin: 'https://x', path: '/', headers: { accept: 'application/json' } } as const
    expect(signatureOf(signing, request, undefined)).toEqual({ authorization: 'Signed zebra/of/the/north' })
    expect(scrub('zebra/of/the/north and zebra%2Fof%2Fthe%2Fnorth, application/json', provider(signing))).not.toMatch(
      /zebra/,
    )
  })

  it('goes on as it is where it holds no secret', () => {
    const text = 'The key "api" is risky: the sk model reads task-oriented text.'
    expect(scrub(text, provider({ kind: 'none' }))).toBe(text)
  })
})

describe('The time that an upstream asks for', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const DAY = 86_400_000

  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:30 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7000],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after': 'later' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': 'NaN' }, undefined],
    [{ 'retry-after': '99999999999' }, DAY],
    [{ 'retry-after': '1e300' }, DAY],
    [{ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, DAY],
    [{ 'retry-after-ms': '1e300' }, DAY],
    [{ 'retry-after-ms': 'Infinity', 'retry-after': '7' }, 7000],
    [{ 'retry-after-ms': '-1', 'retry-after': '7' }, 7000],
    [{}, undefined],
  ])('is read from its headers: %j', (headers, ms) => {
    expect(retryAfter(headers, now)).toBe(ms)
  })

  it.each([
    ['a body of an absurd wait', { retry_after: 99999999999 }, {}, DAY],
    ['a body of no wait', { retry_after: -1 }, { 'retry-after': '7' }, 7000],
    ['words of an absurd wait', { message: `Please try again in ${'9'.repeat(300)}s` }, {}, DAY],
    [
      'words of a wait beyond all numbers',
      { message: `Please try again in ${'9'.repeat(400)}s` },
      { 'retry-after': '7' },
      7000,
    ],
    ['details of an absurd wait', { details: [{ retryDelay: '1000000000000s' }] }, {}, DAY],
  ])('is a day at most, and one that makes sense: %s', (_, error, headers, ms) => {
    const body = { error: { message: 'Slow down', ...error } }
    const answer: HttpResponse = { status: 429, headers, body, bytes: Buffer.from(JSON.stringify(body)) }
    for (const format of formats.values())
      expect(failureOf(answer, format, provider({ kind: 'none' }))).toMatchObject({
        kind: 'rate-limited',
        retryAfterMs: ms,
      })
    const own = {
      ...provider({ kind: 'none' }),
      readError: () => ({ kind: 'rate-limited', message: 'x', retryAfterMs: Number.NaN }) as const,
    }
    expect(new HeadgateError('rate-limited', 'x', { retryAfterMs: Number.NaN }).retryAfterMs).toBeUndefined()
    expect(failureOf({ ...answer, headers: { 'retry-after': '9' } }, chatCompletions, own)).toMatchObject({
      retryAfterMs: 9000,
    })
  })
})
