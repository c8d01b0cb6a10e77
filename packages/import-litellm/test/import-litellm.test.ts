import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { loadSettings } from '../../../apps/server/src/config/settings.ts'
import { startInProcess } from '../../../apps/server/test/in-process.ts'
import { command } from '../../../apps/server/test/program.ts'
import { temporaryFolder } from '../../discovery/test/support/temporary.ts'
import { VENDORS } from '../src/vendors.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** How a configuration names a variable of the environment. */
const variable = (name: string) => `\${${name}}`

/** As in LiteLLM's documentation: https://docs.litellm.ai/docs/proxy/configs, …/load_balancing, …/reliability. */
const DOCUMENTED = `
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: azure/gpt-4o-eu
      api_base: https://my-endpoint-europe-berri-992.openai.azure.com/
      api_key: "os.environ/AZURE_API_KEY_EU"
      rpm: 6
      order: 2
  - model_name: gpt-4o
    litellm_params: { model: gpt-4o, api_key: os.environ/OPENAI_API_KEY, order: 1 }
  - model_name: anthropic-claude
    litellm_params: { model: anthropic/claude-sonnet-4-6, api_base: https://api.anthropic.com/v1 }
    model_info: { input_cost_per_token: 0.000003, output_cost_per_token: 0.000015 }
  - model_name: zephyr-beta
    litellm_params: { model: openai/HuggingFaceH4/zephyr-7b-beta, api_base: "http://10.0.0.5:8001/v1", api_key: none, temperature: 0.2 }
  - model_name: bedrock-claude
    litellm_params: { model: bedrock/anthropic.claude-instant-v1, aws_region_name: us-east-1 }
litellm_settings:
  drop_params: true
  num_retries: 3
  request_timeout: 10
  fallbacks: [{ "zephyr-beta": ["gpt-4o"] }]
  context_window_fallbacks: [{ "gpt-4o": ["anthropic-claude"] }]
  success_callback: ["langfuse"]
router_settings:
  routing_strategy: simple-shuffle
  model_group_alias: { "gpt-4": "gpt-4o" }
general_settings:
  master_key: os.environ/LITELLM_MASTER_KEY
`

/** The alias of the two deployments in their order, and the fallback for a context that is too long. */
const GPT_4O = {
  targets: [
    'openai/gpt-4o',
    'my-endpoint-europe-berri-992/gpt-4o-eu',
    { model: 'anthropic/claude-sonnet-4-6', on: ['context-too-long'] },
  ],
}

const ENVIRONMENT = {
  AZURE_API_KEY_EU: 'a',
  OPENAI_API_KEY: 'o',
  ANTHROPIC_API_KEY: 'n',
  LITELLM_MASTER_KEY: 'sk-12345',
}

async function imported(
  file: string,
  options: { environment?: Record<string, string>; files?: Record<string, unknown> } = {},
) {
  const folder = temporaryFolder({ 'config.yaml': file, ...options.files })
  const ended = await command(['import', 'litellm', 'config.yaml'], { folder, environment: options.environment ?? {} })
  const path = join(folder, 'headgate.config.yaml')
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return { folder, ...ended, text, config: parse(text) }
}

describe("importing LiteLLM's configuration", () => {
  it('writes one that a start accepts, with the same names, orders, fallbacks, prices and keys', async () => {
    const { folder, code, config } = await imported(DOCUMENTED)
    expect(code).toBe(0)
    expect(config).toEqual({
      keys: [{ key: variable('LITELLM_MASTER_KEY'), name: 'master' }],
      providers: {
        'my-endpoint-europe-berri-992': {
          adapter: 'openai-compatible',
          apiKey: variable('AZURE_API_KEY_EU'),
          baseUrl: 'https://my-endpoint-europe-berri-992.openai.azure.com/openai/v1',
          endpoints: [{ name: 'main', limits: { requestsPerMinute: 6 } }],
          models: { 'my-endpoint-europe-berri-992/gpt-4o-eu': 'gpt-4o-eu' },
        },
        openai: { apiKey: variable('OPENAI_API_KEY'), models: { 'openai/gpt-4o': 'gpt-4o' } },
        anthropic: {
          apiKey: variable('ANTHROPIC_API_KEY'),
          models: { 'anthropic/claude-sonnet-4-6': 'claude-sonnet-4-6' },
        },
        '10-0-0-5-8001': {
          adapter: 'openai-compatible',
          baseUrl: 'http://10.0.0.5:8001/v1',
          models: { '10-0-0-5-8001/HuggingFaceH4/zephyr-7b-beta': 'HuggingFaceH4/zephyr-7b-beta' },
        },
      },
      models: {
        'gpt-4o': GPT_4O,
        'gpt-4': GPT_4O,
        'anthropic-claude': ['anthropic/claude-sonnet-4-6'],
        'zephyr-beta': [
          '10-0-0-5-8001/HuggingFaceH4/zephyr-7b-beta',
          'openai/gpt-4o',
          'my-endpoint-europe-berri-992/gpt-4o-eu',
        ],
      },
      prices: { 'anthropic/claude-sonnet-4-6': { input: 3, output: 15 } },
      times: { firstByte: 10_000 },
    })
    const settings = await loadSettings({}, { folder, environment: ENVIRONMENT })
    expect(settings.keys).toEqual([{ key: 'sk-12345', name: 'master' }])
    expect(await command(['config', 'check'], { folder, environment: ENVIRONMENT })).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  it('says what has no equal, what works otherwise, and which variables are needed', async () => {
    const { stdout } = await imported(DOCUMENTED)
    const [, needed = '', otherwise = '', left = ''] = stdout.split(/\n(?=Set in|Works|Has no|Next)/)
    expect(needed).toContain('  AZURE_API_KEY_EU\n  OPENAI_API_KEY\n  ANTHROPIC_API_KEY\n  LITELLM_MASTER_KEY\n')
    for (const place of [
      'litellm_settings.drop_params',
      'litellm_settings.num_retries',
      'router_settings.routing_strategy',
    ])
      expect(otherwise).toContain(`  ${place}: `)
    expect(otherwise).toContain('  model_list[0].litellm_params.rpm: limits the calls of an endpoint')
    expect(left).toContain('  model_list[3].litellm_params.temperature: is not a model setting')
    expect(left).toContain('  model_list[4].litellm_params.model: no installed adapter serves bedrock.')
    expect(left).toContain('  litellm_settings.success_callback: ')
    expect(stdout).toMatch(/\nNext: `headgate config check`, then `headgate`\.\n$/)
  })

  it('says of a setting that it does not know that it has no equal, and nothing of one that is off', async () => {
    const { stdout } = await imported(
      `${DOCUMENTED}  a_new_setting: 1\n  alerting: null\n  enforce_user_param: false\nguardrails: [{}]\n`,
    )
    expect(stdout).toContain('  general_settings.a_new_setting: has no equivalent\n')
    expect(stdout).toContain('  guardrails: there are no guardrails')
    expect(stdout).not.toMatch(/alerting|enforce_user_param/)
  })

  it('knows every setting by its own name only', async () => {
    const { stdout } = await imported(`${DOCUMENTED}  constructor: 1\n`)
    expect(stdout).toContain('  general_settings.constructor: has no equivalent\n')
  })

  it('copies no secret, and says where its value stands', async () => {
    const file = `
model_list:
  - { model_name: a, litellm_params: { model: openai/gpt-4o, api_key: sk-hidden-1 } }
  - { model_name: b, litellm_params: { model: openai/gpt-5, api_key: sk-hidden-2 } }
  - { model_name: c, litellm_params: { model: openai/gpt-5, api_key: sk-hidden-1 } }
  - { model_name: d, litellm_params: { model: openai/gpt-5 } }
  - { model_name: e, litellm_params: { model: openai/x, api_base: "https://e.example/v1", api_key: sk-hidden-3, extra_headers: { x-team: sk-hidden-4 } } }
  - { model_name: f, litellm_params: { model: openai/x, api_base: "https://me:sk-hidden-5@f.example/v1" } }
  - { model_name: g, litellm_params: { model: groq/llama, litellm_credential_name: shared, extra_body: sk-hidden-6 } }
credential_list: [{ credential_name: shared, credential_values: { api_key: sk-hidden-7 }, credential_info: {} }]
general_settings: { master_key: sk-hidden-8, database_url: "postgresql://u:sk-hidden-9@h/db" }
environment_variables: { OPENAI_API_KEY: sk-hidden-10, REDIS_PASSWORD: sk-hidden-11 }
`
    const { folder, stdout, stderr, text, config } = await imported(file)
    expect(stdout + stderr + text).not.toContain('hidden')
    const printed = await command(['import', 'litellm', 'config.yaml', '--print'], { folder })
    expect(printed.stdout + printed.stderr).not.toContain('hidden')
    expect(parse(printed.stdout)).toEqual(config)

    expect(Object.values(config.providers).map((one) => Reflect.get(Object(one), 'apiKey'))).toEqual([
      variable('OPENAI_API_KEY_2'),
      variable('OPENAI_API_KEY_3'),
      variable('OPENAI_API_KEY'),
      variable('OPENAI_API_KEY_4'),
      variable('GROQ_API_KEY'),
    ])
    expect(config.models.c).toEqual(['openai/gpt-5'])
    expect(config.providers.e.headers).toEqual({ 'x-team': variable('HEADER_X_TEAM') })
    expect(stdout).toContain(
      '  OPENAI_API_KEY_2: its value is in config.yaml, at model_list[0].litellm_params.api_key\n',
    )
    expect(stdout).toContain('  OPENAI_API_KEY: its value is in config.yaml, at environment_variables.OPENAI_API_KEY\n')
    expect(stdout).toContain('  LITELLM_MASTER_KEY: its value is in config.yaml, at general_settings.master_key\n')
    expect(stdout).toContain('  environment_variables: the gateway sets no variables: REDIS_PASSWORD\n')
  })

  it('never writes over a file, and never puts a second configuration beside one', async () => {
    const args = ['import', 'litellm', 'config.yaml']
    for (const there of ['headgate.config.yaml', 'headgate.config.json']) {
      const folder = temporaryFolder({ 'config.yaml': DOCUMENTED, [there]: 'mine' })
      expect(await command(args, { folder })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('already exists'),
      })
      expect(readFileSync(join(folder, there), 'utf8')).toBe('mine')
      expect(await command([...args, '--out', there], { folder })).toMatchObject({ code: 2, stdout: '' })
      expect(await command([...args, '--print'], { folder })).toMatchObject({ code: 0 })
      const other = await command([...args, '--out', 'other.json'], { folder })
      expect(other.stdout).toContain('Next: `headgate config check --config ')
      expect(JSON.parse(readFileSync(join(folder, 'other.json'), 'utf8'))).toMatchObject({
        times: { firstByte: 10_000 },
      })
    }
  })

  it.each([
    [[], 'import litellm takes one file'],
    [['a.yaml', 'b.yaml'], 'import litellm takes one file'],
    [['config.yaml', '--out', 'x.ts'], '--out: found "x.ts"; allowed: a name that ends in .yaml or .json'],
    [['config.toml'], 'unknown file ending .toml; allowed: .yaml, .yml, .json'],
    [['none.yaml'], 'There is no none.yaml'],
    [['list.yaml'], 'model_list'],
  ])('%o is a mistake, told without quoting the file', async (words, message) => {
    const folder = temporaryFolder({
      'config.yaml': DOCUMENTED,
      'list.yaml': 'model_list: sk-hidden',
      'config.toml': '',
    })
    const { code, stdout, stderr } = await command(['import', 'litellm', ...words], { folder })
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(message)])
    expect(stderr).not.toContain('hidden')
    expect(code).toBeGreaterThan(0)
  })

  it('writes nothing where nothing can be served', async () => {
    const { code, text, stderr } = await imported(
      'model_list: [{ model_name: a, litellm_params: { model: bedrock/titan } }]',
    )
    expect({ code, text }).toEqual({ code: 1, text: '' })
    expect(stderr).toContain('serves bedrock')
    expect(stderr).toContain('Nothing was written')
  })

  it('knows for every vendor where chat completions are, or that the file has to say it', async () => {
    const entries = [...VENDORS.keys()].map((word) => ({
      model_name: word,
      litellm_params: { model: `${word}/m`, api_base: undefined },
    }))
    const { folder, config, stdout } = await imported(JSON.stringify({ model_list: entries }))
    const unknown = [...VENDORS.keys()].filter((word) => !(word in config.models))
    const ownFormats = [...VENDORS].flatMap(([word, { hasOwnFormat, isAnyServer }]) =>
      hasOwnFormat || isAnyServer ? [word] : [],
    )
    expect(unknown).toEqual(ownFormats)
    expect(stdout).toContain('npm install @headgate/provider-vertex')
    const variables = [...stdout.matchAll(/^ {2}([A-Z\d_]+)$/gm)].map(([, name = '']) => [
      name,
      name.endsWith('_BASE') ? 'http://h/v1' : 'a-key',
    ])
    expect(await command(['config', 'check'], { folder, environment: Object.fromEntries(variables) })).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  it('uses the adapters that are installed, by their ids or by the variables of their keys', async () => {
    const file = `
model_list:
  - { model_name: grok, litellm_params: { model: xai/grok-4 } }
  - { model_name: qwen, litellm_params: { model: dashscope/qwen-max, api_base: "https://dashscope.aliyuncs.com/compatible-mode/v1" } }
  - { model_name: v, litellm_params: { model: vertex_ai/gemini-2.5-pro, vertex_project: p, vertex_location: global } }
  - { model_name: w, litellm_params: { model: gemini-2.5-pro, vertex_project: q, vertex_location: global } }
  - { model_name: r, litellm_params: { model: replicate/meta/llama } }
`
    const files = { 'package.json': { headgate: { adapters: [join(ROOT, 'packages/providers/*')] } } }
    const { config, stdout } = await imported(file, { files })
    expect(config.providers).toMatchObject({
      xai: { apiKey: variable('XAI_API_KEY'), models: { 'xai/grok-4': 'grok-4' } },
      alibaba: { apiKey: variable('DASHSCOPE_API_KEY'), baseUrl: 'https://dashscope.aliyuncs.com' },
      vertex: { project: 'p', location: 'global', models: { 'vertex/gemini-2.5-pro': 'gemini-2.5-pro' } },
      'vertex-2': { adapter: 'vertex', project: 'q', key: variable('VERTEX_2_KEY') },
    })
    expect(stdout).toContain('serves replicate')
  })

  it('leaves out what has no path here, whatever it is called', async () => {
    const file = `
model_list:
  - { model_name: picture, litellm_params: { model: openai/gpt-image-1 }, model_info: { mode: image_generation } }
  - { model_name: odd, litellm_params: { model: constructor/x } }
  - { model_name: untold, litellm_params: { model: org/model } }
  - { model_name: nobody, litellm_params: { model: some-model } }
  - { model_name: chat, litellm_params: { model: openai/gpt-4o, toString: 1, organization: org-1 }, model_info: { mode: chat, base_model: azure/gpt-4o } }
`
    const { config, stdout } = await imported(file)
    expect(config.models).toEqual({ chat: ['openai/gpt-4o'] })
    expect(config.providers).toEqual({
      openai: {
        apiKey: variable('OPENAI_API_KEY'),
        organization: 'org-1',
        models: { 'openai/gpt-4o': { upstream: 'gpt-4o', is: 'gpt-4o' } },
      },
    })
    expect(stdout).toContain(
      'model_list[0].model_info.mode: Headgate has no path for models with the mode image_generation',
    )
    expect(stdout).toContain('serves constructor')
    expect(stdout).toContain('serves org.')
    expect(stdout).toContain('model_list[3].litellm_params.model: the provider is unknown')
    expect(stdout).toContain('model_list[4].litellm_params.toString: is not a model setting')
    expect(stdout).toContain('general_settings.master_key: is missing, but callers need a key')
  })

  it('gives what any model may be asked of the name that callers write', async () => {
    const file = `
model_list:
  - { model_name: gpt, litellm_params: { model: openai/gpt-4o, api_key: os.environ/FIRST_KEY } }
  - { model_name: "openai/*", litellm_params: { model: "openai/*", api_key: os.environ/SECOND_KEY } }
  - { model_name: "*", litellm_params: { model: "anthropic/*" } }
`
    const { config, stdout } = await imported(file)
    expect(config.providers).toEqual({
      'openai-2': { adapter: 'openai', apiKey: variable('FIRST_KEY'), models: { 'openai-2/gpt-4o': 'gpt-4o' } },
      openai: { apiKey: variable('SECOND_KEY') },
      anthropic: { apiKey: variable('ANTHROPIC_API_KEY') },
    })
    expect(stdout).toContain('model_list["*"]: is called as `anthropic/<model>`')
    expect(stdout).not.toContain('model_list["openai/*"]')
  })

  it('makes a gateway that serves the names of LiteLLM with its key', async () => {
    const seen: unknown[] = []
    const server = createServer(async (request, response) => {
      if (request.url !== '/v1/chat/completions') return response.writeHead(404).end()
      const { model } = Object(await json(request))
      seen.push([model, request.headers.authorization])
      if (String(model).endsWith('down')) return response.writeHead(503).end()
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
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const { folder } = await imported(`
model_list:
  - { model_name: fast, litellm_params: { model: openai/org/down, api_base: "${base}", api_key: os.environ/UP_KEY, order: 1 } }
  - { model_name: fast, litellm_params: { model: openai/down, api_base: "${base}", api_key: os.environ/UP_KEY, order: 2 } }
  - { model_name: big, litellm_params: { model: hosted_vllm/org/big-1, api_base: "${base}" } }
litellm_settings: { fallbacks: [{ fast: [big] }] }
general_settings: { master_key: sk-12345 }
`)
    expect(statSync(join(folder, 'headgate.config.yaml')).size).toBeGreaterThan(0)
    const gateway = await startInProcess({ folder, environment: { UP_KEY: 'up', LITELLM_MASTER_KEY: 'sk-12345' } })
    const ask = (model: string, key = 'sk-12345') =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
      })
    expect((await ask('big', 'sk-other')).status).toBe(401)
    expect((await ask('gpt-4o')).status).toBe(400)
    const answer = await ask('big')
    expect([answer.status, await answer.json()]).toMatchObject([200, { choices: [{ message: { content: 'Hello' } }] }])
    expect(seen).toEqual([['org/big-1', undefined]])
    expect((await ask('fast')).status).toBe(200)
    expect(seen.slice(1)).toEqual([
      ['org/down', 'Bearer up'],
      ['down', 'Bearer up'],
      ['org/big-1', undefined],
    ])
    await gateway.stop()
  })
})
