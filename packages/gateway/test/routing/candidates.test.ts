import { describe, expect, it } from 'vitest'
import type { ProviderInstance } from '../../../core/src/contract/provider.ts'
import { HeadgateError } from '../../../core/src/errors.ts'
import type { ProviderEntry } from '../../src/ports/gateway-options.ts'
import { candidates } from '../../src/routing/candidates.ts'
import { createInstances, listedModels, setLive } from '../../src/routing/catalog.ts'

function provider(name: string, changes: Partial<ProviderInstance> = {}): ProviderInstance {
  return {
    name,
    claims: [],
    credential: { kind: 'none' },
    chat: [{ format: 'chat-completions', path: () => '/' }],
    ...changes,
  }
}

interface House {
  providers: (ProviderInstance | ProviderEntry)[]
  live?: Record<string, string[]>
  aliases?: Record<string, string[]>
}

/** Who would be asked, as `provider:model there`. */
function ask({ providers, live = {}, aliases = {} }: House, model: string, vendor?: string): string[] | string {
  const instances = createInstances(providers)
  for (const instance of instances) {
    const ids = live[instance.name]
    if (ids)
      setLive(
        instance,
        ids.map((id) => ({ id })),
      )
  }
  try {
    return candidates(instances, aliases, {
      model,
      vendor,
      family: { id: 'chat', has: ({ chat }) => chat !== undefined },
    }).map((one) => `${one.instance.name}:${one.model}`)
  } catch (error) {
    return HeadgateError.is(error) ? `${error.kind} ${error.param}: ${error.message}` : String(error)
  }
}

describe('The candidates for a model', () => {
  const house: House = {
    providers: [
      provider('openai', { known: [{ id: 'gpt-x' }], claims: [/^gpt-/] }),
      provider('router'),
      provider('Claude', { claims: [/^claude-/] }),
    ],
    live: { router: ['gpt-x', 'openai/gpt-x', 'org/model:free'] },
    aliases: { fast: ['openai/gpt-x', 'claude-s', 'openai/gpt-x', 'nobody/has'], empty: ['nobody/has'] },
  }

  it.each<[string, string, string[]]>([
    ['all that list it, in the order of priority', 'gpt-x', ['openai:gpt-x', 'router:gpt-x']],
    ['one that lists the whole id, before the prefix counts', 'openai/gpt-x', ['router:openai/gpt-x']],
    ['those that claim it where nobody lists it', 'gpt-new', ['openai:gpt-new']],
    ['the provider that it is prefixed with', 'openai/other', ['openai:other']],
    ['ids with slashes and colons', 'org/model:free', ['router:org/model:free']],
    ['ids under a prefix with slashes of their own', 'router/a/b:c', ['router:a/b:c']],
    ['nobody', 'unheard-of', []],
    ['nobody under an unknown prefix', 'other/gpt-x', []],
    ['the models of an alias, each once', 'fast', ['router:openai/gpt-x', 'Claude:claude-s']],
    ['nobody for an alias whose models nobody has', 'empty', []],
  ])('are %s: %s', (_, model, expected) => {
    expect(ask(house, model)).toEqual(expected)
    expect(ask(house, model, 'auto')).toEqual(expected)
  })

  it.each<[string, string, string | string[]]>([
    ['gpt-x', ' OpenAI ', ['openai:gpt-x']],
    ['unheard-of', 'claude', ['Claude:unheard-of']],
    ['openai/gpt-x', 'openai', ['openai:gpt-x']],
    ['openai/gpt-x', 'router', ['router:openai/gpt-x']],
    ['fast', 'claude', ['Claude:claude-s']],
    ['fast', 'openai', 'unknown-model model: The alias fast has no model of provider openai.'],
    [
      'gpt-x',
      'opnai',
      'invalid-request vendor: Unknown vendor "opnai". Known: openai, router, Claude. Use one of them, or omit the header.',
    ],
  ])('are one provider alone where it is pinned: %s at %s', (model, vendor, expected) => {
    expect(ask(house, model, vendor)).toEqual(expected)
  })

  it('come from a closed list only, where there is one', () => {
    const closed: House = {
      providers: [
        { provider: provider('vllm', { claims: [/./] }), models: ['llama', 'org/qwen'] },
        { provider: provider('azure', { known: [{ id: 'gpt-x', context: 9 }] }), models: { mine: 'gpt-x' } },
        provider('demo', { closed: true, known: [{ id: 'echo' }] }),
      ],
    }
    expect(ask(closed, 'llama')).toEqual(['vllm:llama'])
    expect(ask(closed, 'vllm/org/qwen')).toEqual(['vllm:org/qwen'])
    expect(ask(closed, 'mine')).toEqual(['azure:gpt-x'])
    expect(ask(closed, 'gpt-x')).toEqual([])
    expect(ask(closed, 'gpt-x', 'demo')).toBe(
      'unknown-model model: Provider demo has no model "gpt-x". Its models: echo.',
    )
    expect(createInstances(closed.providers).map((instance) => listedModels(instance))).toEqual([
      [
        { id: 'llama', upstream: 'llama' },
        { id: 'org/qwen', upstream: 'org/qwen' },
      ],
      [{ id: 'mine', upstream: 'gpt-x', context: 9 }],
      [{ id: 'echo' }],
    ])
  })

  it('are providers of the family only', () => {
    const house: House = {
      providers: [
        { name: 'film', provider: { name: 'film', claims: [/./], credential: { kind: 'none' } } },
        provider('talk'),
      ],
    }
    expect(ask(house, 'x')).toEqual([])
    expect(ask(house, 'x', 'film')).toBe(
      'invalid-request vendor: Provider film does not serve chat. Providers that do: talk.',
    )
  })

  it('can not be told apart when two have one name', () => {
    expect(() => createInstances([provider('a'), { provider: provider('b'), name: 'a' }])).toThrow(
      'Two providers are named "a"',
    )
  })
})
