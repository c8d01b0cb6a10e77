import { configError, problemsOf } from '@headgate/discovery/config'
import { z } from 'zod'
import { isSection, type Section } from './file.ts'
import { type ForeignEntry, given, remarkSection, type SettingTexts, translateForeign } from './foreign.ts'
import { timesOf } from './settings.ts'
import type { Translation, TranslationOptions } from './translation.ts'
import type { UpstreamContext } from './upstream.ts'

const section = z.record(z.string(), z.unknown()).nullish()

const key = z.looseObject({
  models: z.array(z.string()).nullish(),
  weight: z.number().nullish(),
  aliases: section,
})

const provider = z.looseObject({
  keys: z.array(key).nullish(),
  network_config: section,
  concurrency_and_buffer_size: section,
  custom_provider_config: section,
})

const file = z.looseObject({ providers: z.record(z.string(), provider), version: z.number().nullish() })

/**
 * Bifrost's `config.json`, limited to the fields that are read.
 * @see https://docs.getbifrost.ai/deployment-guides/config-json/providers
 * @see https://github.com/maximhq/bifrost/blob/main/transports/config.schema.json
 */
type BifrostFile = z.output<typeof file>
type BifrostProvider = z.output<typeof provider>
type BifrostKey = z.output<typeof key>

/** LiteLLM's words by Bifrost's names, if they differ. */
const WORDS: Readonly<Record<string, string>> = {
  vertex: 'vertex_ai',
  fireworks: 'fireworks_ai',
  vllm: 'hosted_vllm',
  sgl: 'openai_like',
}

/** Names of Bifrost for LiteLLM's parameters of every key. */
const NAMES: Readonly<Record<string, string>> = {
  api_key: 'value',
  model: 'models',
  api_base: 'network_config.base_url',
  extra_headers: 'network_config.extra_headers',
}

/** Parameters by fields of a key's configuration. */
const KEY_CONFIGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  azure_key_config: {
    endpoint: 'api_base',
    api_version: 'api_version',
    client_id: 'client_id',
    client_secret: 'client_secret',
    tenant_id: 'tenant_id',
  },
  bedrock_key_config: {
    region: 'aws_region_name',
    access_key: 'aws_access_key_id',
    secret_key: 'aws_secret_access_key',
    session_token: 'aws_session_token',
    role_arn: 'aws_role_name',
  },
  vertex_key_config: {
    project_id: 'vertex_project',
    region: 'vertex_location',
    auth_credentials: 'vertex_credentials',
  },
  ollama_key_config: { url: 'api_base' },
  vllm_key_config: { url: 'api_base' },
  sgl_key_config: { url: 'api_base' },
  databricks_key_config: { workspace_url: 'api_base' },
}

const RETRIES = [
  'otherwise',
  'each endpoint is called once; retryable ones are called again after 1, 2 and 4 seconds (docs/routing.md)',
] as const
const STORES = ['left', 'the store is SQLite in `.headgate`, or Postgres if DATABASE_URL is set'] as const
const READ_KEYS: SettingTexts = {
  name: null,
  value: null,
  models: null,
  weight: null,
  aliases: null,
  enabled: null,
  ...Object.fromEntries(Object.keys(KEY_CONFIGS).map((name) => [name, null])),
}

const ALIAS: SettingTexts = { model_id: null, model_name: null, model_family: null, description: null }

const PROVIDER: SettingTexts = {
  keys: null,
  network_config: null,
  concurrency_and_buffer_size: null,
  custom_provider_config: null,
}

const NETWORK: SettingTexts = {
  base_url: null,
  extra_headers: null,
  default_request_timeout_in_seconds: null,
  max_retries: RETRIES,
  retry_backoff_initial: RETRIES,
  retry_backoff_initial_ms: RETRIES,
  retry_backoff_max: RETRIES,
  retry_backoff_max_ms: RETRIES,
  stream_idle_timeout_in_seconds: ['left', 'set the maximum silence of streams with `times.silence`'],
}

const BUFFER: SettingTexts = {
  concurrency: null,
  buffer_size: ['otherwise', 'up to 64 requests wait for an endpoint, for at most a second'],
}

const CUSTOM: SettingTexts = {
  base_provider_type: null,
  is_key_less: null,
  allowed_requests: ['left', 'set `families` of keys: `headgate keys create --families`'],
}

const TOP: SettingTexts = {
  $schema: null,
  version: null,
  providers: null,
  source_of_truth: null,
  client: ['left', 'see docs/configuration.md for logs, limits and origins'],
  governance: ['left', 'create keys, budgets and limits with `headgate keys create` (docs/keys.md)'],
  auth_config: ['left', 'create users with `headgate users add` (docs/accounts.md)'],
  config_store: STORES,
  logs_store: STORES,
  vector_store: ['left', 'model responses are not cached'],
  plugins: ['left', 'there are no plugins'],
  mcp: ['left', 'MCP servers are not supported'],
}

/**
 * Translates Bifrost's configuration. Keys of a provider become endpoints with their weights.
 * @param value parsed content of `config.json`
 * @throws HeadgateError for an invalid configuration.
 */
export function translateBifrost(value: unknown, { path, adapters, environment }: TranslationOptions): Translation {
  const bifrost = checked(value, path)
  const remarks: (readonly [readonly PropertyKey[], string])[] = []
  const entries = Object.entries(bifrost.providers).flatMap(([name, one]) =>
    (one.keys ?? []).flatMap((own, index) => {
      const at = ['providers', name, 'keys', index]
      const [result, why] = entriesOf({ name, provider: one, key: own, at, version: bifrost.version ?? 2 })
      if (why !== undefined) remarks.push([at, why])
      return result
    }),
  )
  const { config, ...report } = translateForeign(
    {
      entries,
      remarkOthers(remark) {
        for (const [at, text] of remarks) remark('left', at, text)
        remarkOthers(bifrost, remark)
      },
    },
    { adapters, environment },
  )
  const times = timesFor(bifrost)
  const limits = limitsFor(bifrost)
  const isShared = Object.values(config.providers).some(({ endpoints = [] }) => endpoints.length > 1)
  return {
    ...report,
    config: {
      ...config,
      ...(isShared && { routing: { policy: 'weighted' } }),
      ...(times && { times }),
      ...(limits && { limits }),
    },
  }
}

function checked(value: unknown, path: string): BifrostFile {
  const result = file.safeParse(value ?? {})
  if (result.success) return result.data
  throw configError(path, problemsOf(result.error, { schema: file, value, secret: () => true }))
}

interface PlacedKey {
  /** Name of the provider. */
  readonly name: string
  readonly provider: BifrostProvider
  readonly key: BifrostKey
  readonly at: readonly PropertyKey[]
  readonly version: number
}

/** Entries of a key, or the reason why it has none. */
function entriesOf({ name, provider, key, at, version }: PlacedKey): readonly [ForeignEntry[], string?] {
  if (key['enabled'] === false) return [[], 'is disabled']
  const models = key.models ?? ['*']
  if (models.length === 0 && version !== 1)
    return [[], 'serves no model, since its list is empty: write `["*"]` if it serves all, and import again']
  const aliases = new Map(Object.entries(key.aliases ?? {}))
  const served = models.length === 0 || models.includes('*') ? ['*', ...aliases.keys()] : models
  const only = textOf(isSection(key['vllm_key_config']) ? key['vllm_key_config']['model_name'] : undefined)
  const base = textOf(provider.custom_provider_config?.['base_provider_type']) ?? name
  const word = WORDS[base] ?? base
  const params = paramsOf(provider, key, base)
  const entries = served.map((model): ForeignEntry => {
    const upstream = only ?? aliasText(aliases.get(model)) ?? model
    return {
      name: `${name}/${model}`,
      params: { ...params, model: `${word}/${upstream}` },
      names: namesOf(key),
      origin: { path: at, pool: name, group: name },
    }
  })
  return [entries]
}

/** Names of Bifrost for LiteLLM's parameters of a key. */
function namesOf(key: BifrostKey): Readonly<Record<string, string>> {
  const own = Object.entries(KEY_CONFIGS).flatMap(([config, fields]) =>
    isSection(key[config]) ? Object.entries(fields).map(([field, parameter]) => [parameter, `${config}.${field}`]) : [],
  )
  return { ...NAMES, ...Object.fromEntries(own) }
}

/** Model of an alias. An object has it in `model_id`. @see https://docs.getbifrost.ai/providers/aliasing-models */
function aliasText(value: unknown): string | undefined {
  return textOf(isSection(value) ? value['model_id'] : value)
}

/** Servers that need no key. */
const KEYLESS: ReadonlySet<string> = new Set(['ollama', 'vllm', 'sgl'])

function paramsOf(
  { network_config: network, custom_provider_config: custom }: BifrostProvider,
  key: BifrostKey,
  base: string,
): Section {
  const isKeyless = KEYLESS.has(base) || custom?.['is_key_less'] === true
  const own = Object.entries(KEY_CONFIGS).flatMap(([config, fields]) => {
    const section = key[config]
    if (!isSection(section)) return []
    return Object.entries(fields).map(([field, parameter]) => [parameter, referenced(section[field])] as const)
  })
  const params = { api_base: referenced(network?.['base_url']), ...given(Object.fromEntries(own)) }
  return given({
    ...params,
    api_base: withVersion(params.api_base, base),
    api_key: referenced(key['value']) ?? (isKeyless ? 'none' : undefined),
    weight: key.weight,
    extra_headers: isSection(network?.['extra_headers']) ? headersOf(network['extra_headers']) : undefined,
  })
}

/** Base URLs of Bifrost do not contain the version. */
const VERSIONED: ReadonlySet<string> = new Set(['openai', 'vllm', 'sgl'])

function withVersion(url: unknown, base: string): unknown {
  const isPlain = typeof url === 'string' && !url.startsWith('os.environ/') && !/\/v\d+\/?$/.test(url)
  return isPlain && VERSIONED.has(base) ? `${url.replace(/\/+$/, '')}/v1` : url
}

function headersOf(headers: Section): Section {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, referenced(value)]))
}

/** Value with a reference to a variable in LiteLLM's form: `env.NAME`, or an object with `env_var`. */
function referenced(value: unknown): unknown {
  const text = isSection(value) ? (value['env_var'] ?? value['value']) : value
  if (typeof text !== 'string' || text === '') return undefined
  const isVariable = isSection(value) && textOf(value['env_var']) !== undefined
  const name = /^env\.(.+)$/.exec(text)?.[1] ?? (isVariable ? text : undefined)
  return name === undefined ? text : `os.environ/${name}`
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

const SECONDS = 'default_request_timeout_in_seconds'

/** Longest time limit, if every provider has one. */
function timesFor({ providers }: BifrostFile): Translation['config']['times'] | undefined {
  const all = Object.values(providers)
  const seconds = all.flatMap(({ network_config: network }) => {
    const value = network?.[SECONDS]
    return typeof value === 'number' && value > 0 ? [value] : []
  })
  return seconds.length > 0 && seconds.length === all.length ? timesOf(Math.max(...seconds)) : undefined
}

function limitsFor({ providers }: BifrostFile): Translation['config']['limits'] | undefined {
  const models = Object.entries(providers).flatMap(([name, { concurrency_and_buffer_size: size }]) => {
    const concurrent = size?.['concurrency']
    return typeof concurrent === 'number' && Number.isInteger(concurrent) && concurrent > 0
      ? [[`${name}/*`, { concurrent }] as const]
      : []
  })
  return models.length > 0 ? { models: Object.fromEntries(models) } : undefined
}

function remarkOthers(bifrost: BifrostFile, remark: UpstreamContext['remark']): void {
  const hasTimes = timesFor(bifrost) !== undefined
  for (const [name, one] of Object.entries(bifrost.providers)) {
    const at = ['providers', name]
    const { network_config: network, concurrency_and_buffer_size: size, custom_provider_config: custom } = one
    if (network?.[SECONDS] !== undefined)
      remark(
        hasTimes ? 'otherwise' : 'left',
        [...at, 'network_config', SECONDS],
        hasTimes
          ? 'the longest one becomes the time until the response of a provider begins (`times.firstByte`)'
          : 'not every provider has a time limit: set `times.firstByte` in milliseconds',
      )
    if (size?.['concurrency'] !== undefined)
      remark(
        'otherwise',
        [...at, 'concurrency_and_buffer_size', 'concurrency'],
        'limits the requests of all keys that name the provider (`limits.models`); `limits` of an endpoint limit its calls',
      )
    remarkSection(one, at, PROVIDER, remark)
    remarkSection(network, [...at, 'network_config'], NETWORK, remark)
    remarkSection(size, [...at, 'concurrency_and_buffer_size'], BUFFER, remark)
    remarkSection(custom, [...at, 'custom_provider_config'], CUSTOM, remark)
    for (const [index, own] of (one.keys ?? []).entries()) remarkKey(own, [...at, 'keys', index], remark)
  }
  remarkSection(bifrost, [], TOP, remark)
}

function remarkKey(key: BifrostKey, at: readonly PropertyKey[], remark: UpstreamContext['remark']): void {
  remarkSection(key, at, READ_KEYS, remark)
  for (const [config, fields] of Object.entries(KEY_CONFIGS)) {
    const read = Object.fromEntries([...Object.keys(fields), 'model_name'].map((name) => [name, null]))
    remarkSection(key[config], [...at, config], read, remark)
  }
  for (const [name, alias] of Object.entries(key.aliases ?? {}))
    remarkSection(alias, [...at, 'aliases', name], ALIAS, remark)
  const vertex = key['vertex_key_config']
  if (isSection(vertex) && vertex['auth_credentials'] !== undefined)
    remark(
      'otherwise',
      [...at, 'vertex_key_config', 'auth_credentials'],
      'must be the JSON of the service account, without base64',
    )
}
