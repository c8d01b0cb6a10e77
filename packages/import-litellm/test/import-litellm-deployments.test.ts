import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { loadProviders } from '@headgate/discovery'
import { expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { substitute } from '../../../apps/server/src/config/substitution.ts'
import { startInProcess } from '../../../apps/server/test/in-process.ts'
import { command } from '../../../apps/server/test/program.ts'
import { temporaryFolder } from '../../discovery/test/support/temporary.ts'
import { sourcesOf, takes } from '../src/serving.ts'
import { CLOUDS } from './support/clouds.ts'
import { ENVIRONMENT } from './support/environment.ts'
import { LEFT, VENDORS } from './support/vendors.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FILES = { 'package.json': { headgate: { adapters: [join(ROOT, 'packages/providers/*')] } } }
const KEY = 'sk-local-1234'
const DEPLOYMENTS = [...CLOUDS, ...VENDORS]

interface Seen {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/**
 * Plays every vendor: the first part of a path is the host that was meant. Gives tokens, and refuses every other
 * request.
 */
async function vendors() {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const { url = '', headers, method } = request
    const answer = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (/token$/.test(url)) {
      await text(request)
      return answer(200, {
        access_token: `token-of-${url.split('/')[1]}`,
        token_type: 'Bearer',
        expires_in: 3600,
        expiration: 4_102_444_800,
      })
    }
    if (method !== 'POST') return answer(404, {})
    seen.push({ url: url.slice(1), headers, body: await json(request) })
    return answer(400, { error: { message: 'no', type: 'invalid_request_error' } })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** The configuration with every provider at the loopback vendor, below the host that it would ask. */
async function redirected(folder: string, base: string, environment: Record<string, string>): Promise<object> {
  const config = parse(readFileSync(join(folder, 'headgate.config.yaml'), 'utf8'))
  const adapters = await loadProviders({ folder, environment, program: join(ROOT, 'apps/server') })
  for (const [name, provider] of Object.entries<Record<string, unknown>>(config.providers)) {
    const { adapter: id = name, models: _, ...given } = provider
    const adapter = adapters.find((one) => one.id === id)
    const read = Object.entries(adapter ? sourcesOf(adapter) : {}).flatMap(([field, sources]) => {
      const set = sources.flatMap((source) => (typeof source === 'string' && environment[source]) || [])[0]
      return id === name && set !== undefined ? [[field, set]] : []
    })
    const made = adapter?.factory({
      ...Object.fromEntries(read),
      ...Object(substitute(given, { environment, folder: '.' }).value),
    })
    const { host, pathname } = new URL(made?.baseUrl ?? '')
    provider['baseUrl'] = `${base}/${host}${pathname}`.replace(/\/$/, '')
    if (adapter && takes(adapter, 'iamUrl')) provider['iamUrl'] = `${base}/iam.cloud.ibm.com`
  }
  return config
}

const PATHS = {
  chat: '/v1/chat/completions',
  completion: '/v1/completions',
  embedding: '/v1/embeddings',
  rerank: '/v1/rerank',
} as const
const BODIES = {
  chat: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16 },
  completion: { prompt: 'Hi', max_tokens: 16 },
  embedding: { input: 'Hi' },
  rerank: { query: 'Hi', documents: ['a', 'b'] },
} as const

async function imported(file: object, environment: Record<string, string> = {}) {
  const folder = temporaryFolder({ 'config.yaml': stringify(file), ...FILES })
  const { code, stdout, stderr } = await command(['import', 'litellm', 'config.yaml'], { folder, environment })
  expect([code, stderr]).toEqual([0, ''])
  return { folder, stdout, config: parse(readFileSync(join(folder, 'headgate.config.yaml'), 'utf8')) }
}

const listed = (params: object, info: object = {}, alias = 'a') => ({
  model_name: alias,
  litellm_params: params,
  model_info: info,
})

it('carries limits, budgets, prices and output limits, and says what it cannot carry', async () => {
  const { folder, stdout, config } = await imported({
    model_list: [
      listed(
        { model: 'openai/gpt-4o', rpm: 10, tpm: 1000 },
        { max_output_tokens: 500, input_cost_per_token: 0.000001 },
      ),
      listed({ model: 'groq/llama', rpm: 5, max_budget: 3 }, { tpm: 500, max_tokens: 400 }),
      listed({ model: 'openai/gpt-5', max_parallel_requests: 3, rpm: 7, output_cost_per_second: 1 }, {}, 'b'),
      listed({ model: 'openai/gpt-5' }, {}, 'b'),
      listed({ model: 'cohere/rerank-v3.5' }, { mode: 'rerank', input_cost_per_query: 0.002 }, 'c'),
      listed({ model: 'anthropic/*', rpm: 9 }, { max_output_tokens: 5 }, 'anthropic/*'),
      listed(
        { model: 'gemini/gemini-2.5-pro' },
        { input_cost_per_token: 1e-6, output_cost_per_token: 1e-5, input_cost_per_token_above_200k_tokens: 2e-6 },
        'd',
      ),
    ],
    litellm_settings: { max_budget: 100, budget_duration: '30d', max_internal_user_budget: 5 },
    router_settings: {
      model_group_alias: { other: 'a' },
      default_max_parallel_requests: 4,
      provider_budget_config: { openai: { budget_limit: 1 } },
    },
    general_settings: { master_key: 'os.environ/K', global_max_parallel_requests: 50, max_parallel_requests: 7 },
  })
  expect(config.limits).toEqual({ models: { '*': { concurrent: 50 } } })
  const endpoints = Object.entries<Record<string, unknown>>(config.providers).map(([name, one]) => [
    name,
    one['endpoints'],
  ])
  expect(Object.fromEntries(endpoints)).toEqual({
    openai: [
      {
        name: '1',
        group: 'account-1',
        models: ['gpt-4o'],
        limits: { requestsPerMinute: 10, tokensPerMinute: 1000, concurrent: 4 },
      },
      { name: '2', group: 'account-1', models: ['gpt-5'], limits: { concurrent: 7 } },
    ],
    groq: [{ name: 'main', limits: { requestsPerMinute: 5, tokensPerMinute: 500, concurrent: 4 } }],
    cohere: [{ name: 'main', limits: { concurrent: 4 } }],
    anthropic: [{ name: 'main', limits: { requestsPerMinute: 9, concurrent: 4 } }],
    google: [{ name: 'main', limits: { concurrent: 4 } }],
  })
  const shared = { targets: [{ model: 'openai/gpt-4o', weight: 2 }, 'groq/llama'], policy: 'weighted' }
  expect(config.models).toMatchObject({
    a: shared,
    other: shared,
    b: { targets: ['openai/gpt-5'], policy: 'weighted' },
  })
  expect(config.budgets).toEqual({ organization: ['100/month'] })
  expect(config.providers.openai.models['openai/gpt-4o']).toEqual({ upstream: 'gpt-4o', output: 500 })
  expect(config.providers.groq.models['groq/llama']).toEqual({ upstream: 'llama', output: 400 })
  expect(config.prices).toEqual({
    'openai/gpt-4o': { input: 1, output: 0 },
    'cohere/rerank-v3.5': { input: 0, output: 0, units: { searches: 2_000 } },
    'google/gemini-2.5-pro': { input: 1, output: 10, long: { above: 200_000, input: 2, output: 10 } },
  })
  for (const remark of [
    'model_list[0].litellm_params.rpm, model_list[0].litellm_params.tpm, router_settings.default_max_parallel_requests and 5 more: limits the calls of an endpoint',
    'model_list[1].litellm_params.max_budget: budgets apply to keys',
    'model_list[2].litellm_params.output_cost_per_second: `prices` has no such rate',
    'model_list["anthropic/*"]: models of a provider that serves any model cannot have an output limit',
    'litellm_settings.max_budget: becomes a budget of all keys together',
    'litellm_settings.max_internal_user_budget: budgets and limits apply to keys and projects',
    'router_settings.provider_budget_config: budgets apply to keys',
    'general_settings.max_parallel_requests: set `concurrent`',
    'general_settings.global_max_parallel_requests: becomes `concurrent` of all models',
  ])
    expect(stdout).toContain(remark)
  const names = ['K', 'OPENAI_API_KEY', 'GROQ_API_KEY', 'COHERE_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY']
  const environment = Object.fromEntries(names.map((name) => [name, 'a-long-key']))
  expect(await command(['config', 'check'], { folder, environment })).toMatchObject({ code: 0, stderr: '' })
})

it.each([
  [{ max_budget: 5 }, ['5'], ''],
  [{ max_budget: 0.5, budget_duration: '1d' }, ['0.5/day'], ''],
  [{ max_budget: 5, budget_duration: '45m' }, undefined, 'litellm_settings.budget_duration: budgets reset daily'],
  [{ max_budget: 0 }, undefined, ''],
])('carries the budget %o of the proxy', async (settings, organization, remark) => {
  const { config, stdout } = await imported({
    model_list: [listed({ model: 'openai/gpt-4o' })],
    litellm_settings: settings,
  })
  expect(config.budgets).toEqual(organization && { organization })
  expect(stdout).toContain(remark)
})

it('never mixes credentials of the file with those of the environment', async () => {
  const tenant = { tenant_id: 't', client_id: 'c', client_secret: 'a-hidden-secret' }
  const { config, stdout } = await imported(
    {
      model_list: [
        listed({ model: 'azure/a', api_base: 'https://eu.openai.azure.com', ...tenant }),
        listed({
          model: 'bedrock/amazon.nova-pro-v1:0',
          aws_region_name: 'us-west-2',
          aws_access_key_id: 'hidden-id',
          aws_secret_access_key: 'hidden',
        }),
        listed({ model: 'bedrock/amazon.nova-pro-v1:0', aws_region_name: 'us-east-1' }),
        listed({ model: 'bedrock/amazon.nova-pro-v1:0', aws_region_name: 'eu-west-1' }),
        listed({
          model: 'bedrock/amazon.nova-lite-v1:0',
          aws_region_name: 'us-east-1',
          aws_role_name: 'r',
          aws_session_name: 's',
        }),
        listed({
          model: 'vertex_ai/gemini-2.5-pro',
          vertex_project: 'p',
          vertex_credentials: 'os.environ/GOOGLE_APPLICATION_CREDENTIALS',
        }),
        listed({
          model: 'vertex_ai/gemini-2.5-pro',
          vertex_project: 'q',
          vertex_credentials: { type: 'service_account', private_key: 'hidden' },
        }),
        listed({ model: 'vertex_ai/gemini-2.5-pro', vertex_project: 'r' }, {}, 'other'),
      ],
    },
    { AWS_SESSION_TOKEN: 'a-token', GOOGLE_APPLICATION_CREDENTIALS: '/secrets/key.json' },
  )
  expect(stdout + JSON.stringify(config)).not.toContain('hidden')
  const variable = (name: string) => `\${${name}}`
  expect(config.providers).toMatchObject({
    'azure-eu': { adapter: 'azure', tenantId: 't', clientId: 'c', clientSecret: variable('AZURE_CLIENT_SECRET') },
    'bedrock-us-west-2': {
      accessKeyId: variable('BEDROCK_AWS_ACCESS_KEY_ID'),
      secretAccessKey: variable('BEDROCK_AWS_SECRET_ACCESS_KEY'),
    },
    bedrock: {
      endpoints: [
        { name: 'us-east-1', region: 'us-east-1' },
        { name: 'eu-west-1', region: 'eu-west-1', models: ['amazon.nova-pro-v1:0'] },
      ],
      models: expect.anything(),
    },
    vertex: { project: 'p', location: 'us-central1' },
    'vertex-q': { key: variable('GOOGLE_CREDENTIALS') },
    'vertex-2': { project: 'r', key: variable('VERTEX_2_KEY') },
  })
  expect(config.providers['azure-eu']).not.toHaveProperty('apiKey')
  for (const name of ['bedrock', 'vertex'])
    expect(config.providers[name]).not.toHaveProperty(name === 'vertex' ? 'apiKey' : 'accessKeyId')
  expect(stdout).toContain('  VERTEX_2_KEY: content of the file that GOOGLE_APPLICATION_CREDENTIALS names\n')
  expect(stdout).toContain('aws_role_name, model_list[4].litellm_params.aws_session_name: roles are not assumed')
})

/** All deployments of the tables, imported where `base` plays the server that gives tokens. */
async function importedTables(base: string) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const account = {
    type: 'service_account',
    client_email: 'me@p.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${base}/oauth2.googleapis.com/token`,
  }
  const own = { GOOGLE_CREDENTIALS: JSON.stringify(account), HEADER_X_TEAM: 'team-a', LITELLM_MASTER_KEY: KEY }
  const list = [...DEPLOYMENTS, ...LEFT].map(({ alias, params, mode }) =>
    listed(params, mode === undefined ? {} : { mode }, alias),
  )
  const file = { model_list: list, general_settings: { master_key: 'os.environ/LITELLM_MASTER_KEY' } }
  return { ...(await imported(file, ENVIRONMENT)), environment: { ...ENVIRONMENT, ...own } }
}

it('writes a configuration of deployments of every kind that passes the check, and names those that cannot be served', async () => {
  const { folder, stdout, config, environment } = await importedTables('http://127.0.0.1:1')
  expect(DEPLOYMENTS.length).toBeGreaterThanOrEqual(40)
  expect(Object.keys(config.models)).toEqual(DEPLOYMENTS.map(({ alias }) => alias))
  for (const { remark } of LEFT) expect(stdout).toContain(remark)
  expect(await command(['config', 'check'], { folder, environment })).toMatchObject({ code: 0, stderr: '' })
})

it('sends the first request of every kind of deployment where LiteLLM would, with its credentials and body', {
  tags: ['full'],
}, async () => {
  const { base, seen } = await vendors()
  const { folder, environment } = await importedTables(base)
  writeFileSync(join(folder, 'headgate.config.yaml'), stringify(await redirected(folder, base, environment)))
  const gateway = await startInProcess({ folder, environment })
  for (const { alias, mode = 'chat', url, headers, body } of DEPLOYMENTS) {
    seen.length = 0
    const answer = await fetch(`${gateway.url}${PATHS[mode]}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: alias, ...BODIES[mode] }),
    })
    const said = await answer.text()
    expect
      .soft(seen.length > 0 ? seen : said, alias)
      .toEqual([{ url, headers: expect.objectContaining(headers), body: expect.objectContaining(body) }])
  }
  await gateway.stop()
})
