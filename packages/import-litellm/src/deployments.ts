import type { Deployment } from './deployment.ts'
import { isSection, type LiteLLMEntry, type LiteLLMFile, type Section } from './file.ts'
import { deploymentLimits, isLimit } from './limits.ts'
import { isPrice, priceOf, unreadPrices } from './price.ts'
import { hasPath } from './serving.ts'
import { type EntryUpstream, type UpstreamContext, upstreamOf } from './upstream.ts'

const LAST = Number.POSITIVE_INFINITY

const WEIGHTS = 'deployments have no weights: the models of an alias are called in order'
const TIMES = 'times apply to the whole gateway (`times`), and the number of retries cannot be configured'
const BUDGETS = 'budgets apply to keys, projects and all keys together, not to a deployment (docs/budgets.md)'
const TOKENS = 'providers are called with a key, or with tenant, client and secret: set them, and import again'
const ROLES =
  'roles are not assumed: set access keys, or set `machine` to true if the machine or container has the role'
const DROPS =
  'unsupported parameters are removed from the request to the provider, and named in the header `headgate-lost`'

/** Remarks on parameters. Other parameters get {@link PARAMETER}. */
const PARAMETERS = new Map(
  Object.entries({
    weight: WEIGHTS,
    timeout: TIMES,
    stream_timeout: TIMES,
    max_retries: TIMES,
    max_budget: BUDGETS,
    budget_duration: BUDGETS,
    drop_params: DROPS,
    additional_drop_params: DROPS,
    tags: 'there is no routing by tags',
    mock_response: 'the provider `demo` responds without a key',
    azure_ad_token: TOKENS,
    tenant_id: TOKENS,
    client_id: TOKENS,
    client_secret: TOKENS,
    token: TOKENS,
    zen_api_key: TOKENS,
    aws_role_name: ROLES,
    aws_session_name: ROLES,
    aws_web_identity_token: ROLES,
    aws_external_id: ROLES,
    aws_sts_endpoint: ROLES,
    region_name: 'is not supported: set `aws_region_name`, and import again',
    soft_budget: BUDGETS,
    default_api_key_rpm_limit: 'set `limits` of an entry in `keys`, or use `headgate keys create --rpm`',
    default_api_key_tpm_limit: 'set `limits` of an entry in `keys`',
  }),
)
const PARAMETER = 'is not a model setting: callers send it with their requests'

/**
 * Fields of `model_info` with a remark. The other fields only describe the model, which Headgate knows from the
 * provider.
 */
const ACCESS = ['access_groups', 'team_id', 'supported_environments', 'access_windows']

/** Entries of `model_list` that Headgate can serve, in order. */
export function deploymentsOf(file: LiteLLMFile, context: UpstreamContext): Deployment[] {
  const credentials = new Map(
    (file.credential_list ?? []).map((one) => [one.credential_name, one.credential_values ?? {}]),
  )
  return (file.model_list ?? []).flatMap((entry, index) => {
    const path = ['model_list', index]
    const mode = entry.model_info?.['mode']
    if (!hasPath(mode)) {
      context.remark(
        'left',
        [...path, 'model_info', 'mode'],
        `Headgate has no path for models with the mode ${String(mode)}`,
      )
      return []
    }
    const given = withCredential(entry, credentials)
    const upstream = upstreamOf(given, path, context)
    if (!upstream) return []
    remarkRest(given, upstream, path, context)
    const { output, price, ...more } = described(given, path, file)
    return [{ ...upstream, ...more, ...(output !== undefined && { output }), ...(price && { price }), path }]
  })
}

function withCredential(entry: LiteLLMEntry, credentials: ReadonlyMap<string, Section>): LiteLLMEntry {
  const name = entry.litellm_params['litellm_credential_name']
  const values = typeof name === 'string' ? credentials.get(name) : undefined
  return values ? { ...entry, litellm_params: { ...values, ...entry.litellm_params } } : entry
}

function described(entry: LiteLLMEntry, path: readonly PropertyKey[], file: LiteLLMFile) {
  const { model_name, litellm_params, model_info } = entry
  const { order } = litellm_params
  const info = model_info ?? {}
  const { id, base_model: base } = info
  const price = priceOf({ ...info, ...litellm_params })
  return {
    alias: model_name,
    order: typeof order === 'number' ? order : LAST,
    ...(id !== undefined && id !== null && { id: String(id) }),
    ...(typeof base === 'string' && base !== '' && { is: base.slice(base.lastIndexOf('/') + 1) }),
    price,
    output: outputOf(info),
    limits: deploymentLimits(entry, path, file),
  }
}

/**
 * Maximum output of a model. LiteLLM's `max_tokens` of a model is also its maximum output. @see
 * https://docs.litellm.ai/docs/proxy/configs
 */
function outputOf({ max_output_tokens: output, max_tokens: tokens }: Section): number | undefined {
  return [output, tokens].find((value) => typeof value === 'number' && Number.isInteger(value) && value > 0) as
    | number
    | undefined
}

function remarkRest(
  { litellm_params, model_info }: LiteLLMEntry,
  { carried }: EntryUpstream,
  path: readonly PropertyKey[],
  { remark }: UpstreamContext,
): void {
  for (const [name, value] of Object.entries(litellm_params)) {
    if (
      value === undefined ||
      value === null ||
      name === 'order' ||
      isPrice(name) ||
      isLimit(name) ||
      carried.has(name)
    )
      continue
    remark('left', [...path, 'litellm_params', name], PARAMETERS.get(name) ?? PARAMETER)
  }
  for (const [section, given] of Object.entries({ litellm_params, model_info: model_info ?? {} }))
    for (const name of unreadPrices(given)) remark('left', [...path, section, name], '`prices` has no such rate')
  for (const name of ACCESS)
    if (isSection(model_info) && model_info[name] !== undefined)
      remark(
        'left',
        [...path, 'model_info', name],
        'access to models is set per key: `models` of an entry in `keys`, or `headgate keys create --models`',
      )
}
