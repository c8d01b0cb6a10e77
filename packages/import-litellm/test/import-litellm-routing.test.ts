import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { command } from '../../../apps/server/test/program.ts'
import { temporaryFolder } from '../../discovery/test/support/temporary.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FILES = { 'package.json': { headgate: { adapters: [join(ROOT, 'packages/providers/*')] } } }
const variable = (name: string) => `\${${name}}`
const key = (name: string) => `os.environ/${name}`

/** The configuration of an import, which `config check` accepts. */
async function imported(file: object) {
  const folder = temporaryFolder({ 'config.yaml': stringify(file), ...FILES })
  const { code, stdout, stderr } = await command(['import', 'litellm', 'config.yaml'], { folder })
  expect([code, stderr]).toEqual([0, ''])
  const text = readFileSync(join(folder, 'headgate.config.yaml'), 'utf8')
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
  const environment = Object.fromEntries(names.map((name) => [name, 'a-long-key']))
  expect(await command(['config', 'check'], { folder, environment })).toMatchObject({ code: 0, stderr: '' })
  return { stdout, config: parse(text) }
}

const listed = (alias: string, params: object) => ({ model_name: alias, litellm_params: params })
const AWS = { aws_access_key_id: key('AWS_ID'), aws_secret_access_key: key('AWS_SECRET') }
const AZURE = { model: 'azure/gpt-4o', api_version: '2024-10-21' }

describe("LiteLLM's deployments of one model", () => {
  it('become endpoints of one provider, with weights, orders, limits and regions', async () => {
    const us = 'https://us.openai.azure.com'
    const { config } = await imported({
      model_list: [
        listed('gpt', {
          ...AZURE,
          api_base: 'https://eu.openai.azure.com',
          api_key: key('EU'),
          weight: 3,
          rpm: 60,
          region_name: 'eu',
          order: 1,
        }),
        listed('gpt', { ...AZURE, api_base: us, api_key: key('US'), weight: 1, max_parallel_requests: 5, order: 1 }),
        listed('gpt', { ...AZURE, api_base: us, api_key: key('US_2'), weight: 1, order: 2 }),
        listed('gpt', { model: 'openai/gpt-4o', api_key: key('OPENAI'), weight: 2, order: 1 }),
        listed('mini', { model: 'openai/gpt-4o-mini', api_key: key('OPENAI') }),
        listed('mini', { ...AZURE, model: 'azure/gpt-4o-mini', api_base: us, api_key: key('US') }),
      ],
    })
    const models = ['gpt-4o']
    expect(config.providers).toEqual({
      azure: {
        apiVersion: '2024-10-21',
        endpoints: [
          {
            name: 'eu',
            apiKey: variable('EU'),
            baseUrl: 'https://eu.openai.azure.com',
            region: 'eu',
            weight: 3,
            models,
            limits: { requestsPerMinute: 60 },
          },
          { name: 'us', apiKey: variable('US'), baseUrl: us, group: 'account-2', models, limits: { concurrent: 5 } },
          { name: 'us-3', apiKey: variable('US'), baseUrl: us, group: 'account-2', models: ['gpt-4o-mini'] },
          { name: 'us-4', apiKey: variable('US_2'), baseUrl: us, priority: 1, models },
        ],
        models: { 'azure/gpt-4o': 'gpt-4o', 'azure/gpt-4o-mini': 'gpt-4o-mini' },
      },
      openai: {
        apiKey: variable('OPENAI'),
        models: { 'openai/gpt-4o': 'gpt-4o', 'openai/gpt-4o-mini': 'gpt-4o-mini' },
      },
    })
    expect(config.models).toEqual({
      gpt: { targets: ['azure/gpt-4o', { model: 'openai/gpt-4o', weight: 2 }], policy: 'weighted' },
      mini: { targets: ['openai/gpt-4o-mini', 'azure/gpt-4o-mini'], policy: 'weighted' },
    })
  })

  it('with two keys for any model share the requests by weight', async () => {
    const { config } = await imported({
      model_list: [
        listed('openai/*', { model: 'openai/*', api_key: key('A'), rpm: 200 }),
        listed('openai/*', { model: 'openai/*', api_key: key('B'), rpm: 100 }),
        listed('claude', { model: 'anthropic/claude-sonnet-4-6' }),
      ],
      router_settings: { model_group_alias: { smart: 'claude' } },
    })
    expect(config.routing).toEqual({ policy: 'weighted' })
    expect(config.providers.openai).toEqual({
      endpoints: [
        { name: '1', apiKey: variable('A'), weight: 2, limits: { requestsPerMinute: 200 } },
        { name: '2', apiKey: variable('B'), limits: { requestsPerMinute: 100 } },
      ],
    })
  })

  it('of two vendors have weights in the alias, and fallbacks only after failures', async () => {
    const { config } = await imported({
      model_list: [
        listed('smart', { model: 'openai/gpt-5', weight: 0.9 }),
        listed('smart', { model: 'anthropic/claude-sonnet-4-6', weight: 0.1 }),
        listed('long', { model: 'gemini/gemini-2.5-pro' }),
      ],
      litellm_settings: {
        fallbacks: [{ smart: ['long'] }],
        content_policy_fallbacks: [{ smart: ['long'], long: ['smart'] }],
        context_window_fallbacks: [{ '*': ['long'] }],
      },
    })
    expect(config.models.smart).toEqual({
      targets: [
        { model: 'openai/gpt-5', weight: 0.9 },
        { model: 'anthropic/claude-sonnet-4-6', weight: 0.1 },
        { model: 'google/gemini-2.5-pro', on: [...FAILURES, 'content-policy'] },
      ],
      policy: 'weighted',
    })
    expect(config.models.long).toEqual({
      targets: [
        'google/gemini-2.5-pro',
        { model: 'openai/gpt-5', on: ['content-policy'] },
        { model: 'anthropic/claude-sonnet-4-6', on: ['content-policy'] },
      ],
    })
  })

  it.each([
    [undefined, 'weighted'],
    ['simple-shuffle', 'weighted'],
    ['least-busy', 'least-busy'],
    ['latency-based-routing', 'fastest'],
    ['cost-based-routing', 'cheapest'],
    ['usage-based-routing-v2', 'weighted'],
    ['a-new-strategy', 'weighted'],
  ])('are chosen by the strategy %s as with the policy %s', async (strategy, policy) => {
    const { config, stdout } = await imported({
      model_list: [
        listed('a', { model: 'openai/gpt-5', api_key: key('A') }),
        listed('a', { model: 'openai/gpt-5', api_key: key('B') }),
      ],
      router_settings: { ...(strategy && { routing_strategy: strategy }) },
    })
    expect(config.models.a).toEqual({ targets: ['openai/gpt-5'], policy })
    expect(stdout.includes('router_settings.routing_strategy')).toBe(strategy !== undefined)
    expect(stdout.includes('routing_strategy: is unknown')).toBe(strategy === 'a-new-strategy')
  })

  it('have a time limit if each of them has one', async () => {
    const { config, stdout } = await imported({
      model_list: [
        listed('a', { model: 'openai/gpt-5', timeout: 30, stream_timeout: 2.5 }),
        listed('a', { model: 'groq/llama', timeout: 20 }),
        listed('b', { model: 'openai/gpt-5', timeout: 30 }),
        listed('b', { model: 'groq/llama', timeout: key('T') }),
      ],
    })
    expect(config.models.a).toMatchObject({ firstByte: 20_000 })
    expect(config.models.b).not.toHaveProperty('firstByte')
    expect(stdout).toContain(
      'model_list[0].litellm_params.stream_timeout, model_list[1].litellm_params.timeout: becomes',
    )
    expect(stdout).toContain('model_list[2].litellm_params.timeout: only some deployments')
    expect(stdout).toContain('model_list[3].litellm_params.timeout: is not a number')
  })

  it('keep settings that Headgate decides itself in the report', async () => {
    const { stdout } = await imported({
      model_list: [
        listed('a', { model: 'openai/gpt-5', weight: 1 }),
        listed('a', { model: 'groq/llama' }),
        listed('c', { model: 'bedrock/amazon.nova-pro-v1:0', aws_region_name: 'us-east-1', region_name: 'us', ...AWS }),
      ],
      router_settings: {
        num_retries: 2,
        allowed_fails: 3,
        cooldown_time: 30,
        optional_pre_call_checks: ['prompt_caching', 'router_budget_limiting'],
        enable_tag_filtering: true,
      },
    })
    const [, otherwise = '', left = ''] = stdout.split(/\n(?=Works|Has no|Next)/)
    expect(otherwise).toContain('router_settings.num_retries: each endpoint is called once')
    expect(otherwise).toContain(
      'router_settings.allowed_fails, router_settings.cooldown_time: endpoints are in cooldown',
    )
    expect(otherwise).toContain('router_settings.optional_pre_call_checks[0]: requests prefer the endpoint')
    expect(left).toContain('router_settings.optional_pre_call_checks[1]: has no equivalent')
    expect(left).toContain('router_settings.enable_tag_filtering: set `labels`')
    expect(left).toContain('model_list[0].litellm_params.weight: only some deployments')
    expect(left).toContain('model_list[2].litellm_params.region_name: the label `region` of this provider')
  })
})

const FAILURES = [
  'context-too-long',
  'rate-limited',
  'overloaded',
  'upstream',
  'timeout',
  'unknown-model',
  'our-quota',
  'our-credential',
]
