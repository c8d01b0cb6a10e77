import { HeadgateError } from '@headgate/gateway'
import { describe, expect, it } from 'vitest'
import { problemsIn } from '../src/config.ts'
import type { ProviderConfig } from '../src/kinds.ts'
import { checkAddresses } from '../src/own-address.ts'
import { choose, WITH_KEY } from './support/chosen.ts'

const REGIONAL = { config: "apiKey: z.string(), region: z.enum(['east', 'west']), project: z.string().optional()" }
const adapters = { keyed: WITH_KEY, regional: REGIONAL }

/** The entry of the only configured provider, and the configuration of each of its endpoints. */
async function endpointsOf(config: ProviderConfig, environment: Readonly<Record<string, string>> = {}) {
  const { adapter: name = 'keyed' } = config
  const { states } = await choose({ adapters, configured: { [name]: config }, environment })
  const { entry } = states.find((one) => one.name === name) ?? {}
  const endpoints = (entry?.endpoints ?? []).map(({ provider = {}, ...others }) => ({
    ...others,
    given: Reflect.get(provider, 'given'),
  }))
  return { entry, endpoints }
}

/** Lines of the error for a configuration. */
async function problems(config: ProviderConfig, environment: Readonly<Record<string, string>> = {}) {
  const error: unknown = await endpointsOf(config, environment).catch((thrown: unknown) => thrown)
  if (!HeadgateError.is(error)) throw new Error('The configuration was accepted.')
  return problemsIn(error).map(({ path, message }) => `${path}: ${message}`)
}

describe('endpoints of a provider', () => {
  it('have the settings of the entry, overlaid by their own', async () => {
    const { entry, endpoints } = await endpointsOf({
      baseUrl: 'https://shared.example',
      waiting: 7,
      endpoints: [
        { name: 'first', apiKey: 'a', weight: 2, priority: 1, group: 'team', models: ['m-*'] },
        { apiKey: 'b', baseUrl: 'https://other.example', limits: { concurrent: 3 } },
      ],
    })
    expect(endpoints).toEqual([
      {
        name: 'first',
        weight: 2,
        priority: 1,
        group: 'team',
        models: ['m-*'],
        given: { apiKey: 'a', baseUrl: 'https://shared.example' },
      },
      { name: '2', limits: { concurrent: 3 }, given: { apiKey: 'b', baseUrl: 'https://other.example' } },
    ])
    expect(entry?.provider).toBe(entry?.endpoints?.[0]?.provider)
    expect(entry).toMatchObject({ name: 'keyed', waiting: 7 })
  })

  it('have labels as text, and their region as a label and a name', async () => {
    const { endpoints } = await endpointsOf({
      apiKey: 'a',
      endpoints: [{ region: 'EU-1', labels: { zdr: true, tier: 'gold' } }, { region: 'eu/west' }],
    })
    expect(endpoints).toEqual([
      { name: 'eu-1', labels: { zdr: 'true', tier: 'gold', region: 'EU-1' }, given: { apiKey: 'a' } },
      { name: '2', labels: { region: 'eu/west' }, given: { apiKey: 'a' } },
    ])
  })

  it('pass their region to an adapter that has one, whose region is a label otherwise', async () => {
    const { endpoints } = await endpointsOf({
      adapter: 'regional',
      apiKey: 'a',
      region: 'east',
      endpoints: [{ region: 'west' }, { project: 'p' }],
    })
    expect(endpoints).toEqual([
      { name: 'west', labels: { region: 'west' }, given: { apiKey: 'a', region: 'west' } },
      { name: '2', labels: { region: 'east' }, given: { apiKey: 'a', region: 'east', project: 'p' } },
    ])
  })

  it('are the API keys of a list', async () => {
    const { endpoints } = await endpointsOf({ apiKey: ['a', 'b'], baseUrl: 'https://x.example' })
    expect(endpoints).toEqual([
      { name: '1', given: { apiKey: 'a', baseUrl: 'https://x.example' } },
      { name: '2', given: { apiKey: 'b', baseUrl: 'https://x.example' } },
    ])
  })

  it('have what the environment sets if neither they nor the entry do', async () => {
    const environment = { KEYED_API_KEY: 'k', KEYED_BASE_URL: 'https://set.example' }
    const { endpoints } = await endpointsOf({ endpoints: [{ apiKey: 'a' }, {}] }, environment)
    expect(endpoints.map(({ given }) => given)).toEqual([
      { apiKey: 'a', baseUrl: 'https://set.example' },
      { apiKey: 'k', baseUrl: 'https://set.example' },
    ])
  })

  it('are one where a variable contains a comma', async () => {
    const { entry } = await endpointsOf({}, { KEYED_API_KEY: 'a,b' })
    expect([entry?.endpoints, Reflect.get(entry?.provider ?? {}, 'given')]).toEqual([undefined, { apiKey: 'a,b' }])
  })

  it('are only those of the entry: others of the adapter have none', async () => {
    const { states } = await choose({
      adapters,
      configured: { keyed: { apiKey: 'a' }, second: { adapter: 'keyed', apiKey: ['b'] } },
    })
    expect(states.map(({ name, entry }) => [name, entry?.endpoints?.length])).toEqual([
      ['keyed', undefined],
      ['second', 1],
      ['regional', undefined],
    ])
  })
})

describe('wrong endpoints of a provider', () => {
  it('are named by their path, each once, without a value of any of them', async () => {
    const lines = await problems({
      baseUrl: 'zebra of the entry',
      colour: 'zebra',
      endpoints: [
        { apiKey: 'a', baseUrl: 'https://x.example' },
        { baseUrl: 'zebra of the second' },
        { apiKey: 7, wieght: 'zebra' },
        { apiKey: 'b' },
      ],
    })
    const own = 'name, weight, priority, region, labels, group, models, limits'
    expect(lines.toSorted()).toEqual([
      'providers.keyed.baseUrl: found a string; allowed: a URL that begins with http:// or https://',
      'providers.keyed.colour: unknown field; allowed: adapter, enabled, models, waiting, tracing, endpoints, apiKey, baseUrl',
      'providers.keyed.endpoints[1].apiKey: is missing; allowed: a string; set KEYED_API_KEY or OTHER_KEY, or write it here',
      'providers.keyed.endpoints[1].baseUrl: found a string; allowed: a URL that begins with http:// or https://',
      'providers.keyed.endpoints[2].apiKey: found a number; allowed: a string',
      `providers.keyed.endpoints[2].wieght: unknown field; allowed: ${own}, apiKey, baseUrl`,
    ])
  })

  it('are named by their place in a list of API keys', async () => {
    expect(await problems({ apiKey: ['a', 7, null], baseUrl: 'zebra' })).toEqual([
      'providers.keyed.baseUrl: found a string; allowed: a URL that begins with http:// or https://',
      'providers.keyed.apiKey[1]: found a number; allowed: a string',
      'providers.keyed.apiKey[2]: found null; allowed: a string',
    ])
  })

  it.each<[string, ProviderConfig, string]>([
    [
      'the same name',
      { apiKey: 'a', endpoints: [{ name: 'x' }, { name: 'y' }, { name: 'x' }] },
      'providers.keyed.endpoints[2].name: is "x", as the name of providers.keyed.endpoints[0]; allowed: a different name for each endpoint',
    ],
    [
      'the same region and no names',
      { apiKey: 'a', endpoints: [{ region: 'eu' }, { region: 'EU' }] },
      'providers.keyed.endpoints[1].name: is "eu", as the name of providers.keyed.endpoints[0]; allowed: a different name for each endpoint',
    ],
    [
      'a list of API keys as well',
      { apiKey: ['a'], endpoints: [{}] },
      'providers.keyed.apiKey: found a list; allowed: a string, because the entry has endpoints',
    ],
    ['no entries', { endpoints: [] }, 'providers.keyed.endpoints: found an empty list; allowed: at least one entry'],
    ['no API keys', { apiKey: [] }, 'providers.keyed.apiKey: found an empty list; allowed: at least one string'],
  ])('are refused with %s', async (_, config, line) => {
    expect(await problems(config)).toEqual([line])
  })
})

describe('the address of the gateway', () => {
  const own = 'http://localhost:9000/v1'
  const check = async (config: ProviderConfig) => {
    const { states: providers } = await choose({ adapters: { keyed: WITH_KEY }, configured: { keyed: config } })
    checkAddresses({ host: '127.0.0.1', port: 9000 }, { providers, backends: [] }, {})
  }

  it('is refused as the base URL of any endpoint', async () => {
    const other = { name: 'other', baseUrl: 'https://x.example' }
    await expect(check({ apiKey: 'a', endpoints: [other, { name: 'self', baseUrl: own }] })).rejects.toThrow(
      `providers.keyed.endpoints[1]: its base URL ${own} is this gateway's own address`,
    )
    await expect(check({ apiKey: 'a', endpoints: [other, { name: 'more' }] })).resolves.toBeUndefined()
  })

  it('is reported once for endpoints that share it', async () => {
    const refused = check({ apiKey: ['a', 'b'], baseUrl: own })
    await expect(refused).rejects.toMatchObject({ param: 'providers.keyed.baseUrl' })
    await expect(refused).rejects.toThrow(/^providers\.keyed: its base URL/)
  })
})
