import type { ImportedConfig } from './config.ts'
import { isSection, type LiteLLMFile, type Section } from './file.ts'
import type { UpstreamContext } from './upstream.ts'

/** Remarks on settings; `null` for settings that are carried over or only change LiteLLM's own output. */
type SettingRemarks = Readonly<Record<string, { readonly otherwise: string } | { readonly left: string } | null>>

const left = (text: string) => ({ left: text })
const otherwise = (text: string) => ({ otherwise: text })

const CALLBACKS = left(
  'there are no callbacks after requests: use `headgate usage`, the table `usage`, /metrics or the access log',
)
const CACHE = left('model responses are not cached; `search.cache` caches search results')
const KEY_BUDGETS = left(
  'budgets and limits apply to keys and projects: `headgate keys create --budget`, `budgets.projects` (docs/budgets.md)',
)
const RETRIES = otherwise(
  'each endpoint is called once; retryable ones are called again after 1, 2 and 4 seconds (docs/routing.md)',
)
const HEALTH = otherwise(
  'endpoints are in cooldown after repeated failures, or until the time that the provider names, and get their load back gradually (docs/routing.md)',
)
const TAGS = left(
  'set `labels` of endpoints; requests select labels with the header `headgate-policy` (docs/routing.md)',
)
const REDIS = left('gateways share only the store: set DATABASE_URL')
const KEYS = left('LiteLLM stores its keys in its database: create new keys with `headgate keys create`')

const LITELLM_SETTINGS: SettingRemarks = {
  fallbacks: null,
  context_window_fallbacks: null,
  default_fallbacks: null,
  request_timeout: null,
  set_verbose: null,
  json_logs: null,
  content_policy_fallbacks: null,
  drop_params: otherwise(
    'unsupported parameters are always removed and named in the header `headgate-lost`; with `headgate-strict: true` they cause a 400',
  ),
  modify_params: otherwise(
    'requests are translated to the format of the provider, and changes are named in `headgate-lost`',
  ),
  num_retries: RETRIES,
  allowed_fails: HEALTH,
  cooldown_time: HEALTH,
  success_callback: CALLBACKS,
  failure_callback: CALLBACKS,
  service_callbacks: CALLBACKS,
  callbacks: CALLBACKS,
  cache: CACHE,
  cache_params: CACHE,
  max_budget: null,
  budget_duration: null,
  max_end_user_budget: KEY_BUDGETS,
  max_internal_user_budget: KEY_BUDGETS,
  internal_user_budget_duration: KEY_BUDGETS,
  default_internal_user_params: KEY_BUDGETS,
  default_key_generate_params: KEY_BUDGETS,
  upperbound_key_generate_params: KEY_BUDGETS,
  default_team_params: KEY_BUDGETS,
  default_team_settings: KEY_BUDGETS,
  vertex_project: null,
  vertex_location: null,
  vertex_credentials: null,
  turn_off_message_logging: otherwise('logs never contain prompts'),
}

const ROUTER_SETTINGS: SettingRemarks = {
  fallbacks: null,
  context_window_fallbacks: null,
  default_fallbacks: null,
  model_group_alias: null,
  timeout: null,
  set_verbose: null,
  content_policy_fallbacks: null,
  routing_strategy: null,
  optional_pre_call_checks: null,
  default_max_parallel_requests: null,
  provider_budget_config: left(
    'budgets apply to keys, projects and all keys together, not to a provider (docs/budgets.md)',
  ),
  routing_strategy_args: left('policies have no parameters'),
  num_retries: RETRIES,
  retry_policy: RETRIES,
  retry_after: RETRIES,
  model_group_retry_policy: RETRIES,
  max_fallbacks: RETRIES,
  enable_tag_filtering: TAGS,
  tag_filtering_match_any: TAGS,
  allowed_fails: HEALTH,
  allowed_fails_policy: HEALTH,
  cooldown_time: HEALTH,
  disable_cooldowns: HEALTH,
  enable_pre_call_checks: otherwise(
    'if the context is too long, the request moves to the next model after the provider rejects it',
  ),
  stream_timeout: left('set the maximum silence of streams with `times.silence`'),
  redis_host: REDIS,
  redis_port: REDIS,
  redis_password: REDIS,
  redis_url: REDIS,
}

const GENERAL_SETTINGS: SettingRemarks = {
  master_key: null,
  database_url: otherwise(
    'the store is SQLite in `.headgate`, or Postgres if DATABASE_URL names a separate database. Data of LiteLLM is not imported',
  ),
  store_model_in_db: left("models are set in the configuration: models in LiteLLM's database are not imported"),
  custom_auth: left('the library accepts `authenticate` (docs/embedding.md), the program only API keys'),
  enable_jwt_auth: left('the program accepts only API keys'),
  alerting: left('alerts are not sent: create them from /metrics'),
  alerting_threshold: left('alerts are not sent: create them from /metrics'),
  max_parallel_requests: left('set `concurrent` in `limits.models`, or in `limits` of a key (docs/rate-limits.md)'),
  global_max_parallel_requests: otherwise('becomes `concurrent` of all models together, in `limits.models`'),
  pass_through_endpoints: left('there are no pass-through endpoints'),
  key_management_system: KEYS,
  key_management_settings: KEYS,
  forward_client_headers_to_llm_api: otherwise(
    'only caller headers that a provider supports are forwarded to it (`anthropic-beta`)',
  ),
}

/** Top-level sections and settings. */
const TOP: SettingRemarks = {
  model_list: null,
  credential_list: null,
  litellm_settings: null,
  router_settings: null,
  general_settings: null,
  environment_variables: null,
  guardrails: left('there are no guardrails: check requests and responses in front of the gateway, or in your code'),
  callback_settings: CALLBACKS,
  mcp_servers: left('MCP servers are not supported'),
  include: left('included files are not read: merge them into one file, and import again'),
}

const OTHER = { left: 'has no equivalent' } as const

const UNEQUAL: readonly (readonly [readonly string[], SettingRemarks])[] = [
  [['litellm_settings'], LITELLM_SETTINGS],
  [['router_settings'], ROUTER_SETTINGS],
  [['general_settings'], GENERAL_SETTINGS],
  [[], TOP],
]

/** Settings that are parameters of every entry. */
export const SHARED_PARAMETERS = ['vertex_project', 'vertex_location', 'vertex_credentials'] as const

/** Adds remarks on settings that are not carried over. */
export function remarkSettings(file: LiteLLMFile, { remark }: Pick<UpstreamContext, 'remark'>): void {
  for (const [path, said] of UNEQUAL) {
    const section = path.reduce<unknown>((at, key) => (isSection(at) ? at[key] : undefined), file)
    for (const [name, value] of Object.entries(isSection(section) ? section : {})) {
      if (value === undefined || value === null || value === false) continue
      const about = Object.hasOwn(said, name) ? said[name] : OTHER
      if (about)
        for (const [kind, text] of Object.entries(about))
          remark(kind === 'left' ? 'left' : 'otherwise', [...path, name], text)
    }
  }
}

/** Master key of LiteLLM's callers, and the time limit of a provider. */
export function carriedSettings(
  file: LiteLLMFile,
  { variables, remark }: UpstreamContext,
): Pick<ImportedConfig, 'keys' | 'times'> {
  const master = file.general_settings?.['master_key']
  const key = variables.secret(master, 'general_settings.master_key', 'LITELLM_MASTER_KEY')
  const seconds = [
    [['router_settings', 'timeout'], file.router_settings?.['timeout']],
    [['litellm_settings', 'request_timeout'], file.litellm_settings?.['request_timeout']],
  ] as const
  const [path, value] = seconds.find(([, given]) => typeof given === 'number' && given > 0) ?? []
  if (master === undefined || master === null)
    remark(
      'otherwise',
      ['general_settings', 'master_key'],
      'is missing, but callers need a key: create one with `headgate keys create`',
    )
  if (key)
    remark(
      'otherwise',
      ['general_settings', 'master_key'],
      'becomes an ordinary key: it can call every model, but has no admin permissions',
    )
  if (path && typeof value === 'number')
    remark('otherwise', path, 'becomes the time until the response of a provider begins (`times.firstByte`)')
  for (const [at, given] of seconds)
    if (typeof given === 'string') remark('left', at, 'is not a number: set `times.firstByte` in milliseconds')
  return {
    ...(key && { keys: [{ key, name: 'master' }] }),
    ...(typeof value === 'number' && { times: timesOf(value) }),
  }
}

/** Times of a request. The whole request has at least the time of one attempt. */
export function timesOf(seconds: number): NonNullable<ImportedConfig['times']> {
  const firstByte = Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER)
  return { firstByte, ...(firstByte > WHOLE && { whole: firstByte }) }
}

/** Default of `times.whole` in milliseconds. */
const WHOLE = 900_000

/** Names of variables that LiteLLM sets itself. */
export function variablesSetBy(file: LiteLLMFile): string[] {
  const given: Section | null | undefined = file.environment_variables
  return Object.keys(given ?? {})
}
