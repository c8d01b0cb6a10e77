import type { ImportedConfig } from './config.ts'
import { isSection, type LiteLLMFile, type Section } from './file.ts'
import type { UpstreamContext } from './upstream.ts'

/**
 * What is said of a setting; `null` where there is nothing to say, since it is carried or only changes LiteLLM's own
 * output.
 */
type Said = Readonly<Record<string, { readonly otherwise: string } | { readonly left: string } | null>>

const left = (text: string) => ({ left: text })
const otherwise = (text: string) => ({ otherwise: text })

const CALLBACKS = left(
  'nothing is called after a request: `headgate usage`, the table `usage`, /metrics and the access log have what happened',
)
const CACHE = left('answers of models are not kept; `search.cache` keeps those of searches')
const KEY_BUDGETS = left(
  'budgets and limits of people, teams and keys are of keys and projects here: `headgate keys create --budget`, `budgets.projects` (docs/budgets.md)',
)
const RETRIES = otherwise(
  'each model of an alias is asked once, then those that may be asked again after 1, 2 and 4 seconds (docs/routing.md)',
)
const HEALTH = otherwise(
  'a provider that failed comes last for 2 to 60 seconds (docs/routing.md); this is not configured',
)
const REDIS = left('nothing is shared between gateways but the store: DATABASE_URL')
const KEYS = left('keys of LiteLLM lie in its database: make new ones with `headgate keys create`')

const LITELLM_SETTINGS: Said = {
  fallbacks: null,
  context_window_fallbacks: null,
  default_fallbacks: null,
  request_timeout: null,
  set_verbose: null,
  json_logs: null,
  content_policy_fallbacks: left('what a provider refuses for its content is not asked elsewhere'),
  drop_params: otherwise(
    'what a provider does not take is always left out and named in the header `headgate-lost`; with `headgate-strict: true` it is a 400',
  ),
  modify_params: otherwise(
    'requests are made to fit the format of the provider, and what that changes is named in `headgate-lost`',
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
  turn_off_message_logging: otherwise('no log has what is said to models'),
}

const ROUTER_SETTINGS: Said = {
  fallbacks: null,
  context_window_fallbacks: null,
  default_fallbacks: null,
  model_group_alias: null,
  timeout: null,
  set_verbose: null,
  content_policy_fallbacks: left('what a provider refuses for its content is not asked elsewhere'),
  routing_strategy: otherwise('the models of an alias are asked in their order, and requests are not spread over them'),
  default_max_parallel_requests: null,
  provider_budget_config: left(
    'budgets are of keys, projects and all keys together, not of one provider (docs/budgets.md)',
  ),
  routing_strategy_args: left('requests are not spread over the models of an alias'),
  num_retries: RETRIES,
  retry_policy: RETRIES,
  retry_after: RETRIES,
  allowed_fails: HEALTH,
  allowed_fails_policy: HEALTH,
  cooldown_time: HEALTH,
  disable_cooldowns: HEALTH,
  enable_pre_call_checks: otherwise(
    'a context that is too long moves a request to the next model once the provider has said so',
  ),
  stream_timeout: left('streams have a time of their own for silence: `times.silence`'),
  redis_host: REDIS,
  redis_port: REDIS,
  redis_password: REDIS,
  redis_url: REDIS,
}

const GENERAL_SETTINGS: Said = {
  master_key: null,
  database_url: otherwise(
    'the store is SQLite in `.headgate`; DATABASE_URL in the environment puts it into Postgres, in a database of its own. What LiteLLM has stored is not read',
  ),
  store_model_in_db: left('models stand in the configuration: those that LiteLLM keeps in its database are not read'),
  custom_auth: left('the library takes `authenticate` (docs/embedding.md), the program keys only'),
  enable_jwt_auth: left('the program takes keys only'),
  alerting: left('nothing is sent: /metrics has what an alert is made of'),
  alerting_threshold: left('nothing is sent: /metrics has what an alert is made of'),
  max_parallel_requests: left('write `concurrent` of `limits.models`, or of `limits` of a key (docs/rate-limits.md)'),
  global_max_parallel_requests: otherwise('is `concurrent` of all models together, in `limits.models`'),
  pass_through_endpoints: left('no path is passed through as it is'),
  key_management_system: KEYS,
  key_management_settings: KEYS,
  forward_client_headers_to_llm_api: otherwise(
    'the headers of callers that a provider knows go up to it (`anthropic-beta`), no others',
  ),
}

/** What stands beside the sections. */
const TOP: Said = {
  model_list: null,
  credential_list: null,
  litellm_settings: null,
  router_settings: null,
  general_settings: null,
  environment_variables: null,
  guardrails: left('there are no guardrails: check what goes in and out in front of the gateway, or in your code'),
  callback_settings: CALLBACKS,
  mcp_servers: left('the gateway is none for MCP'),
  include: left('files that are included are not read: put them into one file, and import again'),
}

const OTHER = { left: 'has no equal' } as const

const UNEQUAL: readonly (readonly [readonly string[], Said])[] = [
  [['litellm_settings'], LITELLM_SETTINGS],
  [['router_settings'], ROUTER_SETTINGS],
  [['general_settings'], GENERAL_SETTINGS],
  [[], TOP],
]

/** Settings that are parameters of every entry. */
export const SHARED_PARAMETERS = ['vertex_project', 'vertex_location', 'vertex_credentials'] as const

/** Says of every setting that is not carried what takes its place. */
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

/** The key that LiteLLM's callers have, and the time that it gives a provider. */
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
      'is missing: callers need a key all the same; `headgate keys create` makes one',
    )
  if (key)
    remark(
      'otherwise',
      ['general_settings', 'master_key'],
      'becomes an ordinary key: it can call every model, and has no admin rights',
    )
  if (path && typeof value === 'number')
    remark('otherwise', path, 'is how long a provider may take until its answer begins (`times.firstByte`)')
  for (const [at, given] of seconds)
    if (typeof given === 'string') remark('left', at, 'is no number: set `times.firstByte`, in milliseconds')
  return {
    ...(key && { keys: [{ key, name: 'master' }] }),
    ...(typeof value === 'number' && { times: timesOf(value) }),
  }
}

/** The whole request has at least the time of one attempt. */
function timesOf(seconds: number): NonNullable<ImportedConfig['times']> {
  const firstByte = Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER)
  return { firstByte, ...(firstByte > WHOLE && { whole: firstByte }) }
}

/** What `times.whole` is by default, in milliseconds. */
const WHOLE = 900_000

/** Variables that LiteLLM sets itself, by their names. */
export function variablesSetBy(file: LiteLLMFile): string[] {
  const given: Section | null | undefined = file.environment_variables
  return Object.keys(given ?? {})
}
