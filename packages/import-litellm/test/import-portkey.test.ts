import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { command } from '../../../apps/server/test/program.ts'
import { temporaryFolder } from '../../discovery/test/support/temporary.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FILES = { 'package.json': { headgate: { adapters: [join(ROOT, 'packages/providers/*')] } } }
const variable = (name: string) => `\${${name}}`
const FAILURES = expect.arrayContaining(['rate-limited', 'overloaded', 'upstream', 'timeout', 'context-too-long'])

async function imported(file: object) {
  const folder = temporaryFolder({ 'production.json': file, ...FILES })
  const { code, stdout, stderr } = await command(['import', 'portkey', 'production.json'], { folder })
  expect([code, stderr]).toEqual([0, ''])
  const text = readFileSync(join(folder, 'headgate.config.yaml'), 'utf8')
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
  const environment = Object.fromEntries(names.map((name) => [name, 'a-long-key']))
  expect(await command(['config', 'check'], { folder, environment })).toMatchObject({ code: 0, stderr: '' })
  return { stdout, text, config: parse(text) }
}

// As in Portkey's documentation: https://portkey.ai/docs/product/ai-gateway/load-balancing, …/fallbacks,
// …/conditional-routing, …/configs
describe('importing a config of Portkey', () => {
  it('makes load balancing over models an alias with weights', async () => {
    const { config, stdout } = await imported({
      strategy: { mode: 'loadbalance' },
      targets: [
        { override_params: { model: '@openai-prod/gpt-4o' }, weight: 0.75 },
        { override_params: { model: '@anthropic-prod/claude-3-5-sonnet-20241022', temperature: 0 }, weight: 0.25 },
      ],
    })
    expect(config.providers).toEqual({
      openai: { apiKey: variable('OPENAI_PROD_API_KEY'), models: { 'openai/gpt-4o': 'gpt-4o' } },
      anthropic: {
        apiKey: variable('ANTHROPIC_PROD_API_KEY'),
        models: { 'anthropic/claude-3-5-sonnet-20241022': 'claude-3-5-sonnet-20241022' },
      },
    })
    expect(config.models).toEqual({
      production: {
        targets: [
          { model: 'openai/gpt-4o', weight: 0.75 },
          { model: 'anthropic/claude-3-5-sonnet-20241022', weight: 0.25 },
        ],
        policy: 'weighted',
      },
    })
    expect(stdout).toContain('targets[0]: Portkey stores the key "openai-prod": set its value in OPENAI_PROD_API_KEY')
    expect(stdout).toContain('callers send `model: "production"` instead of the config')
    expect(stdout).toContain('targets[1].override_params.temperature: callers send it with their requests')
  })

  it('makes several keys of one provider endpoints, and copies none of them', async () => {
    const { config, stdout, text } = await imported({
      strategy: { mode: 'loadbalance' },
      targets: [
        { provider: 'openai', api_key: 'sk-hidden-1', weight: 2 },
        { provider: 'openai', apiKey: 'sk-hidden-2' },
        { provider: '@openai-eu', custom_host: 'https://eu.api.openai.com/v1' },
      ],
    })
    expect(stdout + text).not.toContain('hidden')
    expect(config.providers).toEqual({
      openai: {
        endpoints: [
          { name: '1', apiKey: variable('OPENAI_API_KEY'), weight: 2 },
          { name: '2', apiKey: variable('OPENAI_API_KEY_2') },
          { name: 'eu', apiKey: variable('OPENAI_EU_API_KEY'), baseUrl: 'https://eu.api.openai.com/v1' },
        ],
      },
    })
    expect(config.routing).toEqual({ policy: 'weighted' })
    expect(stdout).toContain('  OPENAI_API_KEY: its value is in production.json, at targets[0].api_key\n')
  })

  it('makes fallbacks the order of an alias, also around load balancing', async () => {
    const { config, stdout } = await imported({
      strategy: { mode: 'fallback', on_status_codes: [429] },
      retry: { attempts: 3 },
      request_timeout: 10_000,
      targets: [
        {
          strategy: { mode: 'loadbalance' },
          targets: [
            { provider: 'openai', api_key: 'k', override_params: { model: 'gpt-4o' }, weight: 3 },
            {
              provider: 'azure-openai',
              resource_name: 'my-resource',
              deployment_id: 'gpt-4o-eu',
              api_version: '2024-10-21',
              api_key: 'a',
              weight: 1,
            },
          ],
        },
        { provider: 'anthropic', virtual_key: 'claude', override_params: { model: 'claude-sonnet-4-6' } },
      ],
    })
    expect(config.providers.azure).toMatchObject({
      baseUrl: 'https://my-resource.openai.azure.com',
      apiVersion: '2024-10-21',
      models: { 'azure/gpt-4o-eu': 'gpt-4o-eu' },
    })
    expect(config.models.production).toEqual({
      targets: [
        { model: 'openai/gpt-4o', weight: 3 },
        'azure/gpt-4o-eu',
        { model: 'anthropic/claude-sonnet-4-6', on: FAILURES },
      ],
      policy: 'weighted',
      firstByte: 10_000,
    })
    expect(config.providers.anthropic).toMatchObject({ apiKey: variable('CLAUDE_API_KEY') })
    for (const line of [
      'strategy.on_status_codes: the kind of a failure',
      'retry: each endpoint is called once',
      'request_timeout: becomes',
    ])
      expect(stdout).toContain(line)
  })

  it('makes a plain fallback a list, and a nested weight a share of its parent', async () => {
    const target = (provider: string, model: string, weight?: number) => ({
      provider,
      api_key: 'k',
      override_params: { model },
      weight,
    })
    const plain = await imported({
      strategy: { mode: 'fallback' },
      targets: [target('openai', 'gpt-5'), target('groq', 'llama')],
    })
    expect(plain.config.models.production).toEqual(['openai/gpt-5', 'groq/llama'])
    const nested = await imported({
      strategy: { mode: 'loadbalance' },
      targets: [
        { weight: 6, strategy: { mode: 'loadbalance' }, targets: [target('openai', 'a', 1), target('groq', 'b', 2)] },
        { weight: 4, strategy: { mode: 'fallback' }, targets: [target('xai', 'c'), target('cohere', 'd')] },
      ],
    })
    expect(nested.config.models.production).toEqual({
      targets: [
        'openai/a',
        { model: 'groq/b', weight: 2 },
        { model: 'xai/c', weight: 2 },
        { model: 'cohere/d', on: FAILURES },
      ],
      policy: 'weighted',
    })
  })

  it('makes conditions on the model aliases, and reports the others', async () => {
    const { config, stdout } = await imported({
      strategy: {
        mode: 'conditional',
        conditions: [
          { query: { 'params.model': { $eq: 'fastest' } }, then: 'small' },
          { query: { 'params.model': { $in: ['gpt-4o', 'best'] } }, then: 'plain' },
          { query: { 'metadata.user_plan': { $eq: 'paid' } }, then: 'small' },
          { query: { 'params.model': 'lost' }, then: 'absent' },
        ],
        default: 'small',
      },
      targets: [
        { name: 'small', provider: 'openai', api_key: 'k', override_params: { model: 'gpt-4o-mini' } },
        { name: 'plain', provider: 'openai', api_key: 'k' },
      ],
    })
    expect(config.models).toEqual({
      fastest: ['openai/gpt-4o-mini'],
      'gpt-4o': ['openai/gpt-4o'],
      best: ['openai/best'],
      production: ['openai/gpt-4o-mini'],
    })
    expect(stdout).toContain('strategy.conditions[2]: only conditions on `params.model`')
    expect(stdout).toContain('strategy: there is no target "absent"')
  })

  it('reports what has no equivalent', async () => {
    const { stdout, config } = await imported({
      strategy: { mode: 'loadbalance' },
      cache: { mode: 'semantic' },
      input_guardrails: ['a'],
      a_new_setting: 1,
      targets: [
        { provider: 'openai', api_key: 'k' },
        { provider: 'bedrock', aws_region: 'us-east-1', aws_access_key_id: 'i', aws_secret_access_key: 's' },
        { virtual_key: 'my-key' },
      ],
    })
    expect(Object.keys(config.providers)).toEqual(['openai', 'bedrock'])
    for (const line of [
      'strategy: requests are not distributed over providers without a model',
      'cache: model responses are not cached',
      'input_guardrails: there are no guardrails',
      'a_new_setting: has no equivalent',
      'targets[2]: the provider is unknown',
    ])
      expect(stdout).toContain(line)
    expect(stdout).not.toContain('litellm_params')
  })

  it('rejects another file without quoting it', async () => {
    const folder = temporaryFolder({ 'production.json': { targets: 'sk-hidden' } })
    const { code, stdout, stderr } = await command(['import', 'portkey', 'production.json'], { folder })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('targets')
    expect(stderr).not.toContain('hidden')
  })
})
