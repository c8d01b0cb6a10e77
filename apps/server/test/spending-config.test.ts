import { describe, expect, it } from 'vitest'
import { dollarsText, nanosOf, readBudget } from '../src/config/budget-text.ts'
import { checkConfig } from '../src/config/settings.ts'
import { configuredBudgets } from '../src/service/budgets.ts'
import { command } from './program.ts'
import { temporaryFolder } from './temporary.ts'

/** What is said of a configuration that is refused. */
function problem(config: object): string {
  try {
    checkConfig('the file', config, {})
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('The configuration was accepted.')
}

describe('An amount', () => {
  it('is read digit by digit, and never becomes a fraction of two', () => {
    expect(['0.1', '0.000000001', '9007199254.740993', '9223372036.854775807', '5', '0'].map(nanosOf)).toEqual([
      100_000_000n,
      1n,
      9_007_199_254_740_993_000n,
      9_223_372_036_854_775_807n,
      5_000_000_000n,
      0n,
    ])
    for (const wrong of [
      '',
      '.5',
      '5.',
      '-1',
      '+1',
      '1e3',
      ' 5',
      '5 ',
      '1_000',
      '$5',
      '0.0000000001',
      '9223372036.854775808',
      '99999999999',
      '٥',
    ])
      expect(nanosOf(wrong), wrong).toBe(undefined)
  })

  it('that is a number is its own decimal text', () => {
    expect([0.1, 1e-9, 1.5e-7, 123_456_789.123456, 0].map(dollarsText)).toEqual([
      '0.1',
      '0.000000001',
      '0.000000150',
      '123456789.123456',
      '0.000000000',
    ])
    for (const wrong of [1e-10, 1.5e-9, 0.12345678901, -1, 1e21, Number.NaN, Number.POSITIVE_INFINITY])
      expect(dollarsText(wrong), String(wrong)).toBe(undefined)
  })
})

describe('A budget that is written', () => {
  it('has an amount, and may have a period, a time zone, and be soft', () => {
    expect(['5', '0.50/week', 'soft:100/month@Europe/Berlin', '3@Etc/GMT+5'].map(readBudget)).toEqual([
      { limit: 5_000_000_000n, period: 'forever', soft: false },
      { limit: 500_000_000n, period: 'week', soft: false },
      { limit: 100_000_000_000n, period: 'month', soft: true, zone: 'Europe/Berlin' },
      { limit: 3_000_000_000n, period: 'forever', soft: false, zone: 'Etc/GMT+5' },
    ])
    for (const wrong of [
      '5/year',
      '5/',
      '/day',
      '5/day@',
      '5/day@Nowhere',
      'hard:5',
      'soft:',
      '5/day/week',
      '5\n',
      `5@${'a'.repeat(10_000)}`,
    ])
      expect(readBudget(wrong), wrong).toBe(undefined)
  })
})

describe('Budgets and limits of a configuration', () => {
  it('are refused with their path, what was found, and what is allowed, and without what is secret', () => {
    const budgets = [
      '5/days',
      { limit: -5 },
      { limit: 1e-10 },
      { limit: '1e3' },
      { limit: 5, period: 'year' },
      { limit: 5, zone: 'Mars' },
      {},
    ]
    const said = problem({
      keys: [{ key: 'sk-very-secret', budgets, limits: { requestsPerMinute: 0, rpm: 4 }, project: 7 }],
      budgets: {
        alerts: { url: 'ftp://very-secret', secret: 'very secret' },
        organization: '5',
        leastOutput: 0,
        unknownPrice: 'ask',
      },
      limits: { models: { 'a/*': { tokensPerMinute: 1.5 } } },
    })
    expect(said.split('\n').slice(1)).toEqual([
      expect.stringMatching(
        /^ {2}keys\[0\]\.budgets\[0\]: found "5\/days"; allowed: US dollars and a period, such as 5\/day/,
      ),
      '  keys[0].budgets[1].limit: found -5; allowed: at least 0',
      '  keys[0].budgets[2].limit: found 1e-10; allowed: US dollars with up to nine decimals',
      '  keys[0].budgets[3].limit: found "1e3"; allowed: US dollars with up to nine decimals, such as "4.50", at most 9223372036',
      '  keys[0].budgets[4].period: found "year"; allowed: "day", "week", "month", "forever"',
      '  keys[0].budgets[5].zone: the name of a time zone, such as Europe/Berlin',
      '  keys[0].budgets[6].limit: is missing; allowed: a string or a number',
      '  keys[0].limits.requestsPerMinute: found 0; allowed: at least 1',
      '  keys[0].limits.rpm: unknown field; allowed: requestsPerMinute, tokensPerMinute, concurrent',
      '  keys[0].project: found 7; allowed: a string',
      '  limits.models["a/*"].tokensPerMinute: found 1.5; allowed: a whole number',
      '  budgets.leastOutput: found 0; allowed: at least 1',
      '  budgets.unknownPrice: found "ask"; allowed: "refuse", "allow"',
      '  budgets.organization: found "5"; allowed: a list',
      '  budgets.alerts.url: found a string; allowed: a URL that begins with http:// or https://',
      '  budgets.alerts.secret: found a string; allowed: `whsec_` and at least 24 bytes in base64',
    ])
    expect(said).not.toMatch(/very.secret/)
  })

  it('have ids of their places, whatever their amounts and their order', () => {
    const of = (budgets: readonly (string | { limit: number | string; count?: 'cost' })[], count?: 'cost') => {
      const config = checkConfig('the file', { ...(count && { budgets: { count } }) }, {})
      const read = checkConfig('the file', { keys: [{ key: 'sk-local-a', budgets }] }, {}).keys ?? []
      return configuredBudgets({ config, keys: read.flatMap((key) => (typeof key === 'string' ? [] : [key])) })
    }
    const idsOf = (...budgets: Parameters<typeof of>[0]) =>
      of(budgets).map(({ id }) => id.replace(/configured_\w+/, 'K'))
    expect(idsOf('5/day', '7/month')).toEqual(['config:key:K:day', 'config:key:K:month'])
    expect(idsOf('9/month@Asia/Tokyo', '6/day')).toEqual(['config:key:K:month', 'config:key:K:day'])
    expect(idsOf('5/day', 'soft:4/day', '6/day', { limit: '5', count: 'cost' })).toEqual([
      'config:key:K:day',
      'config:key:K:day:soft',
      'config:key:K:day:2',
      'config:key:K:forever:cost',
    ])
    expect(of(['5/day'], 'cost')).toMatchObject([{ counts: 'cost', limit: 5_000_000_000n }])
  })

  it('are doubted where they can hardly be meant', async () => {
    const own = { adapter: 'openai-compatible', baseUrl: 'http://10.0.0.5:8000/v1' }
    const folder = temporaryFolder({
      'headgate.config.json': {
        keys: [
          { key: 'sk-local-a', budgets: ['5/day'] },
          { key: 'sk-local-b', models: ['fast'], project: 'web', limits: { tokensPerMinute: 500 } },
          { key: 'sk-local-c', search: ['*'], budgets: ['5/day'] },
          { key: 'sk-local-d', budgets: ['soft:5/day'], models: ['own/b'] },
          { key: 'sk-local-e', budgets: ['5/day'], models: ['own/a'] },
        ],
        providers: { own: { ...own, models: { a: 'a', b: 'b', c: { output: 4096 } } }, free: own },
        models: { fast: 'own/b' },
        prices: { 'own/a': { input: 1, output: 2000 }, 'own/c': { input: 1, output: 2 } },
        budgets: { projects: { web: [{ limit: 5_000_000_000 }] }, organization: ['soft:5'] },
        limits: { models: { 'own/*': { tokensPerMinute: 100 } } },
      },
    })
    const { code, stdout } = await command(['config', 'check'], { folder })
    const [, ...warnings] = stdout.trim().split('\n')
    expect([code, warnings]).toEqual([
      0,
      [
        'Warning: budgets.projects.web[0]: more than a million US dollars. Limits are in dollars, not cents.',
        'Warning: keys[1].limits.tokensPerMinute: 500 tokens may not be enough for one response (budgets.leastOutput is 1024).',
        'Warning: limits.models["own/*"].tokensPerMinute: 100 tokens may not be enough for one response (budgets.leastOutput is 1024).',
        'Warning: keys[0].budgets: own/b, free/* are refused under a budget because the price is unknown. Add one to prices.',
        'Warning: budgets.projects.web: own/b is refused under a budget because the price is unknown. Add one to prices.',
        'Warning: keys[0].budgets: own/a is without a known output limit: requests without max_tokens are limited to 8192 tokens. Set output in providers.<name>.models, unless the provider lists it.',
        'Warning: keys[4].budgets: own/a is without a known output limit: requests without max_tokens are limited to 8192 tokens. Set output in providers.<name>.models, unless the provider lists it.',
        'Warning: The price of own/a is above 1,000 US dollars per million tokens (output). Prices are per million tokens.',
      ],
    ])
  })

  it('name priced models without an output limit, also those that only a price names, unless they cost nothing', async () => {
    const own = { adapter: 'openai-compatible', baseUrl: 'http://10.0.0.5:8000/v1' }
    const folder = temporaryFolder({
      'headgate.config.json': {
        keys: [{ key: 'sk-local-a', models: ['mine/*'] }, 'sk-local-b'],
        providers: { mine: own },
        prices: { 'mine/a': { input: 1, output: 2 }, 'mine/free': { input: 1, output: 0 } },
        budgets: { organization: ['5/day'] },
      },
    })
    const { stdout } = await command(['config', 'check'], { folder })
    const warnings = stdout.split('\n').filter((line) => line.includes('output limit'))
    expect(warnings).toEqual([
      expect.stringContaining('Warning: budgets.organization: mine/a is without a known output limit'),
    ])
  })
})
