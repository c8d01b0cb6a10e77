import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { startInProcess } from '../../../apps/server/test/in-process.ts'
import { command } from '../../../apps/server/test/program.ts'
import { temporaryFolder } from '../../discovery/test/support/temporary.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FILES = { 'package.json': { headgate: { adapters: [join(ROOT, 'packages/providers/*')] } } }
const variable = (name: string) => `\${${name}}`

async function imported(file: object) {
  const folder = temporaryFolder({ 'config.json': file, ...FILES })
  const { code, stdout, stderr } = await command(['import', 'bifrost', 'config.json'], { folder })
  expect([code, stderr]).toEqual([0, ''])
  const text = readFileSync(join(folder, 'headgate.config.yaml'), 'utf8')
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
  const environment = Object.fromEntries(
    names.map((name) => [name, name.endsWith('ENDPOINT') ? 'http://h.example' : 'a-key']),
  )
  expect(await command(['config', 'check'], { folder, environment })).toMatchObject({ code: 0, stderr: '' })
  return { stdout, text, config: parse(text) }
}

/** As in Bifrost's documentation: https://docs.getbifrost.ai/deployment-guides/config-json/providers. */
const DOCUMENTED = {
  $schema: 'https://www.getbifrost.ai/schema',
  providers: {
    openai: {
      keys: [
        { name: 'openai-primary', value: 'env.OPENAI_KEY_1', models: ['*'], weight: 2 },
        { name: 'openai-secondary', value: 'env.OPENAI_KEY_2', models: ['gpt-4o-mini'], weight: 1 },
        { name: 'openai-batch', value: 'env.OPENAI_KEY_BATCH', models: ['*'], weight: 1, use_for_batch_api: true },
      ],
      network_config: { default_request_timeout_in_seconds: 120, max_retries: 3, retry_backoff_initial: 500 },
      concurrency_and_buffer_size: { concurrency: 3, buffer_size: 10 },
    },
    azure: {
      keys: [
        {
          name: 'eastus',
          value: 'env.AZURE_KEY_EAST',
          models: ['gpt-4o'],
          weight: 1,
          aliases: { 'gpt-4o': 'gpt-4o-prod' },
          azure_key_config: { endpoint: 'https://east.openai.azure.com' },
        },
        {
          name: 'westus',
          value: 'env.AZURE_KEY_WEST',
          models: ['gpt-4o'],
          weight: 1,
          aliases: { 'gpt-4o': { model_id: 'gpt-4o-prod', model_name: 'gpt-4o', api_version: '2024-10-21' } },
          azure_key_config: { endpoint: { value: '', env_var: 'AZURE_ENDPOINT', from_env: true } },
        },
      ],
    },
    bedrock: {
      keys: [
        {
          name: 'static',
          value: '',
          models: ['us.amazon.nova-pro-v1:0'],
          weight: 1,
          bedrock_key_config: {
            region: 'us-east-1',
            access_key: 'env.AWS_ACCESS_KEY_ID',
            secret_key: 'hidden-secret',
            session_name: 'bifrost-session',
          },
        },
      ],
    },
    vllm: {
      keys: [
        {
          name: 'vllm-llama',
          value: '',
          models: ['llama-3-70b'],
          weight: 1,
          vllm_key_config: { url: 'http://vllm-server:8000', model_name: 'meta-llama/Meta-Llama-3-70B-Instruct' },
        },
      ],
    },
    'my-openai': {
      keys: [{ value: 'hidden-key', weight: 1 }],
      network_config: { base_url: 'https://llm.example.com' },
      custom_provider_config: { base_provider_type: 'openai', allowed_requests: { chat_completion: true } },
    },
    elevenlabs: { keys: [{ value: 'env.ELEVENLABS', models: ['*'] }] },
    gemini: {
      keys: [
        { value: 'env.G', models: [] },
        { value: 'env.G', enabled: false },
      ],
    },
  },
  governance: { virtual_keys: [{ id: 'vk' }] },
  plugins: [{ name: 'semantic_cache', enabled: true }],
  a_new_section: {},
}

describe("importing Bifrost's configuration", () => {
  it('writes one that a start accepts, with its keys as endpoints', async () => {
    const { config } = await imported(DOCUMENTED)
    expect(config.providers).toMatchObject({
      openai: {
        endpoints: [
          { name: '1', apiKey: variable('OPENAI_KEY_1'), weight: 2 },
          { name: '2', apiKey: variable('OPENAI_KEY_2'), models: ['gpt-4o-mini'] },
          { name: '3', apiKey: variable('OPENAI_KEY_BATCH') },
        ],
      },
      azure: {
        endpoints: [
          { name: 'east', apiKey: variable('AZURE_KEY_EAST'), baseUrl: 'https://east.openai.azure.com' },
          { name: '2', apiKey: variable('AZURE_KEY_WEST'), baseUrl: variable('AZURE_ENDPOINT') },
        ],
        models: { 'azure/gpt-4o-prod': 'gpt-4o-prod' },
      },
      'bedrock-us-east-1': {
        adapter: 'bedrock',
        region: 'us-east-1',
        accessKeyId: variable('AWS_ACCESS_KEY_ID'),
        secretAccessKey: variable('BEDROCK_AWS_SECRET_ACCESS_KEY'),
      },
      'my-openai': {
        adapter: 'openai-compatible',
        baseUrl: 'https://llm.example.com/v1',
        apiKey: variable('OPENAI_API_KEY'),
      },
    })
    expect(config.models).toEqual({
      'azure/gpt-4o': ['azure/gpt-4o-prod'],
      'bedrock/us.amazon.nova-pro-v1:0': ['bedrock-us-east-1/us.amazon.nova-pro-v1:0'],
      'vllm/llama-3-70b': [expect.stringMatching(/\/meta-llama\/Meta-Llama-3-70B-Instruct$/)],
    })
    expect(config.routing).toEqual({ policy: 'weighted' })
    expect(config.limits).toEqual({ models: { 'openai/*': { concurrent: 3 } } })
    expect(config).not.toHaveProperty('times')
  })

  it('copies no secret, and reports what it cannot carry over', async () => {
    const { stdout, text } = await imported(DOCUMENTED)
    expect(stdout + text).not.toContain('hidden')
    for (const line of [
      '  OPENAI_API_KEY: its value is in config.json, at providers.my-openai.keys[0].value\n',
      'providers.openai.network_config.max_retries, providers.openai.network_config.retry_backoff_initial: each endpoint',
      'providers.openai.concurrency_and_buffer_size.concurrency: limits the requests of all keys',
      'providers.openai.keys[2].use_for_batch_api, providers.azure.keys[1].aliases.gpt-4o.api_version, providers.bedrock.keys[0].bedrock_key_config.session_name and 1 more: has no equivalent',
      '  BEDROCK_AWS_SECRET_ACCESS_KEY: its value is in config.json, at providers.bedrock.keys[0].bedrock_key_config.secret_key\n',
      'providers.azure.keys[1].azure_key_config.endpoint: must be the base URL',
      'providers.openai.network_config.default_request_timeout_in_seconds: not every provider has a time limit',
      'providers.my-openai.custom_provider_config.allowed_requests: set `families`',
      'no installed adapter serves elevenlabs',
      'providers.gemini.keys[0]: serves no model, since its list is empty',
      'providers.gemini.keys[1]: is disabled',
      'governance: create keys, budgets and limits',
      'plugins: there are no plugins',
    ])
      expect(stdout).toContain(line)
    expect(stdout).not.toMatch(/litellm_params|\$schema/)
  })

  it('has the longest time limit if every provider has one', async () => {
    const provider = (seconds: number) => ({
      keys: [{ value: 'env.K', models: ['*'] }],
      network_config: { default_request_timeout_in_seconds: seconds },
    })
    const { config } = await imported({ providers: { openai: provider(30), groq: provider(1000) } })
    expect(config.times).toEqual({ firstByte: 1_000_000, whole: 1_000_000 })
    expect(config.providers).toMatchObject({ openai: { apiKey: variable('K') }, groq: { apiKey: variable('K') } })
    expect(config).not.toHaveProperty('routing')
  })

  it('takes an empty list as all models in a file of version 1', async () => {
    const { config } = await imported({ version: 1, providers: { openai: { keys: [{ value: 'env.K', models: [] }] } } })
    expect(config.providers).toEqual({ openai: { apiKey: variable('K') } })
  })

  it('makes a gateway that distributes the requests over the keys by weight', async () => {
    const seen: (string | undefined)[] = []
    const server = createServer(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(404).end()
      const { model } = Object(await json(request))
      seen.push(request.headers.authorization)
      const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }]
      const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ id: 'c-1', object: 'chat.completion', created: 1, model, choices, usage }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const folder = temporaryFolder({
      'config.json': {
        providers: {
          'my-server': {
            keys: [
              { value: 'env.FIRST', models: ['*'], weight: 2 },
              { value: 'env.SECOND', models: ['*'], weight: 1 },
              { value: 'env.THIRD', models: ['other'], weight: 100 },
            ],
            network_config: { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
            custom_provider_config: { base_provider_type: 'openai' },
          },
        },
      },
    })
    expect(await command(['import', 'bifrost', 'config.json'], { folder })).toMatchObject({ code: 0 })
    const environment = {
      FIRST: 'first-key',
      SECOND: 'second-key',
      THIRD: 'third-key',
      HEADGATE_API_KEYS: 'sk-12345678',
    }
    const gateway = await startInProcess({ folder, environment })
    for (let index = 0; index < 30; index++) {
      const { status } = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-12345678' },
        body: JSON.stringify({ model: 'my-server/m', messages: [{ role: 'user', content: `Question ${index}` }] }),
      })
      expect(status).toBe(200)
    }
    await gateway.stop()
    const counts = Map.groupBy(seen, (key) => key)
    expect([counts.get('Bearer first-key')?.length, counts.get('Bearer second-key')?.length]).toEqual([20, 10])
  })

  it.each([
    [{ providers: { openai: 'sk-hidden' } }, 'providers.openai'],
    [{ keys: 'sk-hidden' }, 'providers'],
    [{ providers: { openai: { keys: [{ value: 'sk-hidden', weight: 'much' }] } } }, 'providers.openai.keys[0].weight'],
  ])('rejects %j without quoting it', async (file, path) => {
    const folder = temporaryFolder({ 'config.json': file })
    const { code, stdout, stderr } = await command(['import', 'bifrost', 'config.json'], { folder })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(path)
    expect(stderr).not.toContain('hidden')
  })
})
