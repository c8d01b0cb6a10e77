import type { Json } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { describe, expect, it } from 'vitest'
import { edited } from '../../src/edge/edits.ts'
import { members, splice } from '../../src/edge/splice.ts'
import type { RoutingBounds } from '../../src/ports/routing.ts'
import {
  type EndpointFacts,
  exclusion,
  matches,
  narrow,
  orderOf,
  type RoutingInputs,
  readPolicyHeader,
  readRoutingFields,
  routingCuts,
  splitSuffix,
} from '../../src/serve/routing-request.ts'

/** The error that a call throws. */
function thrown(call: () => unknown): HeadgateError {
  try {
    call()
  } catch (error) {
    if (HeadgateError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

function fieldsOf(body: Json) {
  const fields = readRoutingFields(body)
  if (!fields) throw new Error('the body has no routing fields')
  return fields
}

describe('The header headgate-policy', () => {
  it.each<[string, object]>([
    ['cheapest', { policy: 'cheapest', bounds: {} }],
    [' Least-Busy ;', { policy: 'least-busy', bounds: {} }],
    [
      'cheapest; max-price=3/15; min-context=200000; region=eu; zdr=true',
      {
        policy: 'cheapest',
        bounds: {
          maxPrice: { input: 3_000_000_000, output: 15_000_000_000 },
          minContext: 200_000,
          labels: { region: ['eu'], zdr: ['true'] },
        },
      },
    ],
    ['region=eu; region=us', { bounds: { labels: { region: ['eu', 'us'] } } }],
    ['max-price=0.25/', { bounds: { maxPrice: { input: 250_000_000 } } }],
    ['max-price=/0.000000001', { bounds: { maxPrice: { output: 1 } } }],
    [';;', { bounds: {} }],
    [Array.from({ length: 16 }, (_, index) => `l${index}=a`).join(';'), { bounds: { labels: expect.anything() } }],
  ])('%j is read', (value, read) => {
    expect(readPolicyHeader(value)).toEqual(read)
  })

  it.each<[string, string]>([
    ['best', 'the unknown policy "best"'],
    ['region=eu; cheapest', 'contains "cheapest", which is not <name>=<value>'],
    ['cheapest; fastest', 'contains "fastest", which is not <name>=<value>'],
    ['max-price=3', 'contains max-price="3", which is not <input>/<output>'],
    ['max-price=/', 'contains max-price="/"'],
    ['max-price=-1/2', 'contains max-price="-1/2"'],
    ['max-price=1e3/2', 'contains max-price="1e3/2"'],
    ['max-price=3/15; max-price=99/99', 'contains max-price twice'],
    ['min-context=1; min-context=2', 'contains min-context twice'],
    ['min-context=many', 'contains min-context="many", which is not a number of tokens'],
    ['min-context=0', 'contains min-context="0"'],
    ['Region=eu', 'contains the name "Region"'],
    ['__proto__=eu', 'contains the name "__proto__"'],
    ['=eu', 'contains the name ""'],
    ['region=', 'contains region=""'],
    ['region=e u', 'contains region="e u"'],
    [`region=${'e'.repeat(65)}`, 'a value has 1 to 64'],
    [Array.from({ length: 17 }, (_, index) => `l${index}=a`).join(';'), 'has more than 16 parameters'],
  ])('%j is rejected with what is allowed', (value, message) => {
    const error = thrown(() => readPolicyHeader(value))
    expect(error).toMatchObject({ kind: 'invalid-request', status: 400, param: 'headgate-policy' })
    expect(error.message).toContain(message)
    expect(error.message).toContain('priority, weighted, cheapest, fastest, least-busy')
    expect(error.message.length).toBeLessThan(450)
  })
})

describe('Routing fields of a body', () => {
  it.each<[Json]>([
    [{ model: 'a', messages: [] }],
    [{ models: null, provider: null, session_id: null, fallbacks: null }],
    [{ fallbacks: 'default' }],
  ])('%j has none', (body) => {
    expect(readRoutingFields(body)).toBeUndefined()
  })

  it.each<[Json, object]>([
    [
      { model: 'a', models: ['a', 'b', 'b', 'c'] },
      { models: ['b', 'c'], modelsField: 'models', used: ['models'] },
    ],
    [
      { models: ['b'], route: 'fallback' },
      { models: ['b'], used: ['models', 'route'] },
    ],
    [
      { model: 'a', fallbacks: [{ model: 'b' }, { model: 'c' }] },
      { models: ['b', 'c'], modelsField: 'fallbacks', used: ['fallbacks'] },
    ],
    [{ session_id: 's-1' }, { session: 's-1', used: ['session_id'] }],
    [{ provider: { order: ['Azure', 'openai/EU'] } }, { order: ['azure', 'openai/eu'], allowFallbacks: true }],
    [
      { provider: { allow_fallbacks: false, only: ['a'], ignore: ['b'] } },
      { allowFallbacks: false, only: ['a'], ignore: ['b'] },
    ],
    [{ provider: { sort: 'price' } }, { policy: 'cheapest', acrossModels: false, losses: [] }],
    [{ provider: { sort: 'latency' } }, { policy: 'fastest', losses: [] }],
    [{ provider: { sort: { by: 'price', partition: 'none' } } }, { policy: 'cheapest', acrossModels: true }],
    [{ provider: { sort: null, order: null } }, { order: [], bounds: {} }],
    [{ provider: { require_parameters: true } }, { strict: true }],
    [
      { provider: { max_price: { prompt: 3, completion: '15.5' } } },
      { bounds: { maxPrice: { input: 3_000_000_000, output: 15_500_000_000 } } },
    ],
    [
      {
        provider: {
          data_collection: 'deny',
          zdr: true,
          enforce_distillable_text: true,
          quantizations: ['FP8', 'bf16'],
        },
      },
      { bounds: { labels: { 'no-training': ['true'], zdr: ['true'], distillable: ['true'], quant: ['fp8', 'bf16'] } } },
    ],
    [{ provider: { data_collection: 'allow', zdr: false, quantizations: [] } }, { bounds: {} }],
  ])('%j is read', (body, fields) => {
    expect(readRoutingFields(body)).toMatchObject(fields)
  })

  it('declares preferences that it ignores', () => {
    const { losses } = fieldsOf({
      provider: {
        sort: 'throughput',
        preferred_min_throughput: 50,
        preferred_max_latency: { p50: 1, p90: null },
        max_price: { request: 0.01, image: null },
        a_new_field: 1,
      },
    })
    expect(losses.map(({ path, kind }) => [path, kind])).toEqual([
      ['provider.sort', 'changed'],
      ['provider.preferred_min_throughput', 'dropped'],
      ['provider.preferred_max_latency', 'dropped'],
      ['provider.max_price.request', 'dropped'],
      ['provider.a_new_field', 'dropped'],
    ])
  })

  it.each<[Json, string, string]>([
    [{ models: 'b' }, 'models', 'must be a list of strings'],
    [{ models: ['b', 1] }, 'models[1]', 'must be a string that is not empty'],
    [{ models: [''] }, 'models[0]', 'must be a string that is not empty'],
    [{ models: ['b'.repeat(513)] }, 'models[0]', 'longer than 512'],
    [{ models: Array.from({ length: 17 }, () => 'b') }, 'models', 'more than 16 entries'],
    [{ models: ['b'], fallbacks: [{ model: 'c' }] }, 'fallbacks', 'cannot be combined with `models`'],
    [{ fallbacks: ['b'] }, 'fallbacks[0]', 'must be an object with `model`'],
    [{ fallbacks: {} }, 'fallbacks', 'must be a list of objects'],
    [{ fallbacks: [{}] }, 'fallbacks[0].model', 'must be a string'],
    [{ fallbacks: [{ model: 'b', max_tokens: 5 }] }, 'fallbacks[0].max_tokens', 'is not supported'],
    [{ fallbacks: ['b', 'c', 'd', 'e'].map((model) => ({ model })) }, 'fallbacks', 'more than 3 entries'],
    [{ session_id: 7 }, 'session_id', 'must be a string'],
    [{ session_id: 's'.repeat(257) }, 'session_id', 'longer than 256'],
    [{ provider: 'azure' }, 'provider', 'must be an object'],
    [{ provider: ['azure'] }, 'provider', 'must be an object'],
    [{ provider: { order: 'azure' } }, 'provider.order', 'must be a list of strings'],
    [{ provider: { only: [null] } }, 'provider.only[0]', 'must be a string'],
    [{ provider: { allow_fallbacks: 'no' } }, 'provider.allow_fallbacks', 'must be true or false'],
    [{ provider: { zdr: 1 } }, 'provider.zdr', 'must be true or false'],
    [{ provider: { data_collection: true } }, 'provider.data_collection', 'must be "allow" or "deny"'],
    [{ provider: { sort: 'best' } }, 'provider.sort', 'must be one of: price, latency, throughput'],
    [{ provider: { sort: { by: 'toString' } } }, 'provider.sort.by', 'must be one of'],
    [{ provider: { sort: { by: 'price', partition: 'all' } } }, 'provider.sort.partition', 'must be "model" or "none"'],
    [{ provider: { max_price: 3 } }, 'provider.max_price', 'must be an object'],
    [{ provider: { max_price: { prompt: 'free' } } }, 'provider.max_price.prompt', 'must be an amount in US dollars'],
    [{ provider: { max_price: { completion: -1 } } }, 'provider.max_price.completion', 'must be an amount'],
    [{ provider: { max_price: { image: [] } } }, 'provider.max_price.image', 'must be an amount'],
    [{ provider: { preferred_max_latency: 'low' } }, 'provider.preferred_max_latency', 'must be a number'],
    [{ provider: { preferred_max_latency: { p42: 1 } } }, 'provider.preferred_max_latency', 'p50, p75, p90, p99'],
  ])('%j is rejected at %s', (body, param, message) => {
    const error = thrown(() => readRoutingFields(body))
    expect(error).toMatchObject({ kind: 'invalid-request', status: 400, param })
    expect(error.message).toContain(message)
  })

  it("leaves an upstream's fallbacks in the body if the caller has selected them", () => {
    const body = { fallbacks: [{ model: 'b', max_tokens: 5 }] }
    expect(readRoutingFields(body, { keepsFallbacks: true })).toBeUndefined()
  })
})

describe('A model with a suffix', () => {
  it.each([
    ['m:nitro', { model: 'm', policy: 'fastest' }],
    ['a/m:v2:floor', { model: 'a/m:v2', policy: 'cheapest' }],
    ['m:free', { model: 'm:free' }],
    ['m', { model: 'm' }],
    [':nitro', { model: ':nitro' }],
    ['m:constructor', { model: 'm:constructor' }],
  ])('%s', (id, split) => {
    expect(splitSuffix(id)).toEqual(split)
  })
})

describe('The policy of a request', () => {
  const cheapest = readPolicyHeader('cheapest')
  const byPrice = fieldsOf({ provider: { sort: 'price' } })
  it.each<[string, RoutingInputs, string]>([
    ['nothing', {}, 'priority'],
    ['the gateway', { policy: 'weighted' }, 'weighted'],
    ['the key', { policy: 'weighted', key: { policies: ['fastest', 'cheapest'] } }, 'fastest'],
    ['a key with unknown policies', { key: { policies: ['best', 'fastest'] } }, 'fastest'],
    ['the alias', { alias: { policy: 'weighted' }, key: { policies: ['fastest'] } }, 'weighted'],
    ['the header', { header: cheapest, policy: 'weighted' }, 'cheapest'],
    ['the header, if the key has it', { header: cheapest, key: { policies: ['fastest', 'cheapest'] } }, 'cheapest'],
    ['the header, before the field', { header: readPolicyHeader('fastest'), fields: byPrice }, 'fastest'],
    ['the field', { fields: byPrice, suffix: 'fastest' }, 'cheapest'],
    ['the suffix', { suffix: 'fastest' }, 'fastest'],
    [
      'the policy of the alias, repeated',
      { header: cheapest, alias: { policy: 'cheapest' }, key: { policies: ['fastest'] } },
      'cheapest',
    ],
  ])('comes from %s', (_, inputs, policy) => {
    expect(narrow(inputs).policy).toBe(policy)
  })

  it.each<[string, RoutingInputs, string]>([
    ['a header', { header: cheapest, key: { policies: ['fastest'] } }, 'headgate-policy'],
    ['a header without policies', { header: cheapest, key: { policies: [] } }, 'headgate-policy'],
    ['a field', { fields: byPrice, key: { policies: ['fastest'] } }, 'provider.sort'],
    ['a suffix', { suffix: 'cheapest', key: { policies: ['fastest'] } }, 'model'],
    [
      'a field behind an allowed header',
      { header: readPolicyHeader('fastest'), fields: byPrice, key: { policies: ['fastest'] } },
      'provider.sort',
    ],
    ['a header against the alias', { header: cheapest, alias: { policy: 'fastest' } }, 'headgate-policy'],
    [
      'a header that the key allows and the alias does not',
      { header: cheapest, alias: { policy: 'fastest' }, key: { policies: ['cheapest'] } },
      'headgate-policy',
    ],
  ])('is not widened by %s', (_, inputs, param) => {
    const error = thrown(() => narrow(inputs))
    expect(error).toMatchObject({ kind: 'forbidden', status: 403, param })
    expect(error.message).toContain('the policy cheapest')
  })
})

describe('The conditions of a request', () => {
  const price = (input: number, output?: number) => ({ maxPrice: { input, ...(output !== undefined && { output }) } })
  it.each<[string, RoutingInputs, RoutingBounds]>([
    ['nothing', {}, {}],
    ['the smaller price', { alias: price(5, 9), header: { bounds: price(3, 20) } }, price(3, 9)],
    ['a price on one side', { alias: price(5), header: { bounds: { maxPrice: { output: 2 } } } }, price(5, 2)],
    ['the larger context', { alias: { minContext: 9 }, header: { bounds: { minContext: 5 } } }, { minContext: 9 }],
    [
      'the common values of a label',
      { alias: { labels: { region: ['eu', 'us'] } }, header: readPolicyHeader('region=us; region=jp; zdr=true') },
      { labels: { region: ['us'], zdr: ['true'] } },
    ],
    [
      'the labels of the key',
      { key: { labels: ['region=eu', 'region=us', 'zdr'] } },
      { labels: { region: ['eu', 'us'], zdr: ['true'] } },
    ],
    [
      'all origins',
      {
        alias: { labels: { region: ['eu', 'us', 'jp'] } },
        key: { labels: ['region=eu', 'region=us'] },
        header: readPolicyHeader('region=us; min-context=7'),
        fields: fieldsOf({ provider: { zdr: true, max_price: { prompt: 1 } } }),
      },
      { maxPrice: { input: 1_000_000_000 }, minContext: 7, labels: { region: ['us'], zdr: ['true'] } },
    ],
  ])('are %s', (_, inputs, bounds) => {
    expect(narrow(inputs).bounds).toEqual(bounds)
  })

  it('are not widened by a header or a field: a region that the key excludes matches no endpoint', () => {
    const key = { labels: ['region=eu'] }
    const us: EndpointFacts = { labels: { region: 'us' } }
    const eu: EndpointFacts = { labels: { region: 'eu' } }
    expect(matches(narrow({ key }).bounds, us)).toContain('region=eu is required')
    expect(matches(narrow({ key }).bounds, eu)).toBeUndefined()
    for (const header of ['region=us', 'region=us; region=eu'].map(readPolicyHeader))
      expect(matches(narrow({ key, header }).bounds, us)).toBeDefined()
    expect(matches(narrow({ key, header: readPolicyHeader('region=us') }).bounds, eu)).toContain(
      'no value of the label region',
    )
    const fields = fieldsOf({ provider: { only: ['us-provider'], order: ['us-provider'], zdr: false } })
    const narrowed = narrow({ key, fields })
    expect([matches(narrowed.bounds, us), matches(narrowed.routerBounds, us)]).not.toContain(undefined)
  })

  it("leave out those of `provider` for an upstream that applies them, but not the key's and the header's", () => {
    const inputs = {
      key: { labels: ['region=eu'] },
      header: readPolicyHeader('min-context=7'),
      fields: fieldsOf({ provider: { zdr: true } }),
    }
    expect(narrow(inputs).routerBounds).toEqual({ minContext: 7, labels: { region: ['eu'] } })
  })

  it.each<[RoutingBounds, EndpointFacts, string | undefined]>([
    [{}, {}, undefined],
    [{ minContext: 10 }, { context: 10 }, undefined],
    [{ minContext: 10 }, { context: 9 }, 'its context of 9 tokens is below the required 10'],
    [{ minContext: 10 }, {}, 'its context is unknown, and 10 tokens are required'],
    [{ maxPrice: { input: 3e9 } }, { price: { input: 3e9 } }, undefined],
    [
      { maxPrice: { input: 3e9 } },
      { price: { input: 3.5e9 } },
      'its input price of $3.5 is above the maximum of $3 per million tokens',
    ],
    [
      { maxPrice: { input: 3e9 } },
      { price: { output: 1 } },
      'its input price is unknown, and the maximum is $3 per million tokens',
    ],
    [{ maxPrice: { output: 0 } }, { price: { output: 0 } }, undefined],
    [
      { maxPrice: { output: 0 } },
      { price: { output: 1 } },
      'its output price of $0.000000001 is above the maximum of $0 per million tokens',
    ],
    [{ labels: { zdr: ['true'] } }, { labels: { zdr: 'true' } }, undefined],
    [{ labels: { zdr: ['true'] } }, {}, 'its label zdr is unknown, and zdr=true is required'],
    [
      { labels: { region: ['eu', 'us'] } },
      { labels: { region: 'jp' } },
      'its label region is jp, and region=eu or us is required',
    ],
    [
      { labels: { constructor: ['true'] } },
      { labels: {} },
      'its label constructor is unknown, and constructor=true is required',
    ],
  ])('%j and %j: %s', (bounds, facts, reason) => {
    expect(matches(bounds, facts)).toBe(reason)
  })
})

describe('Providers that a request names', () => {
  const eu = { provider: 'azure', endpoint: 'one', region: 'eu' }
  it.each<[Json, string | undefined]>([
    [{}, undefined],
    [{ only: ['Azure'] }, undefined],
    [{ only: ['azure/eu'] }, undefined],
    [{ only: ['azure/one'] }, undefined],
    [{ only: ['azure/us', 'openai'] }, 'the request allows only other providers'],
    [{ ignore: ['azure'] }, 'the request ignores this provider'],
    [{ ignore: ['azure/us'] }, undefined],
    [{ order: ['openai'] }, undefined],
    [{ order: ['openai'], allow_fallbacks: false }, 'the request allows only the providers of its order'],
    [{ allow_fallbacks: false }, undefined],
  ])('%j', (provider, reason) => {
    expect(exclusion(narrow({ fields: fieldsOf({ provider }) }), eu)).toBe(reason)
  })

  it('are sorted by its order, others last', () => {
    const places = [{ provider: 'other' }, eu, { provider: 'azure', region: 'us' }, { provider: 'openai' }]
    const order = ['openai', 'azure/eu', 'azure']
    const sorted = places.toSorted((one, other) => orderOf(order, one) - orderOf(order, other))
    expect(sorted.map(({ provider, region }) => [provider, region])).toEqual([
      ['openai', undefined],
      ['azure', 'eu'],
      ['azure', 'us'],
      ['other', undefined],
    ])
    expect(orderOf([], eu)).toBe(0)
  })
})

describe('The body of an upstream', () => {
  const body = { model: 'a', models: ['b'], route: 'fallback', provider: { zdr: true }, session_id: 's', messages: [] }
  it.each([
    ['has no routing fields', {}, ['model', 'messages']],
    ['has `provider` if the upstream routes', { routes: true }, ['model', 'provider', 'session_id', 'messages']],
    ['is unchanged if the request is pinned', { isPinned: true }, Object.keys(body)],
  ])('%s', (_, options, keys) => {
    const cuts = routingCuts(readRoutingFields(body), options)
    const bytes = Buffer.from(JSON.stringify(body))
    expect(Object.keys(edited(body, cuts))).toEqual(keys)
    expect(Object.keys(JSON.parse(splice(bytes, members(bytes), cuts).toString()))).toEqual(keys)
  })

  it('has its other edits, too', () => {
    const cuts = routingCuts(readRoutingFields(body))
    const bytes = Buffer.from(JSON.stringify(body))
    const sent = splice(bytes, members(bytes), [{ path: ['model'], value: 'x' }, ...cuts])
    expect(JSON.parse(sent.toString())).toEqual({ model: 'x', messages: [] })
  })

  it('is unchanged without routing fields', () => {
    expect(routingCuts(readRoutingFields({ model: 'a' }))).toEqual([])
  })
})
