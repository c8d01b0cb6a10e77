import type { LiteLLMEntry, LiteLLMFile, Section } from './file.ts'
import { isSection, UPSTREAM_PARAMETERS, type Upstream, type UpstreamContext, upstreamOf } from './upstream.ts'

/** An entry of `model_list` that Headgate can serve. */
export interface Deployment extends Upstream {
  /** What callers call it; with a `*` any model of the kind. */
  readonly alias: string
  /** Lower ones are asked first. */
  readonly order: number
  /** `model_info.id`, by which fallbacks may name it. */
  readonly id?: string
  /** The model that it is, where its own name does not say it. */
  readonly is?: string
  /** US dollars per million tokens. */
  readonly price?: Readonly<Record<string, number>>
}

const LAST = Number.POSITIVE_INFINITY

/** LiteLLM's prices, those of one token, by the names that `prices` has for those of a million. */
const PRICES: Readonly<Record<string, string>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cacheRead',
  cache_creation_input_token_cost: 'cacheWrite',
}

const LIMITS = 'nothing limits or weighs one deployment: the models of an alias are asked in their order'
const TIMES = 'times are those of the whole gateway (`times`), and how often is asked again is not configured'
const BUDGETS = 'budgets are of keys, projects and all keys together, not of one deployment (docs/budgets.md)'
const TOKENS = 'providers are asked with a key: write `api_key`, and import again'
const DROPS = 'what a provider does not take is left out of what goes to it, and named in the header `headgate-lost`'

/** What is said of a parameter; of all others that callers send it. */
const PARAMETERS = new Map(
  Object.entries({
    rpm: LIMITS,
    tpm: LIMITS,
    weight: LIMITS,
    max_parallel_requests: LIMITS,
    timeout: TIMES,
    stream_timeout: TIMES,
    max_retries: TIMES,
    max_budget: BUDGETS,
    budget_duration: BUDGETS,
    drop_params: DROPS,
    additional_drop_params: DROPS,
    tags: 'there is no routing by tags',
    mock_response: 'the provider `demo` answers without a key',
    azure_ad_token: TOKENS,
    tenant_id: TOKENS,
    client_id: TOKENS,
    client_secret: TOKENS,
  }),
)
const PARAMETER = 'is not a setting of a model: callers send it with their requests'

/** Of `model_info` all but these only describes the model, which Headgate knows from the provider. */
const ACCESS = ['access_groups', 'team_id', 'supported_environments', 'access_windows']

/** What models are for that have a path here; absent = for chat. */
const MODES: ReadonlySet<unknown> = new Set([undefined, null, 'chat', 'completion', 'responses', 'embedding'])

/** The entries of `model_list` that can be served, in their order. */
export function deploymentsOf(file: LiteLLMFile, context: UpstreamContext): Deployment[] {
  const credentials = new Map((file.credential_list ?? []).map((one) => [one.credential_name, one.credential_values ?? {}]))
  return (file.model_list ?? []).flatMap((entry, index) => {
    const path = ['model_list', index]
    const mode = entry.model_info?.['mode']
    if (!MODES.has(mode)) {
      context.remark('left', [...path, 'model_info', 'mode'], `models for ${String(mode)} have no path of this kind here`)
      return []
    }
    const given = withCredential(entry, credentials)
    const upstream = upstreamOf(given, path, context)
    if (!upstream) return []
    remarkRest(given, path, context)
    return [{ ...upstream, ...described(given) }]
  })
}

function withCredential(entry: LiteLLMEntry, credentials: ReadonlyMap<string, Section>): LiteLLMEntry {
  const name = entry.litellm_params['litellm_credential_name']
  const values = typeof name === 'string' ? credentials.get(name) : undefined
  return values ? { ...entry, litellm_params: { ...values, ...entry.litellm_params } } : entry
}

function described({ model_name, litellm_params, model_info }: LiteLLMEntry): Omit<Deployment, keyof Upstream> {
  const { order } = litellm_params
  const info = model_info ?? {}
  const { id, base_model: base } = info
  const price = priceOf({ ...info, ...litellm_params })
  return {
    alias: model_name,
    order: typeof order === 'number' ? order : LAST,
    ...(id !== undefined && id !== null && { id: String(id) }),
    ...(typeof base === 'string' && base !== '' && { is: base.slice(base.lastIndexOf('/') + 1) }),
    ...(price && { price }),
  }
}

function priceOf(given: Section): Record<string, number> | undefined {
  const rates = Object.entries(PRICES).flatMap(([parameter, rate]): [string, number][] => {
    const value = given[parameter]
    // A price has at most nine digits behind the point: those of dollars per token, multiplied, would have more.
    return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? [[rate, Number((value * 1_000_000).toFixed(9))]] : []
  })
  const price = Object.fromEntries(rates)
  return 'input' in price || 'output' in price ? { input: 0, output: 0, ...price } : undefined
}

function remarkRest({ litellm_params, model_info }: LiteLLMEntry, path: readonly PropertyKey[], { remark }: UpstreamContext): void {
  for (const [name, value] of Object.entries(litellm_params)) {
    if (value === undefined || value === null || name === 'order' || Object.hasOwn(PRICES, name) || UPSTREAM_PARAMETERS.has(name)) continue
    if (name === 'vertex_credentials') {
      const text = 'set GOOGLE_APPLICATION_CREDENTIALS to the path of the file with the key'
      remark('otherwise', [...path, 'litellm_params', name], text)
    } else remark('left', [...path, 'litellm_params', name], PARAMETERS.get(name) ?? PARAMETER)
  }
  for (const name of ACCESS)
    if (isSection(model_info) && model_info[name] !== undefined)
      remark(
        'left',
        [...path, 'model_info', name],
        'who may call a model is said of each key: `models` of an entry of `keys`, or `headgate keys create --models`',
      )
}
