import { describe, expect, it } from 'vitest'
import type { ModelFacts } from '../../../core/src/canonical/target.ts'
import type { ProviderInstance } from '../../../core/src/contract/provider.ts'
import type { ModelDeployment } from '../../src/ports/gateway-options.ts'
import type { SameModels } from '../../src/ports/routing.ts'
import { type ConfiguredInstance, createInstances, listed, setLive } from '../../src/routing/catalog.ts'
import { sameModels } from '../../src/routing/same-models.ts'

function provider(name: string, known: readonly ModelFacts[] = []): ProviderInstance {
  return {
    name,
    claims: [],
    credential: { kind: 'none' },
    chat: [{ format: 'chat-completions', path: () => '/' }],
    known,
  }
}

const direct = provider('direct', [
  { id: 'opus-1', same: 'opus-1', context: 1000 },
  { id: 'opus-1-20260101', same: 'opus-1' },
  { id: 'opus-1-fast' },
  { id: 'small-2.5', same: 'small-2-5' },
])
const cloud = provider('cloud', [{ id: 'vendor.opus-1-v1:0', same: 'opus-1', context: 500 }, { id: 'other' }])
const router = provider('router', [
  { id: 'vendor/opus-1', same: 'opus-1' },
  { id: 'vendor/small-2.5', same: 'small-2-5' },
])

/** Other names of a model, as `provider:id`. */
function others(
  instances: readonly ConfiguredInstance[],
  lookup: ReturnType<typeof sameModels>,
  name: string,
  id: string,
): string[] {
  const instance = instances.find((one) => one.name === name)
  if (!instance) throw new TypeError(`${name} is not configured`)
  return lookup(instance, listed(instance, id), id).map((one) => `${one.instance.name}:${one.id}`)
}

function of(name: string, id: string, options: SameModels, providers = [direct, cloud, router]): string[] {
  const instances = createInstances(providers)
  return others(instances, sameModels(instances, options), name, id)
}

/** A provider that serves only deployments. */
function deployed(name: string, models: Readonly<Record<string, ModelDeployment>>, known: readonly ModelFacts[] = []) {
  return { provider: provider(name, known), models }
}

describe('The other names of a model', () => {
  const all: SameModels = { models: true }

  it('are the models with the same shared name, in configuration order, without the model itself', () => {
    expect(of('cloud', 'vendor.opus-1-v1:0', all)).toEqual([
      'direct:opus-1',
      'direct:opus-1-20260101',
      'router:vendor/opus-1',
    ])
    expect(of('cloud', 'vendor.opus-1-v1:0', all, [router, direct, cloud])).toEqual([
      'router:vendor/opus-1',
      'direct:opus-1',
      'direct:opus-1-20260101',
    ])
    expect(of('direct', 'opus-1', all)).toEqual([
      'direct:opus-1-20260101',
      'cloud:vendor.opus-1-v1:0',
      'router:vendor/opus-1',
    ])
  })

  it('do not exist for variants, for models without a shared name, and for unknown models', () => {
    expect(of('direct', 'opus-1-fast', all)).toEqual([])
    expect(of('cloud', 'other', all)).toEqual([])
    expect(of('cloud', 'opus-1', all)).toEqual([])
  })

  it.each<[string, readonly string[], string[]]>([
    ['a name', ['small-2-5'], ['router:vendor/small-2.5']],
    ['a name with a dot', ['Small-2.5'], ['router:vendor/small-2.5']],
    ['a pattern', ['small-*'], ['router:vendor/small-2.5']],
    ['other names', ['opus-*'], []],
    ['nothing', [], []],
  ])('are restricted by %s', (_, models, expected) => {
    expect(of('direct', 'small-2.5', { models })).toEqual(expected)
  })

  it('keep their own facts', () => {
    const instances = createInstances([direct, cloud])
    const [main] = instances as [ConfiguredInstance]
    const [first] = sameModels(instances, { models: ['opus-1'] })(
      main,
      listed(main, 'opus-1-20260101'),
      'opus-1-20260101',
    )
    const [, second] = sameModels(instances, all)(main, undefined, 'opus-1-20260101')
    expect(first && listed(first.instance, first.id)?.context).toBe(1000)
    expect(second && listed(second.instance, second.id)?.context).toBe(500)
  })
})

describe('Entries of the options', () => {
  it('add a model, also one that the provider does not list', () => {
    const add = { 'opus-1': ['cloud/arn:profile', 'cloud/other', 'unconfigured/opus-1'] }
    expect(of('router', 'vendor/opus-1', { models: ['opus-1'], add })).toEqual([
      'direct:opus-1',
      'direct:opus-1-20260101',
      'cloud:vendor.opus-1-v1:0',
      'cloud:other',
      'cloud:arn:profile',
    ])
    expect(of('cloud', 'arn:profile', { models: ['opus-1'], add })).toContain('direct:opus-1')
  })

  it.each(['opus-1', 'opus-1-20260101', 'Opus.1', 'vendor/opus-1'])('find their model by %s', (key) => {
    expect(of('cloud', 'other', { models: true, add: { [key]: ['cloud/other'] } })).toContain('router:vendor/opus-1')
    const remove = { [key]: ['router/vendor/opus-1'] }
    expect(of('cloud', 'vendor.opus-1-v1:0', { models: true, remove })).toEqual([
      'direct:opus-1',
      'direct:opus-1-20260101',
    ])
  })

  it('join models that no catalog knows', () => {
    const add = { other: ['direct/opus-1-fast'] }
    expect(of('cloud', 'other', { models: true, add })).toEqual(['direct:opus-1-fast'])
    expect(of('direct', 'opus-1-fast', { models: true, add })).toEqual(['cloud:other'])
    expect(of('cloud', 'other', { models: ['opus-*'], add })).toEqual([])
  })

  it('move a model to another name', () => {
    const add = { 'small-2.5': ['router/vendor/opus-1'] }
    expect(of('router', 'vendor/opus-1', { models: true, add })).toEqual([
      'direct:small-2.5',
      'router:vendor/small-2.5',
    ])
    expect(of('direct', 'opus-1', { models: true, add })).not.toContain('router:vendor/opus-1')
  })

  it('remove a model or all models of a provider, which then have no other names', () => {
    const remove = { 'opus-1': ['router/*', 'direct/opus-1'] }
    expect(of('cloud', 'vendor.opus-1-v1:0', { models: true, remove })).toEqual(['direct:opus-1-20260101'])
    expect(of('router', 'vendor/opus-1', { models: true, remove })).toEqual([])
    expect(of('router', 'vendor/small-2.5', { models: true, remove })).toEqual(['direct:small-2.5'])
  })

  it('add nothing to a provider with a fixed list', () => {
    const instances = createInstances([direct, deployed('fixed', { mine: { upstream: 'mine' } })])
    const lookup = sameModels(instances, { models: true, add: { 'opus-1': ['fixed/none', 'fixed/mine'] } })
    expect(others(instances, lookup, 'direct', 'opus-1')).toEqual(['direct:opus-1-20260101', 'fixed:mine'])
  })
})

describe('Deployments', () => {
  const find = (models: Readonly<Record<string, ModelDeployment>>, known?: readonly ModelFacts[]) => {
    const instances = createInstances([direct, deployed('own', models, known)])
    return others(instances, sameModels(instances, { models: true }), 'direct', 'opus-1')
  }

  it.each(['opus-1', 'opus-1-20260101', 'Opus.1'])('join the model that they are: %s', (is) => {
    expect(find({ mine: { upstream: 'x', is } })).toEqual(['direct:opus-1-20260101', 'own:mine'])
  })

  it('join the model of their provider', () => {
    expect(find({ mine: { upstream: 'x', is: 'v.opus' } }, [{ id: 'v.opus', same: 'opus-1' }])).toContain('own:mine')
    expect(find({ mine: { upstream: 'v.opus' } }, [{ id: 'v.opus', same: 'opus-1' }])).toContain('own:mine')
  })

  it('are not the model that they are named after, if they are another one', () => {
    const known = [{ id: 'v.opus', same: 'opus-1' }, { id: 'v.tuned' }]
    expect(find({ 'opus-1': { upstream: 'v.opus', is: 'v.tuned' } }, known)).toEqual(['direct:opus-1-20260101'])
  })

  it('of one model join each other, also if no catalog knows it', () => {
    const instances = createInstances([
      deployed('a', { big: { upstream: '1', is: 'Tuned.7' } }),
      deployed('b', { large: { upstream: '2', is: 'tuned-7' } }),
    ])
    expect(others(instances, sameModels(instances, { models: true }), 'a', 'big')).toEqual(['b:large'])
  })
})

describe('Live lists', () => {
  it('have snapshots with the name of their model, unless the catalog has another', () => {
    const known = [
      { id: 'opus-1', same: 'opus-1' },
      { id: 'opus-1-old', same: 'opus-1-old' },
    ]
    const instances = createInstances([direct, provider('lists', known)])
    const [, last] = instances as [ConfiguredInstance, ConfiguredInstance]
    setLive(
      last,
      ['opus-1', 'opus-1-new', 'opus-1-old'].map((id) => ({ id, is: 'opus-1' })),
    )
    const lookup = sameModels(instances, { models: ['opus-1'] })
    expect(others(instances, lookup, 'direct', 'opus-1')).toEqual([
      'direct:opus-1-20260101',
      'lists:opus-1',
      'lists:opus-1-new',
    ])
    expect(others(instances, lookup, 'lists', 'opus-1-old')).toEqual([])
  })

  it('count when they are read, and replace what the package knows', () => {
    const instances = createInstances([direct, cloud, router])
    const lookup = sameModels(instances, { models: true })
    expect(others(instances, lookup, 'direct', 'opus-1')).toContain('router:vendor/opus-1')
    const [main, , last] = instances as [ConfiguredInstance, ConfiguredInstance, ConfiguredInstance]
    setLive(last, [{ id: 'vendor/small-2.5' }])
    expect(others(instances, lookup, 'direct', 'opus-1')).not.toContain('router:vendor/opus-1')
    expect(others(instances, lookup, 'direct', 'small-2.5')).toEqual(['router:vendor/small-2.5'])
    setLive(last, [{ id: 'vendor/opus-1' }, { id: 'snapshot', is: 'vendor/opus-1' }])
    setLive(main, [{ id: 'opus-1' }])
    expect(others(instances, lookup, 'cloud', 'vendor.opus-1-v1:0')).toEqual([
      'direct:opus-1',
      'router:vendor/opus-1',
      'router:snapshot',
    ])
    expect(others(instances, lookup, 'direct', 'opus-1-20260101')).toContain('direct:opus-1')
  })
})
