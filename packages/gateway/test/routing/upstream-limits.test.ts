import { describe, expect, it, vi } from 'vitest'
import {
  chatCompletionsLimits,
  checkLimitHeaders,
  IETF_LIMITS,
  type LimitHeader,
  MESSAGES_LIMITS,
  type ResetNotation,
} from '../../../core/src/contract/upstream-limits.ts'
import { createUpstreamLimits, resetOf } from '../../src/routing/upstream-limits.ts'

const UNIX = Date.parse('2026-03-01T12:00:00Z')
/** A time of the monotonic clock. */
const NOW = 5_000
const DAY = 86_400_000

const requests = (more: Partial<LimitHeader> = {}): LimitHeader[] => [
  { unit: 'requests', remaining: 'x-left', reset: 'x-reset', ...more },
]

describe('The reset of a used-up limit', () => {
  it.each<[ResetNotation, string, number | undefined]>([
    ['duration', '12ms', 12],
    ['duration', '6m0s', 360_000],
    ['duration', '1h2m3.5s', 3_723_500],
    ['duration', '17.399999999s', 17_400],
    ['duration', '1d', DAY],
    ['duration', '0s', 0],
    ['duration', '60', undefined],
    ['duration', '-5s', undefined],
    ['duration', 'soon', undefined],
    ['duration', '1s later', undefined],
    ['duration', '1.2.3s', undefined],
    ['duration', '5', undefined],
    ['duration', 'ms', undefined],
    ['duration', '3w', undefined],
    ['duration', `${'1'.repeat(60)}s`, undefined],
    ['seconds', '33011.382867', 33_011_383],
    ['seconds', '0.1', 100],
    ['seconds', '2s', 2_000],
    ['seconds', '1', 1_000],
    ['seconds', '0', 0],
    ['seconds', '-1', undefined],
    ['seconds', '', undefined],
    ['seconds', 'NaN', undefined],
    ['seconds', 'Infinity', undefined],
    ['milliseconds', '500', 500],
    ['milliseconds', '2s', 2_000],
    ['milliseconds', '-500', undefined],
    ['epoch', String(UNIX / 1_000 + 90), 90_000],
    ['epoch', String(UNIX + 90_000), 90_000],
    ['epoch', String(UNIX / 1_000 - 1), undefined],
    ['epoch', '0', undefined],
    ['epoch', 'tomorrow', undefined],
    ['rfc3339', '2026-03-01T12:00:45Z', 45_000],
    ['rfc3339', '2026-03-01T13:01:00+01:00', 60_000],
    ['rfc3339', '2026-03-01T11:59:00Z', undefined],
    ['rfc3339', 'later', undefined],
  ])('is read as %s: %s', (resetAs, value, ms) => {
    expect(resetOf(requests({ resetAs }), { 'x-left': '0', 'x-reset': value }, UNIX)).toBe(ms)
  })

  it('is one day at most', () => {
    expect(resetOf(requests({ resetAs: 'seconds' }), { 'x-left': '0', 'x-reset': '9999999999' }, UNIX)).toBe(DAY)
    expect(resetOf(requests({ resetAs: 'duration' }), { 'x-left': '0', 'x-reset': '900h' }, UNIX)).toBe(DAY)
    expect(resetOf(requests({ resetAs: 'epoch' }), { 'x-left': '0', 'x-reset': '9999999999' }, UNIX)).toBe(DAY)
  })

  it('is the last of the limits that are used up', () => {
    const headers: LimitHeader[] = ['a', 'b', 'c'].map((name) => ({
      unit: 'requests',
      remaining: `${name}-left`,
      reset: `${name}-reset`,
      resetAs: 'seconds',
    }))
    const given = { 'a-left': '0', 'a-reset': '5', 'b-left': '0', 'b-reset': '30', 'c-left': '7', 'c-reset': '600' }
    expect(resetOf(headers, given, UNIX)).toBe(30_000)
    expect(resetOf(headers, { ...given, 'a-left': '1', 'b-left': '1' }, UNIX)).toBeUndefined()
    expect(resetOf([], given, UNIX)).toBeUndefined()
  })

  it('is the end of the window, but half an hour at most, if the response has none', () => {
    expect(resetOf(requests({ windowMs: 60_000 }), { 'x-left': '0' }, UNIX)).toBe(60_000)
    expect(resetOf(requests({ windowMs: DAY }), { 'x-left': '0' }, UNIX)).toBe(1_800_000)
    expect(resetOf(requests({ windowMs: 60_000 }), {}, UNIX)).toBeUndefined()
  })

  it('counts without a remaining amount if failures alone report it', () => {
    const headers: LimitHeader[] = [{ unit: 'requests', reset: 'x-wait', resetAs: 'seconds' }]
    expect(resetOf(headers, { 'x-wait': '8' }, UNIX)).toBe(8_000)
    expect(resetOf(headers, {}, UNIX)).toBeUndefined()
  })

  it('is not read from an amount that is not one, or from a limit that does not exist', () => {
    const headers = chatCompletionsLimits('seconds')
    const given = { 'x-ratelimit-remaining-tokens': '-1', 'x-ratelimit-reset-tokens': '0' }
    expect(resetOf(headers, given, UNIX)).toBeUndefined()
    const unlimited = { 'x-ratelimit-limit-tokens': '0', 'x-ratelimit-remaining-tokens': '0' }
    expect(resetOf(headers, { ...unlimited, 'x-ratelimit-reset-tokens': '60' }, UNIX)).toBeUndefined()
  })

  it.each([
    ['"api";r=0;t=295', 295_000],
    ['"burst";r=5;t=1, "day";r=0;t=600', 600_000],
    ['"api"; r=0; t=7', 7_000],
    ['"api";r=1;t=295', undefined],
    ['"api";r=0', undefined],
    ['limit=100', undefined],
  ])('is read from the field of the IETF: %s', (ratelimit, ms) => {
    expect(resetOf(IETF_LIMITS, { ratelimit }, UNIX)).toBe(ms)
  })
})

describe('A target', () => {
  const TOKENS: LimitHeader[] = [{ unit: 'tokens', remaining: 't-left', reset: 't-reset', resetAs: 'seconds' }]

  it('is short until the reset if fewer tokens remain than the request needs', () => {
    const limits = createUpstreamLimits()
    limits.note('a', TOKENS, { 't-left': '1000', 't-reset': '30' }, NOW)
    expect(limits.shortUntil('a', 1_000, NOW)).toBeUndefined()
    expect(limits.shortUntil('a', 1_001, NOW)).toBe(NOW + 30_000)
    expect(limits.shortUntil('a', 1_001, NOW + 30_000)).toBeUndefined()
    expect(limits.shortUntil('b', 1_001, NOW)).toBeUndefined()
  })

  it('is short if no requests remain, and no longer after a response with some', () => {
    const limits = createUpstreamLimits()
    const headers = requests({ resetAs: 'duration' })
    limits.note('a', headers, { 'x-left': '0', 'x-reset': '6m0s' }, NOW)
    expect(limits.shortUntil('a', 0, NOW + 1)).toBe(NOW + 360_000)
    limits.note('a', headers, { 'x-left': '2', 'x-reset': '6m0s' }, NOW + 2)
    expect(limits.shortUntil('a', 1_000_000, NOW + 3)).toBeUndefined()
  })

  it('is short until the last of several shortages ends', () => {
    const limits = createUpstreamLimits()
    const given = { 'x-left': '0', 'x-reset': '10s', 't-left': '5', 't-reset': '90' }
    limits.note('a', [...requests({ resetAs: 'duration' }), ...TOKENS], given, NOW)
    expect(limits.shortUntil('a', 1, NOW)).toBe(NOW + 10_000)
    expect(limits.shortUntil('a', 6, NOW)).toBe(NOW + 90_000)
  })

  it('is short until enough is refilled, where the amount grows until the reset', () => {
    const limits = createUpstreamLimits()
    const given = {
      'x-ratelimit-limit-tokens': '6000',
      'x-ratelimit-remaining-tokens': '1000',
      'x-ratelimit-reset-tokens': '50s',
      'x-ratelimit-limit-requests': '14400',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '24h0m0s',
    }
    limits.note('a', chatCompletionsLimits('duration', { refills: true }), given, NOW)
    expect(limits.shortUntil('a', 1_000, NOW)).toBe(NOW + 6_000)
    expect(limits.shortUntil('a', 2_000, NOW)).toBe(NOW + 10_000)
    expect(limits.shortUntil('a', 2_000, NOW + 10_000)).toBeUndefined()
    expect(limits.shortUntil('a', 9_000, NOW)).toBe(NOW + 50_000)
    limits.note('b', chatCompletionsLimits('duration'), given, NOW)
    expect(limits.shortUntil('b', 1_000, NOW)).toBe(NOW + DAY)
  })

  it('is not short of output as long as some remains, since a request does not state its output', () => {
    vi.spyOn(Date, 'now').mockReturnValue(UNIX)
    const limits = createUpstreamLimits()
    const given = {
      'anthropic-ratelimit-input-tokens-limit': '450000',
      'anthropic-ratelimit-input-tokens-remaining': '450000',
      'anthropic-ratelimit-input-tokens-reset': '2026-03-01T12:00:00Z',
      'anthropic-ratelimit-output-tokens-remaining': '1000',
      'anthropic-ratelimit-output-tokens-reset': '2026-03-01T12:00:50Z',
    }
    limits.note('a', MESSAGES_LIMITS, given, NOW)
    expect(limits.shortUntil('a', 32_000, NOW)).toBeUndefined()
    limits.note('a', MESSAGES_LIMITS, { ...given, 'anthropic-ratelimit-output-tokens-remaining': '0' }, NOW)
    expect(limits.shortUntil('a', 1, NOW)).toBe(NOW + 50_000)
  })

  it('is short for ten seconds if the reset is unknown', () => {
    const limits = createUpstreamLimits()
    for (const given of [{ 'x-left': '0' }, { 'x-left': '0', 'x-reset': '17' }]) {
      limits.note('a', requests({ resetAs: 'duration' }), given, NOW)
      expect(limits.shortUntil('a', 1, NOW + 9_999)).toBe(NOW + 10_000)
      expect(limits.shortUntil('a', 1, NOW + 10_000)).toBeUndefined()
    }
  })

  it.each([{}, { 'x-left': '-1', 'x-reset': '0s' }, { 'x-left': 'many' }, { 'x-left': '' }, { 'retry-after': '60' }])(
    'keeps its limits after a response without any: %j',
    (given) => {
      const limits = createUpstreamLimits()
      const headers = requests({ resetAs: 'duration' })
      limits.note('a', headers, given, NOW)
      expect(limits.known.size).toBe(0)
      limits.note('a', headers, { 'x-left': '0', 'x-reset': '1m' }, NOW)
      limits.note('a', headers, given, NOW + 1)
      expect(limits.shortUntil('a', 1, NOW + 2)).toBe(NOW + 60_000)
    },
  )

  it('has the first of repeated headers', () => {
    const limits = createUpstreamLimits()
    limits.note('a', requests({ resetAs: 'duration' }), { 'x-left': ['0', '9'], 'x-reset': ['1s', '9s'] }, NOW)
    expect(limits.shortUntil('a', 1, NOW)).toBe(NOW + 1_000)
  })

  it('is reported with its smallest amounts, and the time at which the last limit resets', () => {
    vi.spyOn(Date, 'now').mockReturnValue(UNIX)
    const limits = createUpstreamLimits()
    const given = { 'x-left': '12', 'x-reset': '10s', 't-left': '5', 't-reset': '90', 'u-left': '3' }
    const headers = [...requests({ resetAs: 'duration' }), ...TOKENS, { unit: 'tokens', remaining: 'u-left' } as const]
    limits.note('a', headers, given, NOW)
    expect(limits.state('a', NOW)).toEqual({ requests: 12, tokens: 3, resetAt: UNIX + 90_000 })
    expect(limits.state('a', NOW + 20_000)).toEqual({ tokens: 5, resetAt: UNIX + 70_000 })
    expect(limits.state('a', NOW + 90_000)).toBeUndefined()
    limits.note('a', [{ unit: 'tokens', remaining: 'u-left' }], given, NOW)
    expect(limits.state('a', NOW)).toEqual({ tokens: 3 })
  })

  it('is copied from a previous gateway', () => {
    const before = createUpstreamLimits()
    for (const key of ['a', 'b']) before.note(key, TOKENS, { 't-left': '0', 't-reset': '30' }, NOW)
    const limits = createUpstreamLimits()
    limits.copyFrom(before, (key) => key === 'a')
    expect([...limits.known.keys()]).toEqual(['a'])
    expect(limits.shortUntil('a', 1, NOW)).toBe(NOW + 30_000)
    limits.copyFrom(before)
    expect([...limits.known.keys()]).toEqual(['a', 'b'])
  })

  it('is forgotten first if its limits are the oldest of ten thousand', () => {
    const limits = createUpstreamLimits()
    for (let index = 0; index < 10_000; index++)
      limits.note(`t${index}`, TOKENS, { 't-left': '0', 't-reset': '9' }, NOW)
    limits.note('t0', TOKENS, { 't-left': '0', 't-reset': '9' }, NOW)
    limits.note('new', TOKENS, { 't-left': '0', 't-reset': '9' }, NOW)
    expect(limits.known.size).toBe(10_000)
    expect(limits.shortUntil('t1', 1, NOW)).toBeUndefined()
    expect(limits.shortUntil('t0', 1, NOW)).toBe(NOW + 9_000)
  })
})

describe('The limit headers of an adapter', () => {
  it.each<[string, object[], string]>([
    ['a misspelt member', [{ unit: 'requests', remainig: 'a' }], 'has no member "remainig". Did you mean "remaining"?'],
    ['an upper case name', [{ unit: 'requests', remaining: 'X-Left' }], 'must be in lower case'],
    ['a reset without a notation', [{ unit: 'requests', remaining: 'a', reset: 'b' }], 'needs `resetAs`'],
    [
      'more than 8 headers',
      [...chatCompletionsLimits('seconds'), ...chatCompletionsLimits('seconds')],
      'reads 12 limit headers. The maximum is 8.',
    ],
  ])('cannot have %s', (_, headers, message) => {
    expect(() => checkLimitHeaders('acme', headers as LimitHeader[])).toThrow(message)
  })

  it('can be any preset', () => {
    for (const headers of [chatCompletionsLimits(), chatCompletionsLimits('epoch'), MESSAGES_LIMITS, IETF_LIMITS])
      expect(() => checkLimitHeaders('acme', headers)).not.toThrow()
  })
})
