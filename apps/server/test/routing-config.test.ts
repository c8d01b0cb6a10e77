import { startUpstream } from '@headgate/conformance'
import { demo } from '@headgate/provider-demo'
import { createSecret } from '@headgate/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadSettings } from '../src/config/settings.ts'
import { endpointsOf } from '../src/management/endpoints.ts'
import { configuredOptions } from '../src/service/options.ts'
import { startInProcess } from './in-process.ts'
import { command } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { completion } from './upstream.ts'

/** Gateway options of a configuration. */
async function optionsOf(config: object, secret?: string) {
  const folder = temporaryFolder({ 'headgate.config.json': config })
  const settings = await loadSettings({}, { folder, environment: {} })
  return configuredOptions(settings, [], secret === undefined ? {} : { secret: createSecret(secret) })
}

/** Warnings of `config check`. */
async function warningsOf(config: object): Promise<string[]> {
  const folder = temporaryFolder({ 'headgate.config.json': config })
  const { code, stdout } = await command(['config', 'check'], { folder })
  const [first, ...warnings] = stdout.trim().split('\n')
  expect([code, first]).toEqual([0, expect.stringContaining('no problems found')])
  return warnings
}

const own = { adapter: 'openai-compatible', baseUrl: 'http://10.0.0.5:8000/v1' }

describe('aliases with options', () => {
  it('have prices in nano-dollars, labels as text, and times in milliseconds', async () => {
    const { models } = await optionsOf({
      models: {
        one: 'a/x',
        two: ['a/x', 'b/y'],
        smart: {
          targets: ['a/x', { model: 'b/y', on: ['context-too-long'], weight: 0.5 }],
          policy: 'cheapest',
          maxPrice: { input: 0.25, output: 15 },
          minContext: 200_000,
          labels: { region: ['eu', 'ch'], zdr: true },
          firstByte: 20_000,
          hedge: true,
        },
        priced: { targets: ['a/x'], maxPrice: { output: 3 } },
      },
    })
    expect(models).toEqual({
      one: ['a/x'],
      two: ['a/x', 'b/y'],
      smart: {
        targets: ['a/x', { model: 'b/y', on: ['context-too-long'], weight: 0.5 }],
        policy: 'cheapest',
        maxPrice: { input: 250_000_000, output: 15_000_000_000 },
        minContext: 200_000,
        labels: { region: ['eu', 'ch'], zdr: ['true'] },
        firstByteMs: 20_000,
        hedge: true,
      },
      priced: { targets: ['a/x'], maxPrice: { output: 3_000_000_000 } },
    })
  })
})

describe('the choice among endpoints', () => {
  it.each([
    [true, { models: true }],
    [['m-*'], { models: ['m-*'] }],
    [
      { models: ['m-*'], add: { 'm-1': ['a/one'] }, remove: { 'm-2': ['b/two'] } },
      { models: ['m-*'], add: { 'm-1': ['a/one'] }, remove: { 'm-2': ['b/two'] } },
    ],
    [false, undefined],
  ])('has the same models as configured: %j', async (same, expected) => {
    const { routing } = await optionsOf({ routing: { same, policy: 'fastest', affinity: false, hedge: true } })
    expect(routing).toEqual({ policy: 'fastest', affinity: false, hedge: true, ...(expected && { same: expected }) })
  })

  it('hashes conversations with a secret that is derived from the gateway’s and the same in every process', async () => {
    const secret = 'zebra-'.repeat(8)
    const [first, second, other] = await Promise.all(
      [secret, secret, `${secret}x`].map(async (one) => (await optionsOf({}, one)).routing?.secret),
    )
    expect(first).toMatch(/^[\w-]{43}$/)
    expect([second, other === first, first?.includes('zebra')]).toEqual([first, false, false])
    expect((await optionsOf({})).routing).toBeUndefined()
  })
})

describe('limits of endpoints', () => {
  it('are divided among the processes, and at least one for each', async () => {
    const settings = await loadSettings({}, { folder: temporaryFolder(), environment: {} })
    const provider = demo({})
    const limits = { concurrent: 50, requestsPerMinute: 3, tokensPerMinute: undefined }
    const entry = { provider, endpoints: [{ name: 'one', weight: 2, limits }, { name: 'two' }] }
    const limitsOf = (size: number) => configuredOptions(settings, [entry, { provider }], { size }).providers
    expect(limitsOf(1)).toEqual([entry, { provider }])
    const part = { concurrent: 12, requestsPerMinute: 1 }
    expect(limitsOf(4)).toEqual([
      { provider, endpoints: [{ name: 'one', weight: 2, limits: part }, { name: 'two' }] },
      { provider },
    ])
  })
})

describe('config check', () => {
  it('warns of endpoints and bounds that are probably mistakes', async () => {
    const warnings = await warningsOf({
      providers: {
        own: {
          ...own,
          models: { fast: 'llama-4-8b', big: 'llama-4-70b' },
          endpoints: [
            { name: 'one', apiKey: 'zebra', region: 'eu', models: ['llama-4-*'], labels: { zdr: true } },
            { name: 'two', apiKey: 'zebra', region: 'us', models: ['lama-*'] },
            { name: 'far', apiKey: 'zebra', baseUrl: 'http://10.0.0.6:8000/v1' },
            { name: 'three', apiKey: 'other', group: 'team' },
            { name: 'four', apiKey: 'other', group: 'team' },
          ],
        },
        openai: { apiKey: ['zebra-1', 'zebra-2', 'zebra-1'] },
        free: { ...own, endpoints: [{ models: ['whatever', 'any-*'] }] },
      },
      models: {
        good: { targets: ['own/fast', { model: 'openai/gpt-5.4', on: ['timeout'] }], labels: { region: ['eu', 'us'] } },
        bad: {
          targets: ['own/fats', { model: 'own/bug', weight: 2 }],
          labels: { region: ['eu', 'asia'], tier: 'gold' },
        },
      },
      keys: [{ key: 'sk-local-ci', labels: ['region=eu', 'zdr=false'] }],
      routing: { same: { models: true, add: { 'llama-4': ['own/fast', 'owm/fast'] }, remove: { x: ['gone/x'] } } },
    })
    expect(warnings).toEqual([
      'Warning: models.bad: no provider is known to have "own/fats". Did you mean "own/fast"?',
      'Warning: models.bad: no provider is known to have "own/bug". Did you mean "own/big"?',
      'Warning: providers.own.endpoints[1].models[0]: no known model of own matches "lama-*".',
      'Warning: providers.own.endpoints[1]: the credential and the base URL are the same as of providers.own.endpoints[0], so both share the limits of one account. Remove one, or give both the same `group`.',
      'Warning: providers.openai.apiKey[2]: the credential and the base URL are the same as of providers.openai.apiKey[0], so both share the limits of one account. Remove one.',
      'Warning: models.bad.labels.region: no endpoint of an enabled provider has the label region=asia.',
      'Warning: models.bad.labels.tier: no endpoint of an enabled provider has the label tier=gold.',
      'Warning: keys[0].labels[1]: no endpoint of an enabled provider has the label zdr=false.',
      'Warning: routing.same.add.llama-4[1]: no enabled provider has the name "owm".',
    ])
  })

  it('warns of a pattern for no model of a provider that can have others', async () => {
    const warnings = await warningsOf({
      providers: { openai: { apiKey: 'k', endpoints: [{ models: ['gpt-*', 'gtp-*', 'o9-unlisted'] }] } },
    })
    expect(warnings).toEqual([
      'Warning: providers.openai.endpoints[0].models[1]: no known model of openai matches "gtp-*".',
    ])
  })

  it('names an endpoint without a credential, and never a credential', async () => {
    const folder = temporaryFolder({
      'headgate.config.json': {
        providers: {
          anthropic: { endpoints: [{ apiKey: 'zebra' }, { regoin: 'zebra' }] },
          openai: { apiKey: ['zebra', 7] },
        },
      },
    })
    const { code, stderr } = await command(['config', 'check'], { folder })
    expect(code).toBe(1)
    const missing = 'is missing; allowed: a string; set ANTHROPIC_API_KEY, or write it here'
    expect(stderr).toContain(`\n  providers.anthropic.endpoints[1].apiKey: ${missing}\n`)
    expect(stderr).toMatch(
      /^ {2}providers\.anthropic\.endpoints\[1\]\.regoin: unknown field; allowed: name, weight, .*apiKey/m,
    )
    expect(stderr).toContain('\n  providers.openai.apiKey[1]: found a number; allowed: a string\n')
    expect(stderr).not.toContain('zebra')
  })
})

describe('headgate adapters', () => {
  it('lists the endpoints of providers, without credentials', async () => {
    const folder = temporaryFolder({
      'headgate.config.json': {
        providers: {
          own: {
            ...own,
            endpoints: [
              { region: 'eu', apiKey: 'zebra', labels: { zdr: true, tier: 'gold' }, weight: 0.5, group: 'team' },
              { name: 'spare', apiKey: 'zebra-2', priority: 1 },
            ],
          },
          openai: { apiKey: 'zebra' },
        },
      },
    })
    const { stdout } = await command(['adapters'], { folder })
    expect(stdout).toMatch(/\n\nPROVIDER +ENDPOINT +REGION +LABELS +PRIORITY +WEIGHT +GROUP\n/)
    expect(stdout).toMatch(/^own +eu +eu +zdr=true,tier=gold +0 +0\.5 +team$/m)
    expect(stdout).toMatch(/^own +spare +1 +1\s*$/m)
    expect(stdout).not.toContain('zebra')
    const bare = temporaryFolder({ 'headgate.config.json': { providers: { own } } })
    expect((await command(['adapters'], { folder: bare })).stdout).not.toContain('ENDPOINT')
  })
})

describe('the endpoints of the management API', () => {
  it('have their place in the order, their account and their labels, and no credential', () => {
    const provider = demo({})
    const endpoints = [
      { name: 'eu', provider, priority: 1, weight: 0.5, group: 'team', labels: { region: 'eu' } },
      { name: '2', provider },
    ]
    const none = { state: 'unknown', calls: 0, failed: 0 }
    expect(endpointsOf([], { endpoints })).toEqual([
      { name: 'eu', ...none, priority: 1, weight: 0.5, group: 'team', labels: { region: 'eu' } },
      { name: '2', ...none },
    ])
  })
})

describe('a program with several endpoints', () => {
  it('serves a key only with endpoints that have its labels, whatever the header says', async () => {
    const upstream = await startUpstream()
    onTestFinished(() => upstream.close())
    const called: (string | undefined)[] = []
    upstream.answer(({ headers }) => {
      called.push(headers['authorization'])
      return { kind: 'whole', body: completion }
    })
    const provider = {
      adapter: 'openai-compatible',
      baseUrl: `${upstream.origin}/v1`,
      models: ['m'],
      endpoints: [
        { region: 'eu', apiKey: 'zebra-eu' },
        { region: 'us', apiKey: 'zebra-us', labels: { zdr: true } },
      ],
    }
    const keys = [
      { key: 'sk-local-any' },
      { key: 'sk-local-zdr', labels: ['zdr=true'] },
      { key: 'sk-local-eu', labels: ['region=eu'], policies: ['priority'] },
      { key: 'sk-local-asia', labels: ['region=asia'] },
    ]
    const folder = temporaryFolder({ 'headgate.config.json': { providers: { own: provider }, keys } })
    const { url } = await startInProcess({ folder })
    const call = async (key: string, policy?: string) => {
      const headers = {
        authorization: `Bearer sk-local-${key}`,
        ...(policy !== undefined && { 'headgate-policy': policy }),
      }
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
      const { status } = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
      return [status, ...called.splice(0)]
    }
    expect(await call('any')).toEqual([200, 'Bearer zebra-eu'])
    expect(await call('any', 'region=us')).toEqual([200, 'Bearer zebra-us'])
    expect(await call('zdr')).toEqual([200, 'Bearer zebra-us'])
    expect(await call('eu', 'priority')).toEqual([200, 'Bearer zebra-eu'])
    expect(await call('eu', 'cheapest')).toEqual([403])
    const refused = [await call('zdr', 'region=eu'), await call('eu', 'zdr=true'), await call('asia')]
    expect(refused.map(([status, ...calls]) => [Number(status) >= 400 && Number(status) < 500, calls])).toEqual([
      [true, []],
      [true, []],
      [true, []],
    ])
  })
})
